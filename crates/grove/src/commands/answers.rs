//! `grove answers`: lists a worker's answers; changes and withdraws them.

use anyhow::anyhow;
use grove_campaign::operations::Access;
use grove_campaign::{State, Status, VoteState};
use grove_store::{Reply, Response, WorkerId};
use serde_json::{Value, json};

use super::ask::{read_reply, worker};
use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::{answer, because, count, question, time};

/// List your earlier answers; change or withdraw some.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove answers food
  grove answers food --about lime --last 10
  grove answers food --change 17=no --change '21=citrus fruit' --change '24=1, 3'
  grove answers food --withdraw 17
  grove answers food --worker ann --json

Every answer has a number; one that was changed is a new answer with a number of its own. A question whose answer was withdrawn may be
asked again.")]
pub(crate) struct Answers {
    /// The campaign.
    name: String,
    /// Whose answers [default: yours, by your user name].
    #[arg(long, value_name = "ID")]
    worker: Option<String>,
    /// Change an answer, to what `grove ask` reads from a line: yes or no; the name or number of an option, or several; none, top, s for not sure. May be given
    /// several times.
    #[arg(long, value_name = "NUMBER=ANSWER", value_parser = change)]
    change: Vec<(i64, String)>,
    /// Withdraw an answer; may be given several times.
    #[arg(long, value_name = "NUMBER")]
    withdraw: Vec<i64>,
    /// List only answers about this concept.
    #[arg(long, value_name = "CONCEPT")]
    about: Option<String>,
    /// List only the last answers.
    #[arg(long, value_name = "ANSWERS")]
    last: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Parses a number and an answer with an equals sign between them.
fn change(text: &str) -> Result<(i64, String), String> {
    let (number, word) =
        text.split_once('=').ok_or("give the number of an answer and the new answer, such as 17=no")?;
    let number = number.trim().parse().map_err(|_| format!("{number:?} is not the number of an answer"))?;
    match word.trim() {
        "" => Err("give the new answer after the equals sign, such as 17=no".to_owned()),
        word => Ok((number, word.to_owned())),
    }
}

impl Answers {
    /// Checks all changes before it makes the first.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let worker = worker(self.worker.as_deref())?;
        let access = context.open(&self.name).await?;
        let done = self.edit(&access, &worker).await?;
        let state = access.state()?;
        let about = self.about.as_deref().map(|name| state.find(name)).transpose()?;
        let is_listed = |vote: &&VoteState| {
            let Response { worker: own, screen, reply } = &vote.response;
            let mut named = screen.concepts().chain(reply.concepts());
            *own == worker && about.is_none_or(|concept| named.any(|one| *one == concept))
        };
        let all: Vec<&VoteState> = state.votes().alive().filter(is_listed).collect();
        let listed = &all[self.last.map_or(0, |last| all.len().saturating_sub(last))..];
        if self.json {
            let answers: Vec<Value> = listed.iter().map(|vote| object(&state, vote)).collect();
            return files::print_json(&json!({ "worker": worker, "answers": answers }));
        }
        if !done.is_empty() {
            return context.remark(&done.join("\n"));
        }
        let lines: String = listed.iter().map(|vote| line(&state, vote)).collect();
        files::print(&format!("{lines}{} by {worker}\n", count(all.len(), "answer")))
    }

    /// Changes and withdraws what was asked for, and says what was done.
    async fn edit(&self, access: &Access, worker: &WorkerId) -> anyhow::Result<Vec<String>> {
        let (changes, withdrawals) = self.plan(&*access.state()?, worker)?;
        let mut done = Vec::new();
        for (vote, to) in changes {
            let receipt = access.change(worker, vote.id, to.clone()).await?;
            let state = access.state()?;
            let (before, after) = (answer(&state, &vote.response.reply), answer(&state, &to));
            let number = receipt.position.0;
            let asked = question(&state, &vote.response.screen);
            done.push(format!("changed {before} to {after}, now answer {number}: {asked}"));
        }
        for vote in withdrawals {
            access.withdraw(worker, vote.id).await?;
            let state = access.state()?;
            let (said, asked) =
                (answer(&state, &vote.response.reply), question(&state, &vote.response.screen));
            done.push(format!("withdrew {said}: {asked}"));
        }
        Ok(done)
    }

    #[expect(clippy::type_complexity, reason = "a type of its own would say no more")]
    fn plan(
        &self,
        state: &State,
        worker: &WorkerId,
    ) -> anyhow::Result<(Vec<(VoteState, Reply)>, Vec<VoteState>)> {
        let numbers: Vec<i64> =
            self.change.iter().map(|(number, _)| *number).chain(self.withdraw.iter().copied()).collect();
        for (at, number) in numbers.iter().enumerate() {
            if numbers[..at].contains(number) {
                return Err(bad_input(format!("answer {number} is named twice; name every answer once")));
            }
        }
        let find = |number: i64| {
            let mut own = state.votes().alive().filter(|vote| vote.response.worker == *worker);
            let found = own.find(|vote| vote.position.0 == number).cloned();
            found.ok_or_else(|| {
                bad_input(format!(
                    "{worker} has no answer {number}; `grove answers {}` lists them",
                    self.name
                ))
            })
        };
        let changes = self.change.iter().map(|(number, to)| {
            let vote = find(*number)?;
            let reply = read_reply(state, &vote.response.screen, to);
            let reply = reply.map_err(|expected| bad_input(format!("answer {number}: {expected}")))?;
            Ok((vote, reply))
        });
        let mut changes = changes.collect::<anyhow::Result<Vec<_>>>()?;
        changes.retain(|(vote, to)| vote.response.reply != *to);
        if !changes.is_empty() && state.status() != Status::Asking {
            return Err(anyhow!(bad_input(format!(
                "the campaign is not accepting answers{}; `grove resume {}` first",
                because(state.reason()),
                self.name
            ))));
        }
        let withdrawals = self.withdraw.iter().map(|&number| find(number)).collect::<anyhow::Result<_>>()?;
        Ok((changes, withdrawals))
    }
}

fn line(state: &State, vote: &VoteState) -> String {
    let (said, asked) = (answer(state, &vote.response.reply), question(state, &vote.response.screen));
    format!("{:>6}  {}  {said:<9}  {asked}\n", vote.position.0, time(vote.at))
}

/// Field names are documented in docs/cli.md and do not change.
fn object(state: &State, vote: &VoteState) -> Value {
    let mut object = json!(vote.response.clone().map(|number| state.name_of(number)));
    object["number"] = json!(vote.position);
    object["time"] = json!(time(vote.at));
    object["question"] =
        json!(state.ask(vote.response.screen.clone()).map(|asked| asked.text).unwrap_or_default());
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read() {
        assert_eq!(change("17=no"), Ok((17, "no".to_owned())));
        assert_eq!(change(" 3 = citrus fruit"), Ok((3, "citrus fruit".to_owned())));
        for wrong in ["17", "17=", "x=yes", "=yes"] {
            assert!(change(wrong).is_err(), "{wrong}");
        }
    }
}
