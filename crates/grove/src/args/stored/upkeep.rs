use std::path::PathBuf;

/// Writes a backup of the whole database to a new file, while others go on.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove backup monday.db
  grove backup monday.jsonl --database postgres://grove@db.example.org/grove

An SQLite database is copied as such; of PostgreSQL, a file of JSON lines is made that either database takes back.")]
pub(crate) struct Backup {
    /// The file to write; it must not exist.
    pub(crate) file: PathBuf,
}

/// Restores a backup to a new SQLite file, or to a PostgreSQL database without campaigns.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove restore monday.db --database tuesday.db
  grove restore monday.jsonl --database postgres://grove@db.example.org/grove")]
pub(crate) struct Restore {
    /// The backup.
    pub(crate) file: PathBuf,
}

/// Examines the database: its own integrity, and that everything in it says what the logs say.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove doctor
  grove doctor --database copy.db --json

Ends with 1 if something is wrong.")]
pub(crate) struct Doctor {
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}
