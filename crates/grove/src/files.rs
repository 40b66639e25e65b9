//! Reading and writing files, and printing. A file is written completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use grove_formats::{Hierarchy, Source, read_hierarchy};
use serde::Serialize;

use crate::error::bad_input;

/// Reads a file as text.
pub(crate) fn read(path: &Path) -> anyhow::Result<Source> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| bad_input(format!("{name}: {}", why_unreadable(&error))))?;
    Ok(Source::new(name, &bytes)?)
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
    Ok(read_hierarchy(&read(path)?)?)
}

/// Refuses a file that could not be written, before any work is done for it. Standard output can always be written.
pub(crate) fn check_writable(out: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = out else { return Ok(()) };
    let name = path.display();
    if path.is_dir() {
        return Err(bad_input(format!("{name}: this is a folder; name a file in it")));
    }
    if path.file_name().is_none() {
        return Err(bad_input(format!("{name}: this is not a file name; name a file to write")));
    }
    if !folder_of(path).is_dir() {
        return Err(bad_input(format!("{name}: there is no such folder; make it first")));
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Writes text to a file, or to standard output without one.
pub(crate) fn write(out: Option<&Path>, text: &str) -> anyhow::Result<()> {
    match out {
        Some(path) => replace(path, text).with_context(|| format!("{}: cannot be written", path.display())),
        None => print(text),
    }
}

/// Writes a temporary file and renames it, so that readers find either the old text or the new one. Links are followed and permissions kept; pipes and
/// devices are written to directly.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes());
    }
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder_of(path).join(format!(".{name}.{}", std::process::id()));
    let written = fs::File::create_new(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| {
            existing.map_or(Ok(()), |existing| fs::set_permissions(&temporary, existing.permissions()))
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Report the first error; the file may not even exist.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Prints text. Unlike `print!`, does not panic if the output is closed.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints one JSON object.
pub(crate) fn print_json(object: &impl Serialize) -> anyhow::Result<()> {
    print(&json(object)?)
}

/// One JSON object with a newline at its end.
pub(crate) fn json(object: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(object)? + "\n")
}

/// Removes an SQLite database and the files beside it, if they exist.
pub(crate) fn remove_database(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let _ = fs::remove_file(name);
    }
}
