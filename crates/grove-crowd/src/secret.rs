use std::fmt;
use std::io::Write as _;
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

    /// Writes it into a file that does not exist yet, which nobody else may read.
    ///
    /// # Errors
    /// [`Error::Config`] if there is such a file already, or none can be made.
    pub fn write_new(&self, path: &Path) -> Result<(), Error> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(path).and_then(|mut file| writeln!(file, "{}", self.0));
        written.map_err(|error| Error::Config(format!("{} cannot be written: {error}", path.display())))
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
    #[test]
    fn a_secret_is_written_once_and_for_nobody_else() {
        let path = std::env::temp_dir().join(format!("grove-secret-{}", std::process::id()));
        let secret = Secret::new("hook-verysecret", "the test").unwrap();
        secret.write_new(&path).unwrap();
        assert_eq!(Secret::from_file(&path).unwrap(), secret);
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        let twice = secret.write_new(&path).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(twice.contains("cannot be written") && !twice.contains("verysecret"), "{twice}");
    }
}
