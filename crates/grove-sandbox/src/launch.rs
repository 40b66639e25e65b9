//! Links that are signed, so that a study knows who comes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};

use crate::people::Visit;
use crate::world::now;

/// The key of every sandbox. It signs nothing else.
const KEY: &[u8] = include_bytes!("test-key.der");

fn key() -> RsaKeyPair {
    RsaKeyPair::from_pkcs8(KEY).expect("the file of this crate is a key")
}

/// The public key, as the panel publishes it.
pub(crate) fn public_keys(id: &str) -> Value {
    let public = PublicKeyComponents::<Vec<u8>>::from(key().public());
    let [n, e] = [public.n, public.e].map(|number| URL_SAFE_NO_PAD.encode(number));
    json!({"keys": [{"kty": "RSA", "kid": id, "alg": "RS256", "use": "sig", "key_ops": ["verify"], "n": n, "e": e}]})
}

/// The header and the claims of a token that is valid for so many seconds.
pub(crate) fn parts(visit: &Visit, key: &str, workspace: &str, seconds: i64) -> (Value, Value) {
    let Visit { url, submission, participant, study } = visit;
    let now = now() / 1_000_000;
    let claims = json!({
        "iss": "https://www.prolific.com", "sub": submission, "aud": url, "iat": now, "exp": now + seconds,
        "prolific": {"PROLIFIC_PID": participant, "STUDY_ID": study, "SESSION_ID": submission, "workspace_id": workspace},
    });
    (json!({"alg": "RS256", "kid": key, "typ": "JWT"}), claims)
}

/// A token with a valid signature.
pub(crate) fn signed((header, claims): (Value, Value)) -> String {
    let [header, claims] = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let token = format!("{header}.{claims}");
    let key = key();
    let mut signature = vec![0; key.public().modulus_len()];
    let signing = key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), token.as_bytes(), &mut signature);
    signing.expect("the signature is as long as the key");
    format!("{token}.{}", URL_SAFE_NO_PAD.encode(signature))
}
