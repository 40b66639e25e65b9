//! Sessions, API tokens, devices and invitations. A secret is recognised by its hash; the secret itself is not stored.

use crate::campaigns::checked_name;
use crate::sql::{Connection, Record, Row, values};
use crate::write_queue::transaction;
use crate::{CampaignId, CredentialId, Error, Moment, OwnerId, Result, Store};

/// What a credential gives access to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// An owner's browser session.
    Session(OwnerId),
    /// An owner's API token.
    Token(OwnerId),
    /// Trying to log in to an account that others are guessing at, from a browser in which its owner has logged in before.
    Device(OwnerId),
    /// Answering a campaign's questions, for whoever has the link.
    Invitation(CampaignId),
    /// Looking at a campaign's hierarchy, for whoever has the link.
    View(CampaignId),
    /// Creating the first owner.
    FirstOwner,
}

impl Purpose {
    /// The columns `purpose`, `owner` and `campaign`.
    pub(crate) fn columns(self) -> (&'static str, Option<OwnerId>, Option<CampaignId>) {
        match self {
            Self::Session(owner) => ("session", Some(owner), None),
            Self::Token(owner) => ("token", Some(owner), None),
            Self::Device(owner) => ("device", Some(owner), None),
            Self::Invitation(campaign) => ("invitation", None, Some(campaign)),
            Self::View(campaign) => ("view", None, Some(campaign)),
            Self::FirstOwner => ("first_owner", None, None),
        }
    }

    pub(crate) fn from_columns(
        purpose: &str,
        owner: Option<OwnerId>,
        campaign: Option<CampaignId>,
    ) -> Result<Self> {
        match (purpose, owner, campaign) {
            ("session", Some(owner), None) => Ok(Self::Session(owner)),
            ("token", Some(owner), None) => Ok(Self::Token(owner)),
            ("device", Some(owner), None) => Ok(Self::Device(owner)),
            ("invitation", None, Some(campaign)) => Ok(Self::Invitation(campaign)),
            ("view", None, Some(campaign)) => Ok(Self::View(campaign)),
            ("first_owner", None, None) => Ok(Self::FirstOwner),
            _ => Err(Error::damaged(format!("a credential has the purpose {purpose:?}"))),
        }
    }
}

/// A session, an API token, a device, an invitation, or the right to create the first owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credential {
    /// The id, which is not secret.
    pub id: CredentialId,
    /// What it gives access to.
    pub purpose: Purpose,
    /// A name given by its owner; may be empty.
    pub label: String,
    /// When it was created.
    pub created: Moment,
    /// When it expires, if it does.
    pub until: Option<Moment>,
    /// When it was revoked, if it was.
    pub revoked: Option<Moment>,
}

/// SHA-256 of a secret of at least 128 random bits.
pub type SecretHash = [u8; 32];

impl Store {
    /// Stores a credential under the hash of its secret.
    ///
    /// # Errors
    /// [`Error::Unknown`] owner or [`Error::UnknownCampaign`]; [`Error::Conflict`] if the id or the hash is in use; [`Error::BadName`] for
    /// the label, which may be empty.
    pub async fn add_credential(&self, credential: Credential, hash: SecretHash) -> Result<()> {
        if !credential.label.is_empty() {
            checked_name(&credential.label)?;
        }
        transaction!(self, credential.id.0, |db| {
            let (_, owner, campaign) = credential.purpose.columns();
            if let Some(owner) = owner {
                let sql = "SELECT id FROM owners WHERE id = $1";
                db.first::<()>(sql, values![owner]).await?.ok_or(Error::Unknown("owner"))?;
            }
            if let Some(campaign) = campaign {
                let sql = "SELECT id FROM campaigns WHERE id = $1";
                db.first::<()>(sql, values![campaign]).await?.ok_or(Error::UnknownCampaign(campaign))?;
            }
            insert(db, credential, hash.to_vec()).await
        })
    }

    /// Returns the credential whose secret has this hash, unless it has expired or was revoked.
    pub async fn credential(&self, hash: &SecretHash, now: Moment) -> Result<Option<Credential>> {
        let valid = "WHERE hash = $1 AND revoked IS NULL AND (until IS NULL OR until > $2)";
        self.reader().await?.select_first(valid, values![hash.to_vec(), now]).await
    }

    /// Returns all sessions, tokens and devices of an owner, expired and revoked ones too, the newest first.
    pub async fn credentials_of(&self, owner: OwnerId) -> Result<Vec<Credential>> {
        self.reader().await?.select("WHERE owner = $1 ORDER BY created DESC, id", values![owner]).await
    }

    /// Returns all invitations to a campaign, expired and revoked ones too, the newest first.
    pub async fn invitations(&self, campaign: CampaignId) -> Result<Vec<Credential>> {
        let of_campaign = "WHERE campaign = $1 AND purpose = 'invitation' ORDER BY created DESC, id";
        self.reader().await?.select(of_campaign, values![campaign]).await
    }

    /// Returns all read-only links to a campaign, expired and revoked ones too, the newest first.
    pub async fn view_links(&self, campaign: CampaignId) -> Result<Vec<Credential>> {
        let of_campaign = "WHERE campaign = $1 AND purpose = 'view' ORDER BY created DESC, id";
        self.reader().await?.select(of_campaign, values![campaign]).await
    }

    /// Revokes a credential and returns whether this call did it. Of several concurrent calls one gets `true`, so that a credential for
    /// one use can be used by revoking it.
    pub async fn revoke_credential(&self, id: CredentialId, now: Moment) -> Result<bool> {
        transaction!(self, id.0, |db| {
            let sql = "UPDATE credentials SET revoked = $2 WHERE id = $1 AND revoked IS NULL";
            Ok(db.execute(sql, values![id, now]).await? == 1)
        })
    }
}

pub(crate) async fn insert(db: &mut Connection, credential: Credential, hash: Vec<u8>) -> Result<()> {
    let sql = "INSERT INTO credentials (id, hash, purpose, owner, campaign, label, created, until, revoked)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";
    let Credential { id, purpose, label, created, until, revoked } = credential;
    let (purpose, owner, campaign) = purpose.columns();
    let values = values![id, hash, purpose, owner, campaign, label, created, until, revoked];
    db.execute_one(sql, values, Error::Conflict).await
}

impl Record for Credential {
    const SELECT: &str =
        "SELECT id, purpose, owner, campaign, label, created, until, revoked FROM credentials";

    fn read(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            purpose: Purpose::from_columns(&row.get::<String>(1)?, row.get(2)?, row.get(3)?)?,
            label: row.get(4)?,
            created: row.get(5)?,
            until: row.get(6)?,
            revoked: row.get(7)?,
        })
    }
}
