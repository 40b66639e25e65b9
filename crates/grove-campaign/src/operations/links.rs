//! Invitation links: for how many people, for how many votes and until when, and what came through them.

use std::time::Duration;

use grove_store::{
    CampaignId, Credential, CredentialId, LinkLimits, LinkTally, Moment, Purpose, SecretHash, VoteSource,
};
use uuid::Uuid;

use super::{Access, Link, Operation, Workspace};
use crate::Error;

/// The longest life of a link that expires, in hours: ten years.
const MOST_HOURS: u32 = 87_600;

/// A link to be made.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NewLink {
    /// A name for the owner; may be empty.
    pub label: String,
    /// For how many hours it works; forever if none.
    pub hours: Option<u32>,
    /// How much may come through it. One for a single person has `most_workers` 1.
    pub limits: LinkLimits,
}

/// A link, and what came through it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkSummary {
    /// The link, without its secret.
    pub credential: Credential,
    /// How much may come through it.
    pub limits: LinkLimits,
    /// What has come.
    pub tally: LinkTally,
    /// Whether its votes are excluded from the evidence.
    pub is_excluded: bool,
}

impl LinkSummary {
    /// Whether it does not work any more, because it was revoked or has expired.
    #[must_use]
    pub fn is_over(&self, now: Moment) -> bool {
        self.credential.revoked.is_some() || self.credential.until.is_some_and(|until| until <= now)
    }
}

impl Access {
    /// Adds an invitation without limits, known by the hash of its secret: whoever has the secret may answer.
    ///
    /// # Errors
    /// As [`Access::invite_with`].
    pub async fn invite(&self, label: String, hash: SecretHash) -> Result<CredentialId, Error> {
        self.invite_with(NewLink { label, ..NewLink::default() }, hash).await
    }

    /// Adds an invitation, known by the hash of its secret: whoever has the secret may answer, within the limits.
    ///
    /// # Errors
    /// [`Error::BadSetting`] for invalid limits, and errors from the store.
    pub async fn invite_with(&self, new: NewLink, hash: SecretHash) -> Result<CredentialId, Error> {
        self.caller.require(Operation::Invite)?;
        let NewLink { label, hours, limits } = new;
        let bad = |setting, problem: &str| Err(Error::BadSetting { setting, problem: problem.to_owned() });
        match (hours, limits) {
            (Some(0), _) => return bad("hours", "a link must be valid for at least an hour"),
            (Some(MOST_HOURS..), _) => return bad("hours", "a link can be valid for at most ten years"),
            (_, LinkLimits { most_workers: Some(0), .. }) => {
                return bad("most_workers", "a link must allow at least one person");
            }
            (_, LinkLimits { most_votes: Some(0), .. }) => {
                return bad("most_votes", "a link must allow at least one answer");
            }
            _ => {}
        }
        let (store, created) = (self.workspace.store(), self.workspace.now());
        let credential = Credential {
            id: CredentialId(Uuid::now_v7()),
            purpose: Purpose::Invitation(self.campaign.id()),
            label,
            created,
            until: hours.map(|hours| created.plus(Duration::from_secs(3600 * u64::from(hours)))),
            revoked: None,
        };
        let id = credential.id;
        store.add_credential(credential, hash).await?;
        if limits.is_some() {
            // Nobody has the secret yet.
            store.limit_link(id, limits).await?;
        }
        Ok(id)
    }

    /// The invitations to the campaign with their limits and what came through them, the newest first.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn links(&self) -> Result<Vec<LinkSummary>, Error> {
        let (store, invitations) = (self.workspace.store(), self.invitations().await?);
        let tallies = store.link_tallies(self.campaign.id()).await?;
        let mut links = Vec::with_capacity(invitations.len());
        for credential in invitations {
            let id = credential.id;
            let tally = tallies.iter().find(|(link, _)| *link == id).map(|(_, tally)| *tally);
            let source = VoteSource::Link(id);
            links.push(LinkSummary {
                limits: store.link_limits(id).await?,
                tally: tally.unwrap_or_default(),
                is_excluded: self.campaign.with_state(|state| state.excluded().any(|one| *one == source)),
                credential,
            });
        }
        Ok(links)
    }
}

impl Workspace {
    /// The invitation with a secret of this hash, and the campaign that it is for; none if there is no such invitation any more.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn invitation(&self, hash: &SecretHash) -> Result<Option<(CampaignId, Link)>, Error> {
        let Some(credential) = self.store().credential(hash, self.now()).await? else { return Ok(None) };
        let Purpose::Invitation(campaign) = credential.purpose else { return Ok(None) };
        let is_limited = self.store().link_limits(credential.id).await?.is_some();
        Ok(Some((campaign, Link { id: credential.id, is_limited })))
    }
}
