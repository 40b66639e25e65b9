use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use grove_crowd::Crowds;
use grove_store::{
    AuditEntry, CampaignId, Credential, CredentialId, Finding, Moment, Owner, OwnerId, PanelId, Position,
    Purpose, SecretHash, Store,
};
use tokio::sync::{Mutex, OnceCell, OwnedMutexGuard, Semaphore};
use tokio::task::{JoinHandle, JoinSet};
use uuid::Uuid;

use super::models::ModelRuns;
use super::recruit::{KnownKeys, RecentQuote};
use super::replays::Replays;
use super::{Access, Caller, Operation, Role};
use crate::peers::BEAT;
use crate::{
    Campaign, CampaignOptions, Clock, Error, Follower, NewConcept, Peers, Settings, SystemClock, read_log,
};

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
    /// The servers that share the database, if this program is one of them.
    peers: Option<Arc<Peers>>,
    /// How many campaigns are opened at the same time without anybody waiting for them.
    opening: Semaphore,
    /// The panels and models that the operator has set up.
    crowds: OnceLock<Crowds>,
    /// The models that are asked in the background.
    pub(super) model_runs: ModelRuns,
    /// What studies cost, as services said last.
    pub(super) quotes: Mutex<HashMap<PanelId, RecentQuote>>,
    /// The keys with which services sign links, by the operator's name for them.
    pub(super) launch_keys: Mutex<HashMap<String, KnownKeys>>,
    /// Held while money of a study is committed: two that look at what is left of the budget at the same time would both spend it.
    spending: Mutex<HashMap<PanelId, Arc<Mutex<()>>>>,
}

/// How many campaigns may be opened at a time in advance: each reads its whole log.
const OPENING: usize = 3;
/// How often the log of a campaign is polled where other servers announce what they write.
const POLL: Duration = Duration::from_secs(2);
/// After how many heartbeats a server looks for campaigns that are new or gone.
const LOOK: u64 = 5;

