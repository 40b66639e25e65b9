//! Files in and out. A file is written whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use grove_formats::{Hierarchy, Source, read_hierarchy};

use crate::failure::bad_input;

/// Reads a file as text.
pub(crate) fn read(path: &Path) -> anyhow::Result<Source> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| bad_input(format!("{name}: {}", why_unreadable(&error))))?;
    Source::new(name, &bytes).map_err(bad_input)
}

fn why_unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; correct the name".to_owned(),
        io::ErrorKind::IsADirectory => "this is a folder; name a file in it".to_owned(),
        io::ErrorKind::PermissionDenied => "the file may not be read; change its permissions".to_owned(),
        _ => format!("the file cannot be read ({error}); choose another"),
    }
}

/// Reads a file that holds a hierarchy.
pub(crate) fn read_tree(path: &Path) -> anyhow::Result<Hierarchy> {
    read_hierarchy(&read(path)?).map_err(bad_input)
}

/// Refuses a file that could not be written, before any work is done for it.
pub(crate) fn check_writable(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    if path.is_dir() {
        return Err(bad_input(format!("{name}: this is a folder; name a file in it")));
    }
    if path.file_name().is_none() {
        return Err(bad_input(format!("{name}: this is no file name; name a file to write")));
    }
    if !folder_of(path).is_dir() {
        return Err(bad_input(format!("{name}: there is no such folder; make it first")));
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Writes a text to a file, or to standard output without one.
pub(crate) fn write(out: Option<&Path>, text: &str) -> anyhow::Result<()> {
    match out {
        Some(path) => replace(path, text).with_context(|| format!("{}: cannot be written", path.display())),
        None => print(text),
    }
}

/// Writes beside the file and renames, so that whoever reads it finds the old text or the new one. Links are followed, permissions kept; what is no file, such
/// as a pipe or a device, is written into.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let there = fs::metadata(path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes());
    }
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = beside(path);
    let written = fs::File::create_new(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| there.map_or(Ok(()), |there| fs::set_permissions(&beside, there.permissions())))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell; a file that is not there needs no removing.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    folder_of(path).join(format!(".{name}.{}", std::process::id()))
}

/// Prints a text. Unlike `print!`, does not panic when nobody reads on.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
