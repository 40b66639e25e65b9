use std::collections::HashMap;
use std::sync::Arc;

use grove_store::{
    CampaignId, Credential, CredentialId, Finding, Moment, Owner, OwnerId, Position, Purpose, SecretHash,
    Store,
};
use tokio::sync::{Mutex, OnceCell};
use uuid::Uuid;

use super::replays::Replays;
use super::{Access, Caller, Operation, Role};
use crate::{Campaign, CampaignOptions, Clock, Error, Follower, NewConcept, Settings, read_log};

/// A database with its accounts and campaigns, and the campaigns that run in this program; cheap to clone.
#[derive(Clone)]
pub struct Workspace {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) store: Store,
    clock: Arc<dyn Clock>,
    /// A campaign that is being started delays only those who want the same one.
    running: Mutex<HashMap<CampaignId, Arc<OnceCell<Campaign>>>>,
    pub(super) replays: Replays,
}

impl Workspace {
    /// The workspace of a database.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        let (running, replays) = (Mutex::default(), Replays::default());
        Self { shared: Arc::new(Shared { store, clock, running, replays }) }
    }

    /// The database.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// The time by the workspace's clock.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.shared.clock.now()
    }

    /// A campaign that runs in this program, started if it does not run yet.
    ///
    /// # Errors
    /// [`grove_store::Error::UnknownCampaign`], also for the campaigns of other accounts.
    pub async fn campaign(&self, caller: Caller, id: CampaignId) -> Result<Access, Error> {
        self.admit(&caller, id).await?;
        Ok(Access { workspace: self.clone(), campaign: self.started(id).await?, caller })
    }

    /// A campaign that does nothing in the background: the caller moves its belief.
    ///
    /// # Errors
    /// As [`Workspace::campaign`].
    pub async fn open(&self, caller: Caller, id: CampaignId) -> Result<Access, Error> {
        self.admit(&caller, id).await?;
        let campaign = Campaign::open(self.store(), id, self.shared.clock.clone()).await?;
        Ok(Access { workspace: self.clone(), campaign, caller })
    }

    /// Hides the campaigns of other accounts.
    async fn admit(&self, caller: &Caller, id: CampaignId) -> Result<(), Error> {
        match caller.role {
            Role::Worker | Role::Administrator => Ok(()),
            _ if self.store().campaign(id).await?.owner == caller.owner() => Ok(()),
            _ => Err(grove_store::Error::UnknownCampaign(id).into()),
        }
    }

    async fn started(&self, id: CampaignId) -> Result<Campaign, Error> {
        let cell = self.shared.running.lock().await.entry(id).or_default().clone();
        let options = CampaignOptions { clock: self.shared.clock.clone(), ..CampaignOptions::default() };
        Ok(cell.get_or_try_init(|| Campaign::start(self.store(), id, options)).await?.clone())
    }

    /// Starts all campaigns, so that none waits for its first visitor. Returns those that did not start, and why.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn start_all(&self) -> Result<Vec<(CampaignId, Error)>, Error> {
        let mut failed = Vec::new();
        for campaign in self.store().campaigns().await? {
            if let Err(error) = self.started(campaign.id).await {
                failed.push((campaign.id, error));
            }
        }
        Ok(failed)
    }

    /// Closes a running campaign.
    ///
    /// # Errors
    /// As [`Campaign::close`].
    async fn stop(&self, id: CampaignId) -> Result<(), Error> {
        match self.forget(id).await {
            Some(campaign) => campaign.close().await,
            None => Ok(()),
        }
    }

    /// Forgets a campaign, and returns it if it was running.
    pub(super) async fn forget(&self, id: CampaignId) -> Option<Campaign> {
        self.shared.replays.forget(id);
        self.shared.running.lock().await.remove(&id)?.get().cloned()
    }

    /// Closes all running campaigns. Returns those whose belief was not stored, and why.
    pub async fn stop_all(&self) -> Vec<(CampaignId, Error)> {
        let all: Vec<CampaignId> = self.shared.running.lock().await.keys().copied().collect();
        let mut failed = Vec::new();
        for id in all {
            failed.extend(self.stop(id).await.err().map(|error| (id, error)));
        }
        failed
    }

    /// The campaigns that run in this program.
    pub async fn running(&self) -> Vec<Campaign> {
        self.shared.running.lock().await.values().filter_map(|cell| cell.get().cloned()).collect()
    }

    /// Creates a campaign. Its title is its name, if the settings have none.
    ///
    /// # Errors
    /// As [`Campaign::create`].
    pub async fn create_campaign(
        &self,
        caller: &Caller,
        name: &str,
        mut settings: Settings,
        concepts: &[NewConcept],
    ) -> Result<CampaignId, Error> {
        caller.require(Operation::CreateCampaign)?;
        if settings.title.is_empty() {
            name.clone_into(&mut settings.title);
        }
        let (owner, clock) = (caller.owner(), self.shared.clock.clone());
        Ok(Campaign::create(self.store(), owner, name, &settings, concepts, clock).await?.id())
    }

    /// The caller's campaigns; all of them for an administrator.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn campaigns(&self, caller: &Caller) -> Result<Vec<grove_store::Campaign>, Error> {
        caller.require(Operation::CreateCampaign)?;
        match caller.owner() {
            Some(owner) => Ok(self.store().campaigns_of(owner).await?),
            None => Ok(self.store().campaigns().await?),
        }
    }

    /// Makes a campaign another account's.
    ///
    /// # Errors
    /// [`grove_store::Error::NameTaken`] if that account has a campaign of this name.
    pub async fn give_campaign(&self, caller: &Caller, id: CampaignId, to: OwnerId) -> Result<(), Error> {
        caller.require(Operation::Administrate)?;
        Ok(self.store().give_campaign(id, to).await?)
    }

    /// Creates an account. The first one gets all campaigns that were created at the command line.
    ///
    /// # Errors
    /// [`grove_store::Error::NameTaken`], [`grove_store::Error::BadName`].
    pub async fn create_account(
        &self,
        caller: &Caller,
        name: &str,
        password_hash: String,
    ) -> Result<OwnerId, Error> {
        caller.require(Operation::Administrate)?;
        let is_first = self.store().owners().await?.is_empty();
        let id = self.add_owner(name, password_hash).await?;
        if is_first {
            self.adopt(id).await?;
        }
        Ok(id)
    }

    /// Creates the first account for whoever followed the setup link. None if somebody else was faster.
    ///
    /// # Errors
    /// As [`Workspace::create_account`].
    pub async fn create_first_account(
        &self,
        setup: CredentialId,
        name: &str,
        password_hash: String,
    ) -> Result<Option<OwnerId>, Error> {
        let id = self.add_owner(name, password_hash).await?;
        // Of several who follow the link at the same time, one revokes it.
        if !self.store().revoke_credential(setup, self.now()).await? {
            self.store().delete_owner(id).await?;
            return Ok(None);
        }
        self.adopt(id).await?;
        Ok(Some(id))
    }

    async fn add_owner(&self, name: &str, password_hash: String) -> Result<OwnerId, Error> {
        let id = OwnerId(Uuid::now_v7());
        let owner = Owner { id, name: name.to_owned(), password_hash, created: self.now() };
        self.store().add_owner(owner).await?;
        Ok(id)
    }

    /// Gives an account all campaigns that have no owner.
    async fn adopt(&self, owner: OwnerId) -> Result<(), Error> {
        for campaign in self.store().campaigns().await?.iter().filter(|campaign| campaign.owner.is_none()) {
            self.store().give_campaign(campaign.id, owner).await?;
        }
        Ok(())
    }

    /// All accounts.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn accounts(&self, caller: &Caller) -> Result<Vec<Owner>, Error> {
        caller.require(Operation::Administrate)?;
        Ok(self.store().owners().await?)
    }

    /// Changes the password of an account, which ends its sessions.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] account.
    pub async fn set_password(&self, caller: &Caller, account: OwnerId, hash: &str) -> Result<(), Error> {
        let is_own = caller.owner() == Some(account);
        caller.require(if is_own { Operation::ManageOwnAccount } else { Operation::Administrate })?;
        Ok(self.store().set_password(account, hash, self.now()).await?)
    }

    /// Forgets the failed logins of an account, after which its owner may try again from anywhere.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn unlock_account(&self, caller: &Caller, account: OwnerId) -> Result<(), Error> {
        caller.require(Operation::Administrate)?;
        Ok(self.store().unlock(account).await?)
    }

    /// Deletes an account.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn delete_account(&self, caller: &Caller, account: OwnerId) -> Result<(), Error> {
        caller.require(Operation::Administrate)?;
        Ok(self.store().delete_owner(account).await?)
    }

    /// The API tokens of the caller's account, without their secrets.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers without an account.
    pub async fn tokens(&self, caller: &Caller) -> Result<Vec<Credential>, Error> {
        let mut all = self.store().credentials_of(own_account(caller)?).await?;
        all.retain(|credential| matches!(credential.purpose, Purpose::Token(_)));
        Ok(all)
    }

    /// Adds an API token to the caller's account, known by the hash of its secret.
    ///
    /// # Errors
    /// As [`Workspace::tokens`].
    pub async fn create_token(
        &self,
        caller: &Caller,
        label: String,
        hash: SecretHash,
    ) -> Result<CredentialId, Error> {
        self.add_credential(Purpose::Token(own_account(caller)?), label, hash).await
    }

    /// Revokes an API token of the caller's account.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] token.
    pub async fn revoke_token(&self, caller: &Caller, id: CredentialId) -> Result<(), Error> {
        self.revoke(self.tokens(caller).await?, id, "token").await
    }

    pub(super) async fn add_credential(
        &self,
        purpose: Purpose,
        label: String,
        hash: SecretHash,
    ) -> Result<CredentialId, Error> {
        let id = CredentialId(Uuid::now_v7());
        let credential = Credential { id, purpose, label, created: self.now(), until: None, revoked: None };
        self.store().add_credential(credential, hash).await?;
        Ok(id)
    }

    /// Revokes one of these credentials.
    pub(super) async fn revoke(
        &self,
        among: Vec<Credential>,
        id: CredentialId,
        what: &'static str,
    ) -> Result<(), Error> {
        if !among.iter().any(|credential| credential.id == id && credential.revoked.is_none()) {
            return Err(grove_store::Error::Unknown(what).into());
        }
        self.store().revoke_credential(id, self.now()).await?;
        Ok(())
    }

    /// Examines the whole database, and replays every belief to see whether its records can be reproduced.
    ///
    /// # Errors
    /// Only where the database cannot be read at all; what is wrong in it is a finding.
    pub async fn examine(&self, caller: &Caller) -> Result<Vec<Finding>, Error> {
        caller.require(Operation::Administrate)?;
        let mut findings = self.store().doctor().await?;
        let damaged: Vec<_> = findings.iter().filter_map(|finding| finding.campaign).collect();
        for campaign in self.store().campaigns().await? {
            if damaged.contains(&campaign.id) {
                continue;
            }
            let log = read_log(self.store(), campaign.id, Position::START).await?;
            let replay = tokio::task::spawn_blocking(move || Follower::replay(&log));
            let problem = match replay.await.map_err(|_| Error::Gone).flatten() {
                Ok(follower) => follower.astray().map(|position| {
                    format!("replaying the log does not give the belief recorded at entry {position}")
                }),
                Err(error) => Some(format!("the log cannot be replayed: {error}")),
            };
            findings.extend(problem.map(|problem| Finding { campaign: Some(campaign.id), problem }));
        }
        Ok(findings)
    }
}

fn own_account(caller: &Caller) -> Result<OwnerId, Error> {
    caller.require(Operation::ManageOwnAccount)?;
    caller.owner().ok_or_else(|| caller.forbidden(Operation::ManageOwnAccount))
}
