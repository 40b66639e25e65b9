use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use ipnet::IpNet;

use crate::app::{App, AppState};
use crate::http_error::Result;

/// The proxies whose `X-Forwarded-For` header is trusted.
#[derive(Clone, Default, Debug)]
pub(crate) struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    pub(crate) fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The address of the client behind the proxies. Each proxy appends to `X-Forwarded-For` whom it got the request from, so the last
    /// entry that is no trusted proxy was written by one of them, and what comes before it could be made up by the client.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lines: Vec<&str> =
            headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or("")).collect();
        for entry in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            if !self.contains(client) {
                break;
            }
            // Some proxies add the port.
            let entry = entry.trim();
            let parsed = entry.parse().or_else(|_| entry.parse::<SocketAddr>().map(|address| address.ip()));
            let Ok(address) = parsed else { break };
            client = address.to_canonical();
        }
        client
    }
}

/// Where a request comes from: the address by which clients are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl ClientAddress {
    /// The address of a connection. A network of IPv6 (/64) counts as one client: whoever has one address of it has all.
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) & (u128::MAX << 64);
                IpAddr::V6(Ipv6Addr::from(network))
            }
            address => address,
        })
    }
}

impl FromRequestParts<App> for ClientAddress {
    type Rejection = crate::http_error::HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self> {
        // Without the middleware all requests come from nowhere, and share their limits.
        let nowhere = Self(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        Ok(parts.extensions.get().copied().unwrap_or(nowhere))
    }
}

/// Finds out where a request comes from.
pub(crate) async fn find_client(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let client = client_of(&app, &request);
    request.extensions_mut().insert(client);
    next.run(request).await
}

fn client_of(app: &AppState, request: &Request) -> ClientAddress {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
    let peer = peer.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
    ClientAddress::of(app.trusted_proxies.client(peer, request.headers()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let networks = ["10.0.0.0/8", "fd00::/8"].map(|network| network.parse().unwrap());
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        TrustedProxies::new(networks.to_vec()).client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(client("1.2.3.4", &["5.6.7.8"]), "1.2.3.4", "a client that claims another address");
        assert_eq!(client("10.0.0.1", &["5.6.7.8"]), "5.6.7.8");
        assert_eq!(client("10.0.0.1", &["9.9.9.9, 5.6.7.8"]), "5.6.7.8", "the client wrote the first");
        assert_eq!(client("10.0.0.1", &["9.9.9.9", "5.6.7.8, 10.0.0.2"]), "5.6.7.8", "two proxies");
        assert_eq!(client("::ffff:10.0.0.1", &["5.6.7.8:1234"]), "5.6.7.8");
        assert_eq!(client("10.0.0.1", &["5.6.7.8, nonsense"]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("fd00::1", &["2001:db8::1"]), "2001:db8::1");
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let of = |address: &str| ClientAddress::of(address.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:1.2.3.4"), of("1.2.3.4"));
    }
}
