//! Commands on campaigns that are kept in a database.

mod concepts;
mod corrections;
mod look;
mod new;
mod pause;
mod upkeep;
mod user;
mod votes;

use clap::Subcommand;

pub(crate) use concepts::{Add, Merge, Remove, Rename};
pub(crate) use corrections::{Forbid, Free, Pin};
pub(crate) use look::{Export, History, List, Replay, Show, Why};
pub(crate) use new::New;
pub(crate) use pause::{Pause, Resume};
pub(crate) use upkeep::{Backup, Doctor, Restore};
pub(crate) use user::{User, UserCommand};
pub(crate) use votes::{Ask, EraseWorker, Import};

#[derive(Subcommand, Debug)]
pub(crate) enum Stored {
    New(New),
    List(List),
    Ask(Ask),
    Show(Show),
    Why(Why),
    Add(Add),
    Remove(Remove),
    Merge(Merge),
    Rename(Rename),
    Pin(Pin),
    Forbid(Forbid),
    Free(Free),
    Pause(Pause),
    Resume(Resume),
    Import(Import),
    Export(Export),
    History(History),
    Replay(Replay),
    EraseWorker(EraseWorker),
    User(User),
    Backup(Backup),
    Restore(Restore),
    Doctor(Doctor),
}
