//! What every command is given: the database, opened when it is first needed, and whether to be quiet.

use std::sync::Arc;
use std::time::Duration;

use grove_campaign::operations::{Access, Caller, Workspace};
use grove_campaign::{Campaign, Edit, Follower, State, SystemClock};
use grove_formats::LookAlike;
use grove_store::Store;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use tokio::sync::OnceCell;

use crate::error::bad_input;
use crate::files;

/// The database where nothing else is named: a file in the current folder.
const DEFAULT_DATABASE: &str = "grove.db";

/// The variable that names another. It is read here and not by clap, whose help would print its value, password included.
const DATABASE_VARIABLE: &str = "GROVE_DATABASE";

/// The database is opened late so that options are checked first, and a refused command leaves no file behind.
pub(crate) struct Context {
    database: Option<String>,
    quiet: bool,
    store: OnceCell<Store>,
}

impl Context {
    pub(crate) fn new(database: Option<String>, quiet: bool) -> Self {
        Self { database, quiet, store: OnceCell::new() }
    }

    /// The database that `--database` names, if any.
    pub(crate) fn given_database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// The database to use: as given, as the environment says, or the default.
    pub(crate) fn database(&self) -> String {
        let variable = || std::env::var(DATABASE_VARIABLE).ok().filter(|name| !name.is_empty());
        self.database.clone().or_else(variable).unwrap_or_else(|| DEFAULT_DATABASE.to_owned())
    }

    /// Whether to print results and errors only.
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// The database, which must exist.
    pub(crate) async fn store(&self) -> anyhow::Result<&Store> {
        if let Some(path) = Store::path_of(&self.database())?
            && !path.exists()
        {
            return Err(bad_input(format!(
                "{}: there is no such database; `grove new` creates one, --database names another",
                path.display()
            )));
        }
        self.store_or_new().await
    }

    /// The database, created if it does not exist.
    pub(crate) async fn store_or_new(&self) -> anyhow::Result<&Store> {
        Ok(self.store.get_or_try_init(async || Store::open(&self.database()).await).await?)
    }

    /// The operations on the database, which must exist, for [`Caller::local`].
    pub(crate) async fn workspace(&self) -> anyhow::Result<Workspace> {
        Ok(Workspace::new(self.store().await?.clone(), Arc::new(SystemClock)))
    }

    /// The campaign with this name or id: the one made at the command line, or the only one.
    pub(crate) async fn find(&self, name: &str) -> anyhow::Result<grove_store::Campaign> {
        let mut found = self.store().await?.campaigns().await?;
        found.retain(|campaign| campaign.name == name || campaign.id.to_string() == name);
        found.sort_by_key(|campaign| campaign.owner.is_some());
        match &found[..] {
            [] => Err(bad_input(format!("there is no campaign {name:?}; `grove list` shows the campaigns"))),
            [first, second, ..] if first.owner.is_some() && second.owner.is_some() => Err(bad_input(
                format!("several campaigns are called {name:?}; give the id that `grove list --json` shows"),
            )),
            [first, ..] => Ok(first.clone()),
        }
    }

    /// Opens a campaign by name or id, with its belief as far as that has been computed.
    pub(crate) async fn open(&self, name: &str) -> anyhow::Result<Access> {
        let id = self.find(name).await?.id;
        let _spinner = self.spinner("reading the campaign");
        Ok(self.workspace().await?.open(Caller::local(), id).await?)
    }

    /// Opens a campaign and makes the edit that `plan` derives from its state.
    pub(crate) async fn edit(
        &self,
        name: &str,
        plan: impl FnOnce(&State) -> anyhow::Result<Edit>,
    ) -> anyhow::Result<Access> {
        let campaign = self.open(name).await?;
        let edit = plan(&*campaign.state()?)?;
        campaign.edit(edit).await?;
        Ok(campaign)
    }

    /// Reads a campaign's belief once it has taken in all votes; where another program holds the belief, as far as that one has
    /// come. Releases the belief whatever `read` returns.
    pub(crate) async fn with_belief<T>(
        &self,
        access: Access,
        read: impl FnOnce(&Follower) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let campaign = access.campaign()?;
        // Readers write nothing where there is nothing to take in.
        let follower = campaign.follower().await?;
        if !follower.is_behind() {
            return read(&follower);
        }
        drop(follower);
        let spinner = self.spinner("updating the belief");
        let advanced = campaign.advance().await;
        drop(spinner);
        let follower = campaign.follower().await?;
        if follower.is_behind() && !self.quiet {
            eprintln!("another program is updating the belief; this is how far it has come");
        }
        let result = advanced.map_err(Into::into).and_then(|_| read(&follower));
        drop(follower);
        release(campaign.clone()).await;
        result
    }

    /// Prints what was done, unless told to be quiet.
    pub(crate) fn remark(&self, text: &str) -> anyhow::Result<()> {
        if self.quiet { Ok(()) } else { files::print(&format!("{text}\n")) }
    }

    /// Points out names that are easily taken for each other, on standard error, unless told to be quiet.
    pub(crate) fn warn_of(&self, look_alikes: &[LookAlike]) {
        const MOST: usize = 10;
        if self.quiet {
            return;
        }
        for pair in look_alikes.iter().take(MOST) {
            eprintln!("warning: {pair}; rename one with `grove rename`, or merge them with `grove merge`");
        }
        if look_alikes.len() > MOST {
            eprintln!("warning: and {} more names that look like others", look_alikes.len() - MOST);
        }
    }

    /// A progress bar on standard error, if that is a terminal. Dropping it clears it.
    pub(crate) fn bar(&self, steps: u64, unit: &'static str) -> ProgressBar {
        let bar = ProgressBar::new(steps).with_message(unit);
        self.progress(bar, "{bar:40} {human_pos} of {human_len} {msg}, {eta} left")
    }

    /// A spinner for work whose steps cannot be counted. Dropping it clears it.
    pub(crate) fn spinner(&self, work: &'static str) -> ProgressBar {
        let spinner =
            self.progress(ProgressBar::new_spinner().with_message(work), "{spinner} {msg}, {elapsed}");
        spinner.enable_steady_tick(Duration::from_millis(200));
        spinner
    }

    fn progress(&self, bar: ProgressBar, template: &str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template(template).expect("the templates are well formed");
        bar.with_style(style).with_finish(ProgressFinish::AndClear)
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        if let Some(store) = self.store.get() {
            store.close().await;
        }
    }
}

/// Releases the belief. If that fails, nothing is lost: the claim expires by itself within seconds.
pub(crate) async fn release(campaign: Campaign) {
    let _ = campaign.close().await;
}
