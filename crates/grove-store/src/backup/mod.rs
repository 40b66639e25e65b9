//! Backups: a copy of the SQLite file, or a dump as lines of JSON.

mod dump;
mod load;

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::sql::{Connection, values};
use crate::{Error, Result, Store, private};

impl Store {
    /// Writes a backup to a new file, from a consistent snapshot, while others continue: an SQLite file from SQLite, a
    /// [dump](Store::dump) from PostgreSQL. The file appears when it is complete and on disk.
    ///
    /// # Errors
    /// [`Error::File`] if the file exists or cannot be written.
    pub async fn backup(&self, to: &Path) -> Result<()> {
        let mut db = self.reader().await?;
        if let Connection::Postgres(_) = db {
            drop(db);
            return self.dump(to).await;
        }
        let new_file = NewFile::new(to)?;
        // SQLite also writes to an empty file, and would make one that everybody may read.
        new_file.create()?;
        // Readers cannot write, not even to another file; this connection is not used again.
        db.batch("PRAGMA query_only = OFF").await?;
        let copied = db.execute("VACUUM INTO $1", values![new_file.unfinished.display().to_string()]).await;
        db.discard();
        copied?;
        new_file.finish()
    }

    /// Restores a backup or a dump to a new place, and opens it. A dump can be restored to either database, whichever it came from.
    ///
    /// # Errors
    /// [`Error::File`] if the backup cannot be read, or the SQLite file exists; [`Error::StillNeeded`] if the database is not
    /// empty; [`Error::Damaged`] if the backup is incomplete or inconsistent.
    pub async fn restore(from: &Path, place: &str) -> Result<Self> {
        if is_sqlite(from)? {
            let Some(path) = Self::path_of(place)? else {
                return Err(Error::file(
                    from,
                    "is an SQLite file; make a dump of it to restore it to PostgreSQL",
                ));
            };
            let new_file = NewFile::new(&path)?;
            // Not fs::copy, which would copy the permissions too.
            let mut source = File::open(from).map_err(|error| Error::file(from, error))?;
            std::io::copy(&mut source, &mut new_file.create()?).map_err(|error| Error::file(from, error))?;
            new_file.finish()?;
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

/// SQLite files begin with these bytes.
fn is_sqlite(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(|error| Error::file(path, error))?;
    file.take(16).read_to_end(&mut start).map_err(|error| Error::file(path, error))?;
    Ok(start == b"SQLite format 3\0")
}

/// A file that gets its name only when it is complete and on disk.
struct NewFile {
    path: PathBuf,
    unfinished: PathBuf,
}

impl NewFile {
    fn new(path: &Path) -> Result<Self> {
        let unfinished = path.with_added_extension("unfinished");
        for file in [path, &unfinished] {
            if file.exists() {
                return Err(Error::file(file, "exists already; move it away or choose another name"));
            }
        }
        Ok(Self { path: path.to_owned(), unfinished })
    }

    /// Creates the file, for its owner alone.
    fn create(&self) -> Result<File> {
        private::create_new(&self.unfinished).map_err(|error| Error::file(&self.path, error))
    }

    fn finish(self) -> Result<()> {
        let sync = |path: &Path| File::open(path).and_then(|file| file.sync_all());
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync(&self.unfinished)
            .and_then(|()| fs::rename(&self.unfinished, &self.path))
            .and_then(|()| sync(folder.unwrap_or(Path::new("."))))
            .map_err(|error| Error::file(&self.path, error))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // If it was finished, it is gone already.
        let _ = fs::remove_file(&self.unfinished);
    }
}
