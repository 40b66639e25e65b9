//! Authentication: accounts by session or token, workers by invitation.

mod account;
mod cookies;
mod credentials;
mod guesses;
mod invitation_cache;
mod password;
mod secret;
mod worker;

pub(crate) use account::{Account, CampaignAccess, bearer};
pub(crate) use cookies::{
    device_cookie, device_secret, end_session, new_secret, new_secret_cookie, panel_cookie, panel_secret,
    session_cookie, session_secret, worker_cookie, worker_secret,
};
pub(crate) use credentials::{DEVICE, SESSION, audit, issue};
pub(crate) use guesses::Guess;
pub(crate) use invitation_cache::InvitationCache;
pub use password::hash_password;
pub(crate) use password::{Applicant, MIN_LENGTH, PasswordHashing};
pub(crate) use secret::{Secret, hash as hash_secret, hex};
pub(crate) use worker::{InvitedWorker, worker_id};
