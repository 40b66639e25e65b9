//! Passwords are stored as Argon2id hashes with the recommended parameters (19 MiB, two passes). That takes memory and time, so few are hashed at
//! the same time, and few wait.

use std::sync::Arc;
use std::thread::available_parallelism;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

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

/// Who wants a password hashed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Applicant {
    /// Anybody.
    Stranger,
    /// Somebody who is logged in, has the setup link, or has logged in on this device before. They do not queue with strangers.
    Known,
}

/// Where passwords are hashed.
#[derive(Debug)]
pub(crate) struct PasswordHashing {
    strangers: Queue,
    known: Queue,
}

/// Some places for those whose turn it is, and some for those who wait.
#[derive(Debug)]
struct Queue {
    active: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

/// How many wait for each who is served. A hash takes some 20 ms, so nobody waits much longer than half a second.
const WAITING: usize = 24;

/// The right to hash one password.
#[derive(Debug)]
pub(crate) struct Turn {
    _active: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl Queue {
    fn new(active: usize) -> Self {
        let places = active * (1 + WAITING);
        Self { active: Arc::new(Semaphore::new(active)), places: Arc::new(Semaphore::new(places)) }
    }

    /// Waits for a turn, or refuses it if too many wait.
    async fn turn(&self) -> Result<Turn> {
        let full =
            |_| HttpError::Unavailable("too many people are logging in; try again in a moment".to_owned());
        let place = self.places.clone().try_acquire_owned().map_err(full)?;
        let active = self.active.clone().acquire_owned().await.map_err(|_| HttpError::Internal)?;
        Ok(Turn { _active: active, _place: place })
    }
}

impl Default for PasswordHashing {
    /// Strangers get at most half of the cores, so that others are served.
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self { strangers: Queue::new((cores / 2).clamp(1, 4)), known: Queue::new(1) }
    }
}

impl PasswordHashing {
    /// Waits for a turn.
    ///
    /// # Errors
    /// [`HttpError::Unavailable`] if too many wait.
    pub(crate) async fn turn(&self, who: Applicant) -> Result<Turn> {
        match who {
            Applicant::Stranger => self.strangers.turn().await,
            Applicant::Known => self.known.turn().await,
        }
    }

    /// Hashes a password of somebody who is known.
    pub(crate) async fn hash(&self, password: String) -> Result<String> {
        let turn = self.turn(Applicant::Known).await?;
        turn.run(move || hash_password(&password)).await?.map_err(HttpError::BadRequest)
    }
}

impl Turn {
    /// Runs a computation on a thread of its own. The turn lasts until it has ended, even if nobody waits for it any more.
    async fn run<T: Send + 'static>(self, compute: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let compute = move || {
            let _turn = self;
            compute()
        };
        tokio::task::spawn_blocking(compute).await.map_err(|_| HttpError::Internal)
    }

    /// Whether a password matches a hash. Without a hash this takes as long and returns false, so that timing does not reveal which names
    /// exist.
    pub(crate) async fn verify(self, password: String, hash: Option<String>) -> Result<bool> {
        self.run(move || matches(&password, hash)).await
    }
}

fn matches(password: &str, hash: Option<String>) -> bool {
    let known = hash.is_some();
    let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
    let Ok(hash) = PasswordHash::new(&hash) else { return false };
    password.len() <= MAX_LENGTH
        && Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
        && known
}

/// A hash with the present parameters that belongs to nobody.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$Z3JvdmUtbm9ib2R5LTE2$\
                      YxtnRlEg4HZt5ZVM4HhvQeEqXRbRq9IgvqKBbCqvH0s";

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_password_matches_its_own_hash_only() {
        let hash = hash_password("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(hash, hash_password("correct horse").unwrap(), "salted");
        let hashing = PasswordHashing::default();
        let verify = async |password: &str, hash: Option<&String>| {
            let turn = hashing.turn(Applicant::Stranger).await.unwrap();
            turn.verify(password.to_owned(), hash.cloned()).await.unwrap()
        };
        assert!(verify("correct horse", Some(&hash)).await);
        assert!(!verify("correct horsf", Some(&hash)).await);
        assert!(!verify("correct horse", None).await);
        assert!(PasswordHash::new(NOBODY).is_ok(), "unknown names must take as long as known ones");
        assert!(hash_password("short").is_err() && hash_password(&"x".repeat(2_000)).is_err());
    }

    /// Eight hundred at once: a few wait, and the others are told to come back.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn few_wait_for_their_turn() {
        let queue = Arc::new(Queue::new(2));
        let [running, most] = [(); 2].map(|()| Arc::new(AtomicU32::new(0)));
        let tasks: Vec<_> = (0..800)
            .map(|_| {
                let (queue, running, most) = (queue.clone(), running.clone(), most.clone());
                tokio::spawn(async move {
                    let work = move || {
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(5));
                        running.fetch_sub(1, Ordering::SeqCst);
                    };
                    queue.turn().await?.run(work).await
                })
            })
            .collect();
        let mut refused = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(()) => {}
                Err(HttpError::Unavailable(_)) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(most.load(Ordering::SeqCst) <= 2);
        assert!(refused > 0, "no more than {} have a place", 2 * (1 + WAITING));
    }
}
