//! The token by which a panel signs the link of a person: a JSON web token (RFC 7519), signed with RS256.
//!
//! Selected workspaces at Prolific add it as `prolific_token`. It says the same as the other parameters of the link, which anybody can make up. It is
//! valid for two minutes, so a link that is opened again later has one that is not; then the service is asked instead.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The parameter of the link.
pub const LAUNCH_PARAMETER: &str = "prolific_token";
/// The longest token that is read.
const LONGEST: usize = 4_096;
/// Who signs.
const ISSUER: &str = "https://www.prolific.com";
/// How far the panel's clock may be ahead of ours, in seconds.
const LEEWAY: i64 = 30;

/// The public keys with which a panel signs.
#[derive(Clone, Debug, Default)]
pub struct LaunchKeys(Vec<Key>);

#[derive(Clone, Debug)]
struct Key {
    id: String,
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

/// What a signed link says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The person.
    pub person: String,
    /// Their session, which is the submission.
    pub session: String,
    /// The study.
    pub study: String,
    /// The workspace that pays.
    pub workspace: String,
}

/// Why a token says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadLaunch {
    /// It is signed with a key that is not known: the panel may have a new one.
    UnknownKey,
    /// It is not for us, not for now, or nobody's.
    Refused(&'static str),
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: String,
    exp: f64,
    #[serde(default)]
    nbf: Option<f64>,
    prolific: Parameters,
}

/// The parameters of the link.
#[derive(Deserialize)]
struct Parameters {
    #[serde(rename = "PROLIFIC_PID")]
    person: String,
    #[serde(rename = "STUDY_ID")]
    study: String,
    #[serde(rename = "SESSION_ID")]
    session: String,
    workspace_id: String,
}

impl LaunchKeys {
    /// Reads a set of JSON web keys (RFC 7517). Keys for something else are left out.
    #[must_use]
    pub fn read(json: &Value) -> Self {
        let keys = json.get("keys").and_then(Value::as_array).into_iter().flatten();
        Self(keys.filter_map(Key::read).collect())
    }

    /// Checks a token that came at a time in seconds since 1970, for a page of a host, and reads it.
    ///
    /// # Errors
    /// [`BadLaunch`].
    pub fn check(&self, token: &str, host: &str, now: i64) -> Result<Launch, BadLaunch> {
        let refused = BadLaunch::Refused;
        if token.len() > LONGEST {
            return Err(refused("it is too long"));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(refused("it is not a token"))?;
        let (header, claims) = signed.split_once('.').ok_or(refused("it is not a token"))?;
        let header: Header = decoded(header).ok_or(refused("its header cannot be read"))?;
        // The only kind of signature that the panel makes; a token must not choose a weaker one.
        if header.alg != "RS256" {
            return Err(refused("it is signed in another way"));
        }
        let key = self.0.iter().find(|key| key.id == header.kid).ok_or(BadLaunch::UnknownKey)?;
        let signature =
            URL_SAFE_NO_PAD.decode(signature).map_err(|_| refused("its signature cannot be read"))?;
        let public = RsaPublicKeyComponents { n: &key.modulus, e: &key.exponent };
        let verified = public.verify(&RSA_PKCS1_2048_8192_SHA256, signed.as_bytes(), &signature);
        verified.map_err(|_| refused("its signature is not the panel's"))?;
        let claims: Claims = decoded(claims).ok_or(refused("what it says cannot be read"))?;
        let now = now as f64;
        if claims.exp.is_nan()
            || claims.exp <= now
            || claims.nbf.is_some_and(|from| from > now + LEEWAY as f64)
        {
            return Err(refused("it is not valid now"));
        }
        if claims.iss != ISSUER || host_of(&claims.aud) != Some(host) {
            return Err(refused("it is not for this server"));
        }
        let Parameters { person, study, session, workspace_id: workspace } = claims.prolific;
        if claims.sub != session {
            return Err(refused("it names two sessions"));
        }
        Ok(Launch { person, session, study, workspace })
    }
}

impl Key {
    fn read(json: &Value) -> Option<Self> {
        let text = |name: &str| json.get(name).and_then(Value::as_str);
        let is_ours = text("kty") == Some("RSA")
            && text("alg").is_none_or(|alg| alg == "RS256")
            && text("use").is_none_or(|usage| usage == "sig");
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        is_ours.then_some(Self { id: text("kid")?.to_owned(), modulus: bytes("n")?, exponent: bytes("e")? })
    }
}

fn decoded<T: DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

/// The host of an address, which may also be given alone.
fn host_of(address: &str) -> Option<&str> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = if authority.starts_with('[') {
        authority.split_inclusive(']').next()?
    } else {
        authority.split(':').next()?
    };
    (!host.is_empty()).then_some(host)
}

/// The host of our own address.
#[must_use]
pub fn launch_host(address: &str) -> &str {
    host_of(address).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_from_addresses() {
        for (address, host) in [
            ("https://grove.example.org/p/1?a=https://other", "grove.example.org"),
            ("http://127.0.0.1:8077", "127.0.0.1"),
            ("http://[::1]:8077/p", "[::1]"),
            ("grove.example.org", "grove.example.org"),
            ("https://grove.example.org.evil.example/", "grove.example.org.evil.example"),
            ("https:///", ""),
        ] {
            assert_eq!(launch_host(address), host, "{address}");
        }
    }

    #[test]
    fn what_is_no_token_says_nothing() {
        let keys = LaunchKeys::read(
            &serde_json::json!({"keys": [{"kty": "EC"}, {}, {"kty": "RSA", "kid": "k", "n": "!", "e": "AQAB"}]}),
        );
        assert!(keys.0.is_empty());
        for token in ["", "a.b", "a.b.c", &"x".repeat(5_000), "eyJhbGciOiJub25lIiwia2lkIjoiayJ9.e30."] {
            assert!(matches!(keys.check(token, "h", 0), Err(BadLaunch::Refused(_))), "{token:.40}");
        }
        // RS256, with a key that nobody knows.
        let unknown = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.e30.AA";
        assert_eq!(keys.check(unknown, "h", 0), Err(BadLaunch::UnknownKey));
    }
}
