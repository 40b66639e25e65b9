use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use grove_campaign::Live;
use grove_store::{CampaignId, Purpose, WorkerId};
use sha2::{Digest, Sha256};

use super::caller::bearer;
use super::{Secret, hash_secret, hex, worker_secret};
use crate::app::App;
use crate::fault::Fault;

/// The header in which programs say which worker they are: a secret of their own making.
const WORKER: &str = "grove-worker";

/// A worker with an invitation to a campaign.
#[derive(Clone)]
pub(crate) struct Invited {
    pub(crate) id: CampaignId,
    pub(crate) campaign: Live,
    pub(crate) worker: WorkerId,
    /// The invitation itself, for links back to the page.
    pub(crate) invitation: String,
    /// A browser that comes for the first time has to keep this.
    pub(crate) newcomer: Option<Secret>,
}

impl FromRequestParts<App> for Invited {
    type Rejection = Fault;

    /// Pages have the invitation in their path and the worker in a cookie; programs have both in headers.
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| Fault::NotFound)?;
        let by_path =
            params.iter().find(|(name, _)| *name == "invitation").map(|(_, value)| value.to_owned());
        let (invitation, secret, newcomer) = match by_path {
            Some(invitation) => match worker_secret(app, &parts.headers) {
                Some(secret) => (invitation, secret, None),
                None => {
                    let fresh = Secret::new()?;
                    (invitation, fresh.as_str().to_owned(), Some(fresh))
                }
            },
            None => {
                let invitation = bearer(&parts.headers).ok_or(Fault::Unauthorized)?.to_owned();
                let secret = parts.headers.get(WORKER).and_then(|value| value.to_str().ok());
                (invitation, checked(secret)?, None)
            }
        };
        // A page that is not there, or a token that opens nothing.
        let refusal = || {
            if params.iter().any(|(name, _)| name == "invitation") {
                Fault::NotFound
            } else {
                Fault::Unauthorized
            }
        };
        let id = invited_to(app, &invitation).await?.ok_or_else(refusal)?;
        let campaign = app.campaigns().get(id).await?;
        Ok(Self { id, campaign, worker: worker_of(id, &secret)?, invitation, newcomer })
    }
}

/// The campaign that an invitation opens.
async fn invited_to(app: &App, invitation: &str) -> Result<Option<CampaignId>, Fault> {
    let (hash, now) = (hash_secret(invitation), app.now());
    if let Some(campaign) = app.invitations().find(&hash, now) {
        return Ok(Some(campaign));
    }
    let credential = app.store().credential(&hash, now).await?;
    let Some(Purpose::Invitation(campaign)) = credential.map(|credential| credential.purpose) else {
        return Ok(None);
    };
    app.invitations().remember(hash, campaign, now);
    Ok(Some(campaign))
}

fn checked(secret: Option<&str>) -> Result<String, Fault> {
    match secret {
        Some(secret) if (16..=200).contains(&secret.len()) => Ok(secret.to_owned()),
        _ => Err(Fault::Unauthorized),
    }
}

/// The name of a worker in a campaign. It neither tells the secret nor is the same in two campaigns.
fn worker_of(campaign: CampaignId, secret: &str) -> Result<WorkerId, Fault> {
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
    fn a_worker_is_known_again_in_one_campaign_only() {
        let [one, other] = [1, 2].map(|n| CampaignId(Uuid::from_u128(n)));
        assert_eq!(worker_of(one, "secret").unwrap(), worker_of(one, "secret").unwrap());
        assert_ne!(worker_of(one, "secret").unwrap(), worker_of(other, "secret").unwrap());
        assert_ne!(worker_of(one, "secret").unwrap(), worker_of(one, "secreT").unwrap());
        assert!(checked(None).is_err() && checked(Some("short")).is_err());
    }
}
