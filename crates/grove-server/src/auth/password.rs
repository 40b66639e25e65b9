//! Passwords are stored as Argon2id hashes with the recommended parameters (19 MiB, two passes).

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

use crate::http_error::{HttpError, Result};

/// The shortest password, in characters.
pub(crate) const MIN_LENGTH: usize = 10;
/// The longest password, in bytes: hashing takes time in proportion.
const MAX_LENGTH: usize = 1_000;

/// Hashes a password, as `grove user add` and the setup page do.
///
/// # Errors
/// A message that says why the password is not accepted.
pub fn hash_password(password: &str) -> Result<String, String> {
    if password.chars().count() < MIN_LENGTH {
        return Err(format!("a password needs at least {MIN_LENGTH} characters"));
    }
    if password.len() > MAX_LENGTH {
        return Err(format!("a password has at most {MAX_LENGTH} bytes"));
    }
    match Argon2::default().hash_password(password.as_bytes()) {
        Ok(hash) => Ok(hash.to_string()),
        Err(error) => Err(format!("the password cannot be hashed: {error}")),
    }
}

/// Hashes a password on a blocking thread.
pub(crate) async fn hash(password: String) -> Result<String> {
    let hashed = tokio::task::spawn_blocking(move || hash_password(&password)).await;
    hashed.map_err(|_| HttpError::Internal)?.map_err(HttpError::BadRequest)
}

/// Whether a password matches a hash. Without a hash this takes as long and returns false, so that timing does not reveal which names
/// exist.
pub(crate) async fn verify(password: String, hash: Option<String>) -> bool {
    let check = move || {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
        let Ok(hash) = PasswordHash::new(&hash) else { return false };
        password.len() <= MAX_LENGTH
            && Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
            && known
    };
    tokio::task::spawn_blocking(check).await.unwrap_or(false)
}

/// A hash with the present parameters that belongs to nobody.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$Z3JvdmUtbm9ib2R5LTE2$\
                      YxtnRlEg4HZt5ZVM4HhvQeEqXRbRq9IgvqKBbCqvH0s";

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_matches_its_own_hash_only() {
        let hash = hash_password("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(hash, hash_password("correct horse").unwrap(), "salted");
        assert!(verify("correct horse".into(), Some(hash.clone())).await);
        assert!(!verify("correct horsf".into(), Some(hash)).await);
        assert!(!verify("correct horse".into(), None).await);
        assert!(PasswordHash::new(NOBODY).is_ok(), "unknown names must take as long as known ones");
        assert!(hash_password("short").is_err() && hash_password(&"x".repeat(2_000)).is_err());
    }
}
