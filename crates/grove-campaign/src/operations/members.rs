//! Sharing a campaign with other accounts, and handing it over.

use grove_store::{Member, MemberRole, Moment, OwnerId};

use super::{Access, Operation};
use crate::Error;

/// An account with which a campaign is shared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberName {
    /// The account.
    pub account: OwnerId,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: MemberRole,
    /// Since when the campaign is shared with it.
    pub since: Moment,
}

impl Access {
    /// The accounts with which the campaign is shared, in the order in which that began.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn members(&self) -> Result<Vec<MemberName>, Error> {
        self.caller.require(Operation::Share)?;
        let store = self.workspace.store();
        let mut members = Vec::new();
        for Member { owner, role, since, .. } in store.members(self.campaign.id()).await? {
            if let Some(account) = store.owner(owner).await? {
                members.push(MemberName { account: owner, name: account.name, role, since });
            }
        }
        Ok(members)
    }

    /// Shares the campaign with the account of a name, or changes its role.
    ///
    /// # Errors
    /// [`Error::NoSuchAccount`]; [`grove_store::Error::StillNeeded`] for the owner's own account.
    pub async fn set_member(&self, name: &str, role: MemberRole) -> Result<(), Error> {
        self.caller.require(Operation::Share)?;
        let (campaign, owner) = (self.campaign.id(), self.account_named(name).await?);
        let member = Member { campaign, owner, role, since: self.workspace.now() };
        Ok(self.workspace.store().set_member(member).await?)
    }

    /// Ends the sharing with an account.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] member.
    pub async fn remove_member(&self, account: OwnerId) -> Result<(), Error> {
        self.caller.require(Operation::Share)?;
        let is_gone = self.workspace.store().remove_member(self.campaign.id(), account).await?;
        if is_gone { Ok(()) } else { Err(grove_store::Error::Unknown("member").into()) }
    }

    /// Hands the campaign over to the account with this name. The former owner stays as an editor.
    ///
    /// # Errors
    /// [`Error::NoSuchAccount`]; [`grove_store::Error::NameTaken`] if that account has a campaign of this name.
    pub async fn hand_over(&self, name: &str) -> Result<(), Error> {
        self.caller.require(Operation::Share)?;
        let (to, former) = (self.account_named(name).await?, (MemberRole::Editor, self.workspace.now()));
        Ok(self.workspace.store().hand_over(self.campaign.id(), to, Some(former)).await?)
    }

    async fn account_named(&self, name: &str) -> Result<OwnerId, Error> {
        let name = name.trim();
        let unknown = || Error::NoSuchAccount(name.to_owned());
        match self.workspace.store().owner_named(name).await {
            Ok(found) => found.map(|owner| owner.id).ok_or_else(unknown),
            Err(grove_store::Error::BadName) => Err(unknown()),
            Err(error) => Err(error.into()),
        }
    }
}
