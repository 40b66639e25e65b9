//! `grove backup`.

use std::path::PathBuf;

use crate::context::Context;
use crate::files;

/// Back up the whole database to a new file, while other programs use it.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove backup monday.db
  grove backup monday.jsonl --database postgres://grove@db.example.org/grove

The backup of an SQLite database is a database; that of PostgreSQL is a file of JSON lines, which either kind of database can restore.")]
pub(crate) struct Backup {
    /// The file to write; it must not exist.
    file: PathBuf,
}

impl Backup {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        files::check_writable(Some(&self.file))?;
        let store = context.store().await?;
        let spinner = context.spinner("copying the database");
        store.backup(&self.file).await?;
        drop(spinner);
        context.remark(&format!("{} backed up to {}", store.place(), self.file.display()))
    }
}
