//! `grove import` and `grove erase-worker`.

use std::path::Path;

use grove_campaign::State;
use grove_formats::{RecordedVote, read_votes};
use grove_store::{Actor, Vote, WorkerId};
use serde_json::json;

use super::desk::{Desk, refused};
use super::words;
use crate::args::{EraseWorker, Import};
use crate::failure::bad_input;
use crate::{files, terminal};

/// Reads all votes before the first is taken in.
pub(super) async fn run(options: &Import, desk: &Desk) -> anyhow::Result<()> {
    let source = files::read(&options.file)?;
    let mut campaign = desk.open(&options.name).await?;
    let read = read_votes(&source, &campaign.state().index()).map_err(bad_input)?;
    let votes: anyhow::Result<Vec<Vote>> =
        read.iter().map(|vote| imported(vote, campaign.state(), &options.file)).collect();
    let imported = campaign.import(votes?).await.map_err(refused)?;
    let total = campaign.state().votes().count();
    match options.json {
        true => words::print_object(
            &json!({ "imported": imported.votes, "repeated": imported.repeated, "votes": total }),
        ),
        false => desk.remark(&match imported.repeated {
            0 => format!("{} taken in, {total} now", terminal::count(imported.votes, "vote")),
            repeated => {
                let votes = terminal::count(imported.votes, "vote");
                format!(
                    "{votes} taken in, {total} now; {repeated} left out, whose workers had answered before"
                )
            }
        }),
    }
}

fn imported(read: &RecordedVote, state: &State, file: &Path) -> anyhow::Result<Vote> {
    let at = |problem: &dyn std::fmt::Display| {
        bad_input(format!("{}, line {}: {problem}", file.display(), read.line))
    };
    Ok(Vote {
        worker: WorkerId::new(read.vote.worker.as_str()).map_err(|error| at(&error))?,
        question: state.log_question(read.vote.question),
        answer: read.vote.answer,
    })
}

/// Puts a stand-in in a worker's place.
pub(super) async fn erase_worker(options: &EraseWorker, desk: &Desk) -> anyhow::Result<()> {
    let worker = WorkerId::new(options.worker.as_str()).map_err(refused)?;
    let mut campaign = desk.open(&options.name).await?;
    let stand_in = campaign.erase_worker(Actor::Grove, &worker).await.map_err(|error| match error {
        grove_campaign::Error::Store(grove_store::Error::Unknown("worker")) => {
            bad_input(format!("{:?} never answered in {}; correct the name", options.worker, options.name))
        }
        other => refused(other),
    })?;
    desk.remark(&format!("erased; their votes are now those of {stand_in}"))
}
