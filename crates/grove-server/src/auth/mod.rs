//! Who is asking: owners by session or token, workers by invitation.

mod caller;
mod cookies;
mod handing;
mod known;
mod password;
mod secret;
mod worker;

pub(crate) use caller::{Caller, Owned};
pub(crate) use cookies::{SESSION, forget_session, keep_session, keep_worker, session_secret, worker_secret};
pub(crate) use handing::hand_out;
pub(crate) use known::Known;
pub use password::hash_password;
pub(crate) use password::{SHORTEST, hash, verify};
pub(crate) use secret::{Secret, hash as hash_secret, hex};
pub(crate) use worker::Invited;
