//! Authentication: accounts by session or token, workers by invitation.

mod account;
mod cookies;
mod credentials;
mod invitation_cache;
mod password;
mod secret;
mod worker;

pub(crate) use account::{Account, CampaignAccess};
pub(crate) use cookies::{end_session, session_cookie, session_secret, worker_cookie, worker_secret};
pub(crate) use credentials::{SESSION, issue};
pub(crate) use invitation_cache::InvitationCache;
pub use password::hash_password;
pub(crate) use password::{MIN_LENGTH, hash, verify};
pub(crate) use secret::{Secret, hash as hash_secret, hex};
pub(crate) use worker::InvitedWorker;
