use std::fmt;
use std::path::Path;

use crate::Error;

/// A token or key. It is only ever written into the header of a request: there is no `Display` and no `Serialize`, and `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret that the caller has.
    ///
    /// # Errors
    /// [`Error::Config`] if it is empty or cannot be sent in a header.
    pub fn new(text: &str, place: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| (0x21..0x7f).contains(&byte)) {
            return Err(Error::Config(format!(
                "{place} must hold a token: printable characters without spaces, and nothing else"
            )));
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads an environment variable.
    ///
    /// # Errors
    /// [`Error::Config`] if it is not set or no token.
    pub fn from_environment(name: &str) -> Result<Self, Error> {
        let text = std::env::var(name)
            .map_err(|_| Error::Config(format!("set the environment variable {name} to the token")))?;
        Self::new(&text, &format!("the environment variable {name}"))
    }

    /// Reads a file, whose whole content is the token.
    ///
    /// # Errors
    /// [`Error::Config`] if it cannot be read or holds no token.
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::Config(format!("the token file {} cannot be read: {error}", path.display()))
        })?;
        Self::new(&text, &format!("the file {}", path.display()))
    }

    /// The secret itself, for the header of a request or the key of a signature.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new(" sk-verysecret\n", "the test").unwrap();
        assert_eq!(secret.expose(), "sk-verysecret");
        assert!(!format!("{secret:?} {:?}", Some(&secret)).contains("verysecret"));
        let refused = Secret::new("two words-verysecret", "the file x").unwrap_err().to_string();
        assert!(refused.contains("the file x") && !refused.contains("verysecret"), "{refused}");
        assert!(Secret::new("  ", "the test").is_err());
    }
}