impl Workspace {
    /// The workspace of a database.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self::with(store, clock, None)
    }

    /// The same with the panels and models that the operator has set up. Only the first call counts.
    #[must_use]
    pub fn with_crowds(self, crowds: Crowds) -> Self {
        // A second call has no effect: the first value is in use.
        let _ = self.shared.crowds.set(crowds);
        self
    }

    /// The panels and models that the operator has set up.
    #[must_use]
    pub fn crowds(&self) -> &Crowds {
        self.shared.crowds.get_or_init(Crowds::default)
    }

    /// Waits until nobody else in this program commits money of a study.
    pub(super) async fn spend(&self, panel: PanelId) -> OwnedMutexGuard<()> {
        let lock = self.shared.spending.lock().await.entry(panel).or_default().clone();
        lock.lock_owned().await
    }

    /// The workspace of a server, known to people by a name. Where several servers can share the database, the clock
    /// is the database's, and the server runs the beliefs assigned to it once it takes part
    /// ([`Workspace::take_part`]).
    #[must_use]
    pub fn of_server(store: Store, name: String) -> Self {
        if !store.is_shared() {
            return Self::new(store, Arc::new(SystemClock));
        }
        let peers = Peers::new(store.clone(), name);
        Self::with(store, peers.clone(), Some(peers))
    }

    fn with(store: Store, clock: Arc<dyn Clock>, peers: Option<Arc<Peers>>) -> Self {
        let (running, replays, opening) = (Mutex::default(), Replays::default(), Semaphore::new(OPENING));
        let (crowds, model_runs, quotes) = (OnceLock::new(), ModelRuns::default(), Mutex::default());
        let (launch_keys, spending) = (Mutex::default(), Mutex::default());
        let shared = Shared {
            store,
            clock,
            running,
            replays,
            peers,
            opening,
            crowds,
            model_runs,
            quotes,
            launch_keys,
            spending,
        };
        Self { shared: Arc::new(shared) }
    }

    /// The servers that share the database, if this is one of them.
    #[must_use]
    pub fn peers(&self) -> Option<&Peers> {
        self.shared.peers.as_deref()
    }

    /// Announces regularly that this server is alive, and opens the campaigns whose beliefs are assigned to it.
    /// Returns when the server has left, and at once where no other server can share the database.
    pub async fn take_part(&self) {
        let Some(peers) = &self.shared.peers else { return };
        let (mut changes, mut failures) = (peers.watch(), 0_u64);
        let mut opening: Option<JoinHandle<()>> = None;
        for beat in 0.. {
            match peers.beat().await {
                Ok(()) if failures > 0 => {
                    tracing::info!(failures, "heartbeats reach the database again");
                    failures = 0;
                }
                Ok(()) => {}
                Err(error) => {
                    if failures == 0 {
                        tracing::error!(%error, "heartbeats do not reach the database; other servers take over the beliefs of this one");
                    }
                    failures += 1;
                }
            }
            let is_time = changes.has_changed().unwrap_or(false) || beat % LOOK == 0;
            if is_time && opening.as_ref().is_none_or(JoinHandle::is_finished) {
                changes.mark_unchanged();
                let workspace = self.clone();
                opening = Some(tokio::spawn(async move { workspace.open_own().await }));
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Opens the campaigns whose beliefs are assigned to this server, and forgets those that another one has deleted.
    async fn open_own(&self) {
        let (all, running) = match self.store().campaigns().await {
            Ok(all) => (all, self.running().await),
            // The next look may succeed.
            Err(_) => return,
        };
        for gone in running.iter().filter(|one| all.iter().all(|campaign| campaign.id != one.id())) {
            if let Some(campaign) = self.forget(gone.id()).await {
                campaign.abandon();
            }
        }
        for (campaign, error) in self.start_some(all).await {
            tracing::error!(%campaign, %error, "a campaign cannot be started");
        }
    }

    /// Leaves the other servers, which take over at once.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn leave(&self) -> Result<(), Error> {
        match &self.shared.peers {
            Some(peers) => peers.leave().await,
            None => Ok(()),
        }
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

    /// A campaign that runs in this program, started if it does not run yet. An account gets the role that it has in it.
    ///
    /// # Errors
    /// [`grove_store::Error::UnknownCampaign`], also for the campaigns of other accounts that are not shared with this one.
    pub async fn campaign(&self, caller: Caller, id: CampaignId) -> Result<Access, Error> {
        let caller = self.admit(caller, id).await?;
        Ok(Access { workspace: self.clone(), campaign: self.started(id).await?, caller })
    }

    /// The campaign of a read-only link, by the hash of its secret, as a viewer sees it; none if there is no such link any more.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn shared_campaign(&self, hash: &SecretHash) -> Result<Option<(CampaignId, Access)>, Error> {
        let credential = self.store().credential(hash, self.now()).await?;
        let Some(Purpose::View(id)) = credential.map(|credential| credential.purpose) else {
            return Ok(None);
        };
        let campaign = self.started(id).await?;
        Ok(Some((id, Access { workspace: self.clone(), campaign, caller: Caller::guest() })))
    }

    /// A campaign that does nothing in the background: the caller moves its belief.
    ///
    /// # Errors
    /// As [`Workspace::campaign`].
    pub async fn open(&self, caller: Caller, id: CampaignId) -> Result<Access, Error> {
        let caller = self.admit(caller, id).await?;
        let campaign = Campaign::open(self.store(), id, self.shared.clock.clone()).await?;
        Ok(Access { workspace: self.clone(), campaign, caller })
    }

    /// Hides the campaigns of other accounts, and gives an account its role in those that are shared with it.
    async fn admit(&self, caller: Caller, id: CampaignId) -> Result<Caller, Error> {
        let unknown = || Error::from(grove_store::Error::UnknownCampaign(id));
        if matches!(caller.role, Role::Worker | Role::Administrator) {
            return Ok(caller);
        }
        let (campaign, account) = (self.store().campaign(id).await?, caller.owner().ok_or_else(unknown)?);
        if campaign.owner == Some(account) {
            return Ok(caller);
        }
        let member = self.store().member(id, account).await?.ok_or_else(unknown)?;
        Ok(Caller { role: member.role.into(), ..caller })
    }

    async fn started(&self, id: CampaignId) -> Result<Campaign, Error> {
        let cell = self.shared.running.lock().await.entry(id).or_default().clone();
        if let Some(campaign) = cell.get() {
            return Ok(campaign.clone());
        }
        let (store, peers) = (self.store().clone(), self.shared.peers.clone());
        let usual = CampaignOptions { clock: self.shared.clock.clone(), ..CampaignOptions::default() };
        let options = match peers {
            None => usual,
            Some(peers) => {
                CampaignOptions { name: peers.name().to_owned(), peers: Some(peers), poll: POLL, ..usual }
            }
        };
        // On a task of its own: a caller that gives up waiting must not cancel it for the others.
        let starting = tokio::spawn(async move {
            let start = || Campaign::start(&store, id, options);
            cell.get_or_try_init(start).await.cloned()
        });
        starting.await.map_err(|_| Error::Gone)?
    }

    /// Starts all campaigns, or those whose beliefs are assigned to this server, so that the first visitor does not
    /// have to wait. Returns those that did not start, and why.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn start_all(&self) -> Result<Vec<(CampaignId, Error)>, Error> {
        if let Some(peers) = &self.shared.peers {
            peers.beat().await?;
        }
        let all = self.store().campaigns().await?;
        Ok(self.start_some(all).await)
    }

    async fn start_some(&self, campaigns: Vec<grove_store::Campaign>) -> Vec<(CampaignId, Error)> {
        let is_mine = |id| self.shared.peers.as_ref().is_none_or(|peers| peers.is_mine(id));
        let mut starting = JoinSet::new();
        for campaign in campaigns.into_iter().filter(|campaign| is_mine(campaign.id)) {
            let workspace = self.clone();
            starting.spawn(async move {
                let _turn = workspace.shared.opening.acquire().await;
                let started = workspace.started(campaign.id).await;
                started.err().map(|error| (campaign.id, error))
            });
        }
        starting.join_all().await.into_iter().flatten().collect()
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
        self.shared.model_runs.stop_all();
        let all: Vec<CampaignId> = self.shared.running.lock().await.keys().copied().collect();
        let mut stopping = JoinSet::new();
        for id in all {
            let workspace = self.clone();
            stopping.spawn(async move { workspace.stop(id).await.err().map(|error| (id, error)) });
        }
        stopping.join_all().await.into_iter().flatten().collect()
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

    /// The caller's campaigns and those that are shared with them, with their role, the oldest first; all of them for an administrator.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn campaigns(&self, caller: &Caller) -> Result<Vec<(grove_store::Campaign, Role)>, Error> {
        caller.require(Operation::CreateCampaign)?;
        let Some(account) = caller.owner() else {
            return Ok(self.store().campaigns().await?.into_iter().map(|one| (one, caller.role)).collect());
        };
        let own = self.store().campaigns_of(account).await?.into_iter().map(|one| (one, Role::Owner));
        let shared = self.store().campaigns_shared_with(account).await?.into_iter();
        let mut all: Vec<_> = own.chain(shared.map(|(one, role)| (one, role.into()))).collect();
        all.sort_by_key(|(one, _)| (one.created, one.id));
        Ok(all)
    }

    /// Gives a campaign to another account.
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
    /// Errors from the store.
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
    /// Errors from the store.
    pub async fn unlock_account(&self, caller: &Caller, account: OwnerId) -> Result<(), Error> {
        caller.require(Operation::Administrate)?;
        Ok(self.store().unlock(account).await?)
    }

    /// Deletes an account.
    ///
    /// # Errors
    /// Errors from the store.
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

    /// The sessions of the caller's account that have not ended.
    ///
    /// # Errors
    /// As [`Workspace::tokens`].
    pub async fn sessions(&self, caller: &Caller) -> Result<Vec<Credential>, Error> {
        self.sessions_of(own_account(caller)?).await
    }

    async fn sessions_of(&self, account: OwnerId) -> Result<Vec<Credential>, Error> {
        let (mut all, now) = (self.store().credentials_of(account).await?, self.now());
        all.retain(|credential| {
            let is_over = credential.revoked.is_some() || credential.until.is_some_and(|until| until <= now);
            matches!(credential.purpose, Purpose::Session(_)) && !is_over
        });
        Ok(all)
    }

    /// Ends a session of the caller's account.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] session.
    pub async fn end_session(&self, caller: &Caller, id: CredentialId) -> Result<(), Error> {
        self.revoke(self.sessions(caller).await?, id, "session").await
    }

    /// The sessions of any account that have not ended, for the operator.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for everybody else.
    pub async fn account_sessions(
        &self,
        caller: &Caller,
        account: OwnerId,
    ) -> Result<Vec<Credential>, Error> {
        caller.require(Operation::Administrate)?;
        self.sessions_of(account).await
    }

    /// Ends all sessions of any account, and returns how many there were.
    ///
    /// # Errors
    /// As [`Workspace::account_sessions`].
    pub async fn end_sessions(&self, caller: &Caller, account: OwnerId) -> Result<usize, Error> {
        let sessions = self.account_sessions(caller, account).await?;
        for session in &sessions {
            self.store().revoke_credential(session.id, self.now()).await?;
        }
        Ok(sessions.len())
    }

    /// The last entries of the audit log, about one account or all of them, the newest first.
    ///
    /// # Errors
    /// As [`Workspace::account_sessions`].
    pub async fn audit(
        &self,
        caller: &Caller,
        account: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, Error> {
        caller.require(Operation::Administrate)?;
        Ok(self.store().audit(account, limit).await?)
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
