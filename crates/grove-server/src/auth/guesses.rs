//! How many wrong passwords are accepted, from whom. Counted in the database, so that several servers give no more than one.
//!
//! * An address has ten wrong guesses in a quarter of an hour, at any accounts.
//! * An account has ten in a day from everybody together. After that only devices may try on which its owner has logged in before, which
//!   the browser shows by a cookie. So strangers who guess cannot lock the owner out.
//! * Such a device has ten in a day of its own, and shares no limit with strangers.
//!
//! `grove user unlock` and a new password reset the counts.

use std::time::Duration;

use axum::http::HeaderMap;
use grove_store::{GuessKind, GuessLimit, Owner, OwnerId, Purpose};

use super::{Applicant, device_secret, hash_secret};
use crate::app::AppState;
use crate::http_error::{HttpError, Result};
use crate::middleware::ClientAddress;

const MOST: u32 = 10;
const QUARTER_HOUR: Duration = Duration::from_secs(15 * 60);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A guess at a password.
pub(crate) struct Guess {
    limits: Vec<GuessLimit>,
    applicant: Applicant,
}

fn limit(kind: GuessKind, subject: &str, owner: Option<OwnerId>, period: Duration) -> GuessLimit {
    GuessLimit { kind, subject: hash_secret(subject), owner, most: MOST, period }
}

impl Guess {
    /// A guess of somebody who wants to log in under a name.
    pub(crate) async fn to_log_in(
        app: &AppState,
        headers: &HeaderMap,
        address: ClientAddress,
        name: &str,
        owner: Option<&Owner>,
    ) -> Result<Self> {
        let owner = owner.map(|owner| owner.id);
        if let (Some(owner), Some(secret)) = (owner, device_secret(app, headers)) {
            let device = app.store().credential(&hash_secret(&secret), app.now()).await?;
            if device.is_some_and(|device| device.purpose == Purpose::Device(owner)) {
                let limits = vec![limit(GuessKind::Device, &secret, Some(owner), DAY)];
                return Ok(Self { limits, applicant: Applicant::Known });
            }
        }
        let limits = vec![
            limit(GuessKind::Address, &address.0.to_string(), None, QUARTER_HOUR),
            limit(GuessKind::Name, name, owner, DAY),
        ];
        Ok(Self { limits, applicant: Applicant::Stranger })
    }

    /// A guess at their old password by somebody who is logged in.
    pub(crate) fn to_change_password(owner: &Owner) -> Self {
        let limits = vec![limit(GuessKind::Password, &owner.id.0.to_string(), Some(owner.id), QUARTER_HOUR)];
        Self { limits, applicant: Applicant::Known }
    }

    /// Whether the guess is shown to come from a device on which the owner has logged in before.
    pub(crate) fn is_from_known_device(&self) -> bool {
        self.applicant == Applicant::Known
    }

    /// Whether the password is right.
    ///
    /// # Errors
    /// [`HttpError::TooManyRequests`] if a limit is reached, [`HttpError::Unavailable`] if too many wait.
    pub(crate) async fn check(self, app: &AppState, password: String, owner: Option<&Owner>) -> Result<bool> {
        let now = app.now();
        let refuse = |until: Option<grove_store::Moment>| match until {
            None => Ok(()),
            Some(until) => {
                let left = until.0.saturating_sub(now.0).max(1) as u64;
                Err(HttpError::TooManyRequests { retry_after: left.div_ceil(1_000_000) })
            }
        };
        // Reading first keeps those who have no guess left from writing and from waiting.
        refuse(app.store().next_guess(&self.limits, now).await?)?;
        let turn = app.hashing.turn(self.applicant).await?;
        refuse(app.store().count_guess(self.limits.clone(), now).await?)?;
        let is_right = turn.verify(password, owner.map(|owner| owner.password_hash.clone())).await?;
        if is_right {
            app.store().take_back_guess(self.limits).await?;
        }
        Ok(is_right)
    }
}
