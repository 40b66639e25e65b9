//! Campaigns that are kept in a database: the same log that a server writes, one command at a time.

mod answering;
mod ask;
mod concepts;
mod corrections;
mod desk;
mod doctor;
mod export;
mod history;
mod import;
mod lines;
mod list;
mod new;
mod pause;
pub(crate) mod place;
mod replay;
mod screen;
mod show;
mod user;
mod why;
mod words;

use std::process::ExitCode;

use crate::args::Stored;
use crate::runtime;
use desk::Desk;
pub(crate) use desk::refused;

/// Runs a command on the database that was asked for.
pub(crate) fn run(command: &Stored, database: Option<&str>, quiet: bool) -> anyhow::Result<ExitCode> {
    // One thread is enough: a command does one thing after the other.
    runtime::one_thread()?.block_on(async {
        let desk = Desk::new(place::of(database), quiet);
        let done = dispatch(command, &desk).await;
        desk.close().await;
        done
    })
}

async fn dispatch(command: &Stored, desk: &Desk) -> anyhow::Result<ExitCode> {
    match command {
        Stored::New(options) => new::run(options, desk).await?,
        Stored::List(options) => list::run(options, desk).await?,
        Stored::Ask(options) => ask::run(options, desk).await?,
        Stored::Show(options) => show::run(options, desk).await?,
        Stored::Why(options) => why::run(options, desk).await?,
        Stored::Add(options) => concepts::add(options, desk).await?,
        Stored::Remove(options) => concepts::remove(options, desk).await?,
        Stored::Merge(options) => concepts::merge(options, desk).await?,
        Stored::Rename(options) => concepts::rename(options, desk).await?,
        Stored::Pin(options) => corrections::pin(options, desk).await?,
        Stored::Forbid(options) => corrections::forbid(options, desk).await?,
        Stored::Free(options) => corrections::free(options, desk).await?,
        Stored::Pause(options) => pause::pause(options, desk).await?,
        Stored::Resume(options) => pause::resume(options, desk).await?,
        Stored::Import(options) => import::run(options, desk).await?,
        Stored::Export(options) => export::run(options, desk).await?,
        Stored::History(options) => history::run(options, desk).await?,
        Stored::Replay(options) => replay::run(options, desk).await?,
        Stored::EraseWorker(options) => import::erase_worker(options, desk).await?,
        Stored::User(options) => user::run(options, desk).await?,
        Stored::Backup(options) => doctor::backup(options, desk).await?,
        Stored::Restore(options) => doctor::restore(options, desk).await?,
        Stored::Doctor(options) => return doctor::run(options, desk).await,
    }
    Ok(ExitCode::SUCCESS)
}
