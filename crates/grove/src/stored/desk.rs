//! What every command has at hand: the database, and a way to open a campaign in it.

use std::sync::Arc;

use grove_campaign::{Campaign, SystemClock};
use grove_store::{Position, Store};
use tokio::sync::OnceCell;

use crate::failure::bad_input;
use crate::{files, progress};

/// Entries of a log that are read at a time.
const PAGE: u32 = 10_000;

/// The database, opened when it is first needed: options are checked before, and a refused command leaves no file behind.
pub(super) struct Desk {
    place: String,
    quiet: bool,
    store: OnceCell<Store>,
}

impl Desk {
    pub(super) fn new(place: String, quiet: bool) -> Self {
        Self { place, quiet, store: OnceCell::new() }
    }

    /// Where the database is said to be.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Whether progress and remarks are unwelcome.
    pub(super) fn quiet(&self) -> bool {
        self.quiet
    }

    /// The database, which has to be there.
    pub(super) async fn store(&self) -> anyhow::Result<&Store> {
        if let Some(path) = Store::path_of(&self.place).map_err(refused)?
            && !path.exists()
        {
            return Err(bad_input(format!(
                "{}: there is no such database; `grove new` makes one, --database names another",
                path.display()
            )));
        }
        self.store_made().await
    }

    /// The database, which is made if it is not there.
    pub(super) async fn store_made(&self) -> anyhow::Result<&Store> {
        self.store.get_or_try_init(|| async { Store::open(&self.place).await.map_err(refused) }).await
    }

    /// The campaign of this name or id, with what is believed of it as far as that has been computed.
    pub(super) async fn open(&self, name: &str) -> anyhow::Result<Campaign> {
        let store = self.store().await?;
        let id = self.find(name).await?.id;
        let waiting = progress::spinner(self.quiet, "reading the campaign");
        let opened = Campaign::open(store, id, clock()).await;
        waiting.finish_and_clear();
        opened.map_err(refused)
    }

    /// Looks at a campaign with all votes taken into its belief; where another program has the belief, as far as that one has come.
    /// Gives the belief back, however the look ends.
    pub(super) async fn look<T>(
        &self,
        mut campaign: Campaign,
        look: impl FnOnce(&Campaign) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        // Who only looks writes nothing where there is nothing to take in.
        if !campaign.follower().is_behind() {
            return look(&campaign);
        }
        let waiting = progress::spinner(self.quiet, "taking the votes in");
        let advanced = campaign.advance().await;
        waiting.finish_and_clear();
        if campaign.follower().is_behind() && !self.quiet {
            eprintln!("another program is taking the votes in; this is as far as it has come");
        }
        let seen = advanced.map_err(refused).and_then(|_| look(&campaign));
        put_down(campaign).await;
        seen
    }

    /// The campaign made at the command line, or the only one of this name, or the one with this id.
    pub(super) async fn find(&self, name: &str) -> anyhow::Result<grove_store::Campaign> {
        let store = self.store().await?;
        let mut found: Vec<grove_store::Campaign> = store.campaigns().await.map_err(refused)?;
        found.retain(|campaign| campaign.name == name || campaign.id.to_string() == name);
        found.sort_by_key(|campaign| campaign.owner.is_some());
        match &found[..] {
            [] => Err(bad_input(format!(
                "there is no campaign {name:?}; `grove list` shows those that are there"
            ))),
            [first, second, ..] if first.owner.is_some() && second.owner.is_some() => Err(bad_input(
                format!("several campaigns are called {name:?}; give the id that `grove list --json` shows"),
            )),
            [first, ..] => Ok(first.clone()),
        }
    }

    /// A campaign's whole log.
    pub(super) async fn log(
        &self,
        campaign: grove_store::CampaignId,
    ) -> anyhow::Result<Vec<grove_store::Entry>> {
        let store = self.store().await?;
        let mut entries: Vec<grove_store::Entry> = Vec::new();
        loop {
            let after = entries.last().map_or(Position::START, |entry| entry.position);
            let page = store.log(campaign, after, PAGE).await.map_err(refused)?;
            if page.is_empty() {
                return Ok(entries);
            }
            entries.extend(page);
        }
    }

    /// Says what was done, unless that is unwelcome.
    pub(super) fn remark(&self, text: &str) -> anyhow::Result<()> {
        if self.quiet { Ok(()) } else { files::print(&format!("{text}\n")) }
    }

    /// Ends all connections.
    pub(super) async fn close(&self) {
        if let Some(store) = self.store.get() {
            store.close().await;
        }
    }
}

/// The machine's clock.
pub(super) fn clock() -> Arc<SystemClock> {
    Arc::new(SystemClock)
}

/// Gives the belief back and says nothing should that fail: it ends by itself soon.
pub(super) async fn put_down(campaign: Campaign) {
    let _ = campaign.close().await;
}

/// An error with its code: what the person can correct is bad input, what the machine does is a failure.
pub(crate) fn refused(error: impl Into<grove_campaign::Error>) -> anyhow::Error {
    use grove_store::Error as Stored;
    let error = error.into();
    match &error {
        grove_campaign::Error::Store(
            Stored::Busy
            | Stored::DiskFull
            | Stored::Unreachable(_)
            | Stored::Closed
            | Stored::Database(_)
            | Stored::Damaged(_)
            | Stored::NotTheHolder
            | Stored::BadAdvance { .. },
        )
        | grove_campaign::Error::Gone => error.into(),
        _ => bad_input(error),
    }
}
