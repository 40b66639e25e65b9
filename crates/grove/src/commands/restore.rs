//! `grove restore`.

use std::path::PathBuf;

use grove_store::{Error, Store};

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::count;

/// Restore a backup to a new SQLite file, or to a PostgreSQL database without campaigns.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove restore monday.db --database tuesday.db
  grove restore monday.jsonl --database postgres://grove@db.example.org/grove")]
pub(crate) struct Restore {
    /// The backup.
    file: PathBuf,
}

impl Restore {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let file = self.file.display();
        if !self.file.is_file() {
            return Err(bad_input(format!("{file}: there is no such file; name a backup")));
        }
        let path = Store::path_of(&context.database())?;
        if let Some(path) = path.as_deref().filter(|path| path.exists()) {
            let path = path.display();
            return Err(bad_input(format!("{path} exists already; name a new database with --database")));
        }
        files::check_writable(path.as_deref())?;
        let spinner = context.spinner("restoring the database");
        let restored = Store::restore(&self.file, &context.database()).await;
        drop(spinner);
        if let (Err(_), Some(path)) = (&restored, &path) {
            files::remove_database(path);
        }
        let store = restored.map_err(|error| match error {
            Error::Damaged(problem) => {
                bad_input(format!("{file}: this is not a complete backup ({problem}); give another"))
            }
            other => other.into(),
        })?;
        let campaigns = count(store.campaigns().await?.len(), "campaign");
        store.close().await;
        context.remark(&format!("{campaigns} restored to {}", store.place()))
    }
}
