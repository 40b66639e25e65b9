use grove_store::SecretHash;
use sha2::{Digest, Sha256};

/// The secret of a session, a token or an invitation: 160 random bits in hexadecimal. Only its hash is stored.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// Returns a new secret from the system's random generator.
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 20];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hex(&bytes)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> SecretHash {
        hash(&self.0)
    }
}

impl From<String> for Secret {
    fn from(secret: String) -> Self {
        Self(secret)
    }
}

/// The hash under which a secret is stored.
pub(crate) fn hash(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_hashed_with_sha_256() {
        let [one, other] = [Secret::new().unwrap(), Secret::new().unwrap()];
        assert_eq!(one.as_str().len(), 40);
        assert_ne!(one.as_str(), other.as_str());
        assert_eq!(one.hash(), hash(one.as_str()));
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&hash("abc")), abc);
    }
}
