//! Passwords are kept as Argon2id hashes with the parameters that its authors recommend (19 MiB, two passes).

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

use crate::fault::Fault;

/// The shortest password that is taken.
pub(crate) const SHORTEST: usize = 10;
/// The longest: hashing takes time in proportion.
const LONGEST: usize = 1_000;

/// Hashes a password, as `grove user add` and the setup page do.
///
/// # Errors
/// Says why a password cannot be taken.
pub fn hash_password(password: &str) -> Result<String, String> {
    if password.chars().count() < SHORTEST {
        return Err(format!("a password needs at least {SHORTEST} characters"));
    }
    if password.len() > LONGEST {
        return Err(format!("a password has at most {LONGEST} bytes"));
    }
    match Argon2::default().hash_password(password.as_bytes()) {
        Ok(hash) => Ok(hash.to_string()),
        Err(error) => Err(format!("the password cannot be hashed: {error}")),
    }
}

/// Hashes on a thread that may be busy for a while.
pub(crate) async fn hash(password: String) -> Result<String, Fault> {
    let hashed = tokio::task::spawn_blocking(move || hash_password(&password)).await;
    hashed.map_err(|_| Fault::Internal)?.map_err(Fault::Bad)
}

/// Whether a password is the one that was hashed. Without a hash it takes as long and says no, so that nobody learns by the clock which
/// names exist.
pub(crate) async fn verify(password: String, hash: Option<String>) -> bool {
    let check = move || {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
        let Ok(hash) = PasswordHash::new(&hash) else { return false };
        password.len() <= LONGEST
            && Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
            && known
    };
    tokio::task::spawn_blocking(check).await.unwrap_or(false)
}

/// A hash with today's parameters that belongs to nobody.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$Z3JvdmUtbm9ib2R5LTE2$\
                      YxtnRlEg4HZt5ZVM4HhvQeEqXRbRq9IgvqKBbCqvH0s";

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_opens_its_own_hash_alone() {
        let hash = hash_password("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(hash, hash_password("correct horse").unwrap(), "salted");
        assert!(verify("correct horse".into(), Some(hash.clone())).await);
        assert!(!verify("correct horsf".into(), Some(hash)).await);
        assert!(!verify("correct horse".into(), None).await);
        assert!(PasswordHash::new(NOBODY).is_ok(), "or else it would be quick to say no");
        assert!(hash_password("short").is_err() && hash_password(&"x".repeat(2_000)).is_err());
    }
}
