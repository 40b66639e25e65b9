//! Accounts that may use a campaign besides its owner.

use serde::{Deserialize, Serialize};

use crate::sql::{Connection, Record, Row, values};
use crate::write_queue::transaction;
use crate::{Campaign, CampaignId, Error, Moment, OwnerId, Result, Store};

/// What an account may do in a campaign of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberRole {
    /// Work on the hierarchy.
    Editor,
    /// Look at it.
    Viewer,
}

impl MemberRole {
    fn column(self) -> &'static str {
        match self {
            Self::Editor => "editor",
            Self::Viewer => "viewer",
        }
    }

    fn from_column(text: &str) -> Result<Self> {
        match text {
            "editor" => Ok(Self::Editor),
            "viewer" => Ok(Self::Viewer),
            _ => Err(Error::damaged(format!("a member has the role {text:?}"))),
        }
    }
}

/// An account with which a campaign is shared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// The campaign.
    pub campaign: CampaignId,
    /// The account.
    pub owner: OwnerId,
    /// What it may do.
    pub role: MemberRole,
    /// Since when.
    pub since: Moment,
}

impl Store {
    /// Shares a campaign with an account, or changes its role.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::Unknown`] owner; [`Error::StillNeeded`] for the campaign's own account.
    pub async fn set_member(&self, member: Member) -> Result<()> {
        transaction!(self, member.campaign.0, |db| {
            let owner = "SELECT owner FROM campaigns WHERE id = $1";
            let found: Option<(Option<OwnerId>,)> = db.first(owner, values![member.campaign]).await?;
            let (owner,) = found.ok_or(Error::UnknownCampaign(member.campaign))?;
            if owner == Some(member.owner) {
                return Err(Error::StillNeeded("this account owns the campaign; hand it over instead"));
            }
            let sql = "SELECT id FROM owners WHERE id = $1";
            db.first::<()>(sql, values![member.owner]).await?.ok_or(Error::Unknown("owner"))?;
            insert(db, member).await
        })
    }

    /// Ends the sharing with an account. Returns whether there was any.
    pub async fn remove_member(&self, campaign: CampaignId, owner: OwnerId) -> Result<bool> {
        transaction!(self, campaign.0, |db| { remove(db, campaign, owner).await })
    }

    /// Returns what an account may do in a campaign of another, if it is shared with it.
    pub async fn member(&self, campaign: CampaignId, owner: OwnerId) -> Result<Option<Member>> {
        let one = "WHERE campaign = $1 AND owner = $2";
        self.reader().await?.select_first(one, values![campaign, owner]).await
    }

    /// Returns the accounts with which a campaign is shared, in the order in which that began.
    pub async fn members(&self, campaign: CampaignId) -> Result<Vec<Member>> {
        let of_campaign = "WHERE campaign = $1 ORDER BY since, owner";
        self.reader().await?.select(of_campaign, values![campaign]).await
    }

    /// Returns the campaigns that are shared with an account, the oldest first.
    pub async fn campaigns_shared_with(&self, owner: OwnerId) -> Result<Vec<(Campaign, MemberRole)>> {
        let mut db = self.reader().await?;
        let of_owner = "WHERE id IN (SELECT campaign FROM members WHERE owner = $1) ORDER BY created, id";
        let campaigns: Vec<Campaign> = db.select(of_owner, values![owner]).await?;
        let members: Vec<Member> = db.select("WHERE owner = $1", values![owner]).await?;
        let with_role = |campaign: Campaign| {
            let role = members.iter().find(|member| member.campaign == campaign.id)?.role;
            Some((campaign, role))
        };
        Ok(campaigns.into_iter().filter_map(with_role).collect())
    }
}

pub(crate) async fn insert(db: &mut Connection, member: Member) -> Result<()> {
    let sql = "INSERT INTO members (campaign, owner, role, since) VALUES ($1, $2, $3, $4)
               ON CONFLICT (campaign, owner) DO UPDATE SET role = excluded.role";
    let Member { campaign, owner, role, since } = member;
    db.execute(sql, values![campaign, owner, role.column(), since]).await.map(drop)
}

pub(crate) async fn remove(db: &mut Connection, campaign: CampaignId, owner: OwnerId) -> Result<bool> {
    let sql = "DELETE FROM members WHERE campaign = $1 AND owner = $2";
    Ok(db.execute(sql, values![campaign, owner]).await? == 1)
}

impl Record for Member {
    const SELECT: &str = "SELECT campaign, owner, role, since FROM members";

    fn read(row: &Row) -> Result<Self> {
        Ok(Self {
            campaign: row.get(0)?,
            owner: row.get(1)?,
            role: MemberRole::from_column(&row.get::<String>(2)?)?,
            since: row.get(3)?,
        })
    }
}
