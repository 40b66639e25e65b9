//! Backups: a copy of the SQLite file, or all that matters as lines of JSON.

mod dump;
mod load;

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::sql::{Connection, values};
use crate::{Error, Store};

impl Store {
    /// Writes a backup to a new file, as of one moment, while others go on: an SQLite file from SQLite, a [dump](Store::dump) from
    /// PostgreSQL. The file appears when it is complete and on disk.
    ///
    /// # Errors
    /// [`Error::File`] if the file exists or cannot be written.
    pub async fn backup(&self, to: &Path) -> Result<(), Error> {
        let mut db = self.reader().await?;
        if let Connection::Postgres(_) = db {
            drop(db);
            return self.dump(to).await;
        }
        let unfinished = Unfinished::new(to)?;
        // Readers may not write, not even to another file; this one is not used again.
        db.batch("PRAGMA query_only = OFF").await?;
        let copied = db.execute("VACUUM INTO $1", values![unfinished.path.display().to_string()]).await;
        db.discard();
        copied?;
        unfinished.finish()
    }

    /// Restores a backup or a dump to a place where nothing is yet, and opens it. A dump can be restored to either
    /// database, whichever it came from.
    ///
    /// # Errors
    /// [`Error::File`] if the backup cannot be read, or the SQLite file exists already; [`Error::StillNeeded`] if the database holds something
    /// already; [`Error::Damaged`] if the backup is incomplete or contradicts itself.
    pub async fn restore(from: &Path, place: &str) -> Result<Self, Error> {
        if is_sqlite(from)? {
            let Some(path) = Self::path_of(place)? else {
                return Err(Error::file(
                    from,
                    "is an SQLite file; make a dump of it to restore it to PostgreSQL",
                ));
            };
            let unfinished = Unfinished::new(&path)?;
            fs::copy(from, &unfinished.path).map_err(|error| Error::file(from, error))?;
            unfinished.finish()?;
        }
        let store = Self::open(place).await?;
        if !is_sqlite(from)? {
            store.load(from).await?;
        }
        match store.doctor().await?.into_iter().next() {
            Some(finding) => Err(Error::damaged(finding.problem)),
            None => Ok(store),
        }
    }
}

/// SQLite files begin with their name.
fn is_sqlite(path: &Path) -> Result<bool, Error> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(|error| Error::file(path, error))?;
    file.take(16).read_to_end(&mut start).map_err(|error| Error::file(path, error))?;
    Ok(start == b"SQLite format 3\0")
}

/// A file that has its name only when it is complete and on disk.
struct Unfinished {
    path: PathBuf,
    name: PathBuf,
}

impl Unfinished {
    fn new(name: &Path) -> Result<Self, Error> {
        let path = name.with_added_extension("unfinished");
        for file in [name, &path] {
            if file.exists() {
                return Err(Error::file(file, "exists already; move it away or choose another name"));
            }
        }
        Ok(Self { path, name: name.to_owned() })
    }

    fn finish(self) -> Result<(), Error> {
        let sync = |path: &Path| File::open(path).and_then(|file| file.sync_all());
        let folder = self.name.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync(&self.path)
            .and_then(|()| fs::rename(&self.path, &self.name))
            .and_then(|()| sync(folder.unwrap_or(Path::new("."))))
            .map_err(|error| Error::file(&self.name, error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Gone already if it was finished.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether nothing has been stored yet.
async fn is_new(db: &mut Connection) -> Result<bool, Error> {
    let owners = db.row("SELECT id FROM owners LIMIT 1", &[]).await?;
    let campaigns = db.row("SELECT id FROM campaigns LIMIT 1", &[]).await?;
    Ok(owners.is_none() && campaigns.is_none())
}
