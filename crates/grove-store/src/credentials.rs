//! Sessions, API tokens and invitations. Whoever shows a secret is known by its hash; the secret itself is nowhere.

use crate::campaigns::checked_name;
use crate::sql::{Row, values};
use crate::{CampaignId, CredentialId, Error, Moment, OwnerId, Store};

/// What a credential opens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// An owner's browser.
    Session(OwnerId),
    /// An owner's programs.
    Token(OwnerId),
    /// A campaign's questions, to whoever has the link.
    Invitation(CampaignId),
    /// Making the first owner.
    FirstOwner,
}

impl Purpose {
    fn word(self) -> &'static str {
        match self {
            Self::Session(_) => "session",
            Self::Token(_) => "token",
            Self::Invitation(_) => "invitation",
            Self::FirstOwner => "first_owner",
        }
    }

    fn owner(self) -> Option<OwnerId> {
        match self {
            Self::Session(owner) | Self::Token(owner) => Some(owner),
            Self::Invitation(_) | Self::FirstOwner => None,
        }
    }

    fn campaign(self) -> Option<CampaignId> {
        match self {
            Self::Invitation(campaign) => Some(campaign),
            Self::Session(_) | Self::Token(_) | Self::FirstOwner => None,
        }
    }

    fn read(word: &str, owner: Option<OwnerId>, campaign: Option<CampaignId>) -> Result<Self, Error> {
        match (word, owner, campaign) {
            ("session", Some(owner), None) => Ok(Self::Session(owner)),
            ("token", Some(owner), None) => Ok(Self::Token(owner)),
            ("invitation", None, Some(campaign)) => Ok(Self::Invitation(campaign)),
            ("first_owner", None, None) => Ok(Self::FirstOwner),
            _ => Err(Error::damaged(format!("a credential is for {word:?}"))),
        }
    }
}

/// A session, an API token, an invitation, or the right to make the first owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credential {
    /// A name for it that is not secret.
    pub id: CredentialId,
    /// What it opens.
    pub purpose: Purpose,
    /// What its owner calls it.
    pub label: String,
    /// Since when.
    pub created: Moment,
    /// Until when; for ever if nothing.
    pub until: Option<Moment>,
    /// Since when it opens nothing any more.
    pub revoked: Option<Moment>,
}

/// SHA-256 of a secret of at least 128 random bits.
pub type SecretHash = [u8; 32];

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, purpose, owner, campaign, label, created, until, revoked FROM credentials ",
            $rest
        )
    };
}

impl Store {
    /// Keeps a credential under the hash of its secret.
    ///
    /// # Errors
    /// [`Error::Unknown`] owner or [`Error::UnknownCampaign`]; [`Error::Conflict`] if the id or the hash is in use; [`Error::BadName`] for
    /// the label, which may be empty.
    pub async fn add_credential(&self, credential: Credential, hash: SecretHash) -> Result<(), Error> {
        if !credential.label.is_empty() {
            checked_name(&credential.label)?;
        }
        let (owner, campaign) = (credential.purpose.owner(), credential.purpose.campaign());
        self.write(credential.id.0, move |db| {
            Box::pin(async move {
                if let Some(owner) = owner {
                    let known = db.row("SELECT id FROM owners WHERE id = $1", values![owner]).await?;
                    known.ok_or(Error::Unknown("owner"))?;
                }
                if let Some(campaign) = campaign {
                    let known = db.row("SELECT id FROM campaigns WHERE id = $1", values![campaign]).await?;
                    known.ok_or(Error::UnknownCampaign(campaign))?;
                }
                let sql = "INSERT INTO credentials (id, hash, purpose, owner, campaign, label, created, until, revoked)
                           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";
                let Credential { id, purpose, label, created, until, revoked } = credential;
                let word = purpose.word();
                let values = values![id, &hash[..], word, owner, campaign, label, created, until, revoked];
                if db.execute(sql, values).await? == 1 { Ok(()) } else { Err(Error::Conflict) }
            })
        })
        .await
    }

    /// What a secret opens now, by its hash; nothing if it is unknown, has ended or was revoked.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn credential(&self, hash: &SecretHash, now: Moment) -> Result<Option<Credential>, Error> {
        let sql = select!("WHERE hash = $1 AND revoked IS NULL AND (until IS NULL OR until > $2)");
        let row = self.reader().await?.row(sql, values![&hash[..], now]).await?;
        row.as_ref().map(credential).transpose()
    }

    /// All sessions and tokens of an owner, ended and revoked ones too, the newest first.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn credentials_of(&self, owner: OwnerId) -> Result<Vec<Credential>, Error> {
        let sql = select!("WHERE owner = $1 ORDER BY created DESC, id");
        self.reader().await?.rows(sql, values![owner]).await?.iter().map(credential).collect()
    }

    /// All invitations to a campaign, ended and revoked ones too, the newest first.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn invitations(&self, campaign: CampaignId) -> Result<Vec<Credential>, Error> {
        let sql = select!("WHERE campaign = $1 ORDER BY created DESC, id");
        self.reader().await?.rows(sql, values![campaign]).await?.iter().map(credential).collect()
    }

    /// Lets a credential open nothing any more. Of several who revoke it at the same time one is told `true`: a credential that is for
    /// use once is used by revoking it.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn revoke_credential(&self, id: CredentialId, now: Moment) -> Result<bool, Error> {
        self.write(id.0, move |db| {
            Box::pin(async move {
                let sql = "UPDATE credentials SET revoked = $2 WHERE id = $1 AND revoked IS NULL";
                Ok(db.execute(sql, values![id, now]).await? == 1)
            })
        })
        .await
    }

    /// Forgets all credentials that ended or were revoked before a moment; how many.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn forget_credentials(&self, before: Moment) -> Result<u64, Error> {
        self.write(uuid::Uuid::nil(), move |db| {
            Box::pin(async move {
                let sql = "DELETE FROM credentials WHERE until < $1 OR revoked < $1";
                db.execute(sql, values![before]).await
            })
        })
        .await
    }
}

fn credential(row: &Row) -> Result<Credential, Error> {
    let (owner, campaign) = (row.get::<Option<_>>(2)?.map(OwnerId), row.get::<Option<_>>(3)?.map(CampaignId));
    Ok(Credential {
        id: CredentialId(row.get(0)?),
        purpose: Purpose::read(&row.get::<String>(1)?, owner, campaign)?,
        label: row.get(4)?,
        created: Moment(row.get(5)?),
        until: row.get::<Option<i64>>(6)?.map(Moment),
        revoked: row.get::<Option<i64>>(7)?.map(Moment),
    })
}
