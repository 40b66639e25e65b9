//! Files that nobody but their owner may read: they hold names, votes and hashes of secrets.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::path::Path;

/// Creates a file that does not exist yet.
pub(crate) fn create_new(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
