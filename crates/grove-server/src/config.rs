use std::net::{IpAddr, SocketAddr};

use grove_crowd::Crowds;
use ipnet::IpNet;

use crate::Error;

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on; loopback by default.
    pub listen: SocketAddr,
    /// The path of an SQLite file, or a `postgres://` URL.
    pub database: String,
    /// The URL by which browsers reach the server, such as `https://grove.example.org`; the listening address if `None`.
    pub public_url: Option<String>,
    /// Votes that one worker may cast within a quarter of an hour.
    pub votes_per_quarter_hour: u32,
    /// Connections that one address may have, and requests that one client address may have under way, at the same time. Many people can
    /// share one address.
    pub requests_per_address: u32,
    /// The token with which programs on other machines may read the metrics; without one, this machine alone may.
    pub metrics_token: Option<String>,
    /// The proxies in front of the server. Only their `X-Forwarded-For` headers are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The panels and models that the operator has set up, and who may use them.
    pub crowds: Crowds,
}

impl Config {
    /// Parses the address of a proxy, or a network such as `10.0.0.0/8`.
    ///
    /// # Errors
    /// A message that says what to give.
    pub fn parse_proxy(text: &str) -> Result<IpNet, String> {
        let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network.map_err(|_| {
            format!("{text:?} is not an IP address or network: give one such as 127.0.0.1 or 10.0.0.0/8")
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8077)),
            database: "grove.db".to_owned(),
            public_url: None,
            // One per second: nobody who reads the questions is faster.
            votes_per_quarter_hour: 900,
            // A browser opens six connections, and people of one house may share an address.
            requests_per_address: 512,
            metrics_token: None,
            trusted_proxies: Vec::new(),
            crowds: Crowds::default(),
        }
    }
}

/// The URL by which browsers reach the server, and the origins that its pages may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PublicAddress {
    /// Without a trailing slash.
    url: String,
    origins: Vec<String>,
}

impl PublicAddress {
    /// Takes the URL from the configuration, or else the listening address. On loopback every name of the machine is accepted as an origin.
    pub(crate) fn new(public_url: Option<&str>, listening: SocketAddr) -> Result<Self, Error> {
        if let Some(url) = public_url {
            let url = url.trim_end_matches('/');
            let bad = || Error::BadPublicUrl(url.to_owned());
            let host =
                url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).ok_or_else(bad)?;
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
            if host.is_empty() || !host.chars().all(plain) {
                return Err(bad());
            }
            let url = url.to_ascii_lowercase();
            return Ok(Self { origins: vec![url.clone()], url });
        }
        let here = format!("http://{listening}");
        let mut origins = vec![here.clone()];
        if listening.ip().is_loopback() {
            let port = listening.port();
            origins.extend(["127.0.0.1", "localhost", "[::1]"].map(|host| format!("http://{host}:{port}")));
        }
        Ok(Self { url: here, origins })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Whether a page of this origin is one of ours.
    pub(crate) fn is_ours(&self, origin: &str) -> bool {
        self.origins.iter().any(|ours| ours == origin)
    }

    /// Whether browsers use TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.url.starts_with("https://")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_an_origin_without_a_path() {
        let listening = SocketAddr::from(([127, 0, 0, 1], 80));
        let public = PublicAddress::new(Some("https://Grove.example.org/"), listening).unwrap();
        assert_eq!(public.url(), "https://grove.example.org");
        assert!(public.is_secure() && public.is_ours("https://grove.example.org"));
        assert!(!public.is_ours("http://127.0.0.1:80") && !public.is_ours("https://grove.example.org.evil"));
        for wrong in ["grove.example.org", "https://", "https://a/b", "ftp://a", "https://a b", "https://u@h"]
        {
            assert!(PublicAddress::new(Some(wrong), listening).is_err(), "{wrong}");
        }
    }

    #[test]
    fn on_loopback_every_name_of_the_machine_is_accepted() {
        let public = PublicAddress::new(None, SocketAddr::from(([127, 0, 0, 1], 8077))).unwrap();
        assert!(public.is_ours("http://localhost:8077") && public.is_ours("http://127.0.0.1:8077"));
        assert!(!public.is_ours("http://localhost:8078") && !public.is_secure());
        let outside = PublicAddress::new(None, SocketAddr::from(([10, 0, 0, 1], 8077))).unwrap();
        assert!(!outside.is_ours("http://localhost:8077"));
    }
}
