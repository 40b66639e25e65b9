use std::time::Instant;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use grove_campaign::operations::{Access, Caller};
use grove_store::{CampaignId, WorkerId};
use sha2::{Digest, Sha256};

use super::invitation_cache::Invitation;
use super::{Secret, bearer, hash_secret, hex, panel_secret, worker_secret};
use crate::app::{App, AppState};
use crate::http_error::{HttpError, Result};
use crate::pages::panel::panel_of;

/// The header in which programs identify a worker by a secret of their own choice.
const WORKER: &str = "grove-worker";

/// A worker with an invitation to a campaign.
pub(crate) struct InvitedWorker {
    pub(crate) id: CampaignId,
    pub(crate) access: Access,
    pub(crate) worker: WorkerId,
    /// The secret of the invitation, for links back to the page.
    pub(crate) invitation: String,
    /// The secret of a browser without one; it becomes a cookie when the worker starts.
    pub(crate) new_secret: Option<Secret>,
}

impl FromRequestParts<App> for InvitedWorker {
    type Rejection = HttpError;

    /// Pages have the invitation in their path and the worker in a cookie; programs send both in headers.
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| HttpError::NotFound)?;
        let in_path = params.iter().find(|(name, _)| *name == "invitation").map(|(_, value)| value);
        let (invitation, secret, new_secret, unknown) = match (in_path, bearer(&parts.headers)) {
            (Some(invitation), _) if let Some(panel) = panel_of(invitation) => {
                // Who comes from a panel got a secret when they came.
                let secret = panel_secret(app, &parts.headers, panel).ok_or_else(not_by_panel)?;
                (invitation, secret, None, HttpError::NotFound)
            }
            (Some(invitation), _) => {
                let known = worker_secret(app, &parts.headers);
                let new = if known.is_none() { Some(Secret::new()?) } else { None };
                let secret = known.or_else(|| new.as_ref().map(|new| new.as_str().to_owned()));
                (invitation, secret.unwrap_or_default(), new, HttpError::NotFound)
            }
            // A program could make up as many people as it likes.
            (None, Some(invitation)) if panel_of(invitation).is_some() => return Err(not_by_panel()),
            (None, Some(invitation)) => {
                let secret = parts.headers.get(WORKER).and_then(|value| value.to_str().ok());
                (invitation, check_secret(secret)?, None, HttpError::Unauthorized)
            }
            (None, None) => return Err(HttpError::Unauthorized),
        };
        let (id, link) = find_invitation(app, invitation).await?.ok_or(unknown)?;
        let worker = worker_id(id, &secret)?;
        let caller = Caller::worker(worker.clone()).through(link);
        let access = app.workspace.campaign(caller, id).await?;
        Ok(Self { id, access, worker, invitation: invitation.to_owned(), new_secret })
    }
}

fn not_by_panel() -> HttpError {
    HttpError::Forbidden("open the study from the panel's own page, whose link carries your id".to_owned())
}

/// The invitation with this secret.
async fn find_invitation(app: &AppState, secret: &str) -> Result<Option<Invitation>> {
    let (hash, used) = (hash_secret(secret), Instant::now());
    if let Some(invitation) = app.invitations.get(&hash, used) {
        return Ok(Some(invitation));
    }
    let invitation = app.workspace.invitation(&hash).await?;
    if let Some(invitation) = invitation {
        app.invitations.insert(hash, invitation, used);
    }
    Ok(invitation)
}

fn check_secret(secret: Option<&str>) -> Result<String> {
    match secret {
        Some(secret) if (16..=200).contains(&secret.len()) => Ok(secret.to_owned()),
        _ => Err(HttpError::Unauthorized),
    }
}

/// The id of a worker in a campaign. It does not reveal the secret and differs between campaigns.
pub(crate) fn worker_id(campaign: CampaignId, secret: &str) -> Result<WorkerId> {
    let mut hash = Sha256::new();
    hash.update(campaign.0.as_bytes());
    hash.update(secret.as_bytes());
    Ok(WorkerId::new(format!("w-{}", &hex(&hash.finalize())[..16]))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_worker_has_one_id_per_campaign() {
        let [one, other] = [1, 2].map(|n| CampaignId(Uuid::from_u128(n)));
        assert_eq!(worker_id(one, "secret").unwrap(), worker_id(one, "secret").unwrap());
        assert_ne!(worker_id(one, "secret").unwrap(), worker_id(other, "secret").unwrap());
        assert_ne!(worker_id(one, "secret").unwrap(), worker_id(one, "secreT").unwrap());
        assert!(check_secret(None).is_err() && check_secret(Some("short")).is_err());
    }
}
