//! What has to be true after a load, however long everything took: no request was refused; every vote that was acknowledged is in the log once, and nothing is
//! there that nobody sent; and nobody was asked what they had answered, or what is no question.
//!
//! The control: with a fault planted into what was seen, the same audit must say so.

use std::collections::{HashMap, HashSet};

use grove_store::{Event, Position, Store, SubmittedVote, VoteId};
use serde_json::Value;
use uuid::Uuid;

use crate::client::Failure;
use crate::world::World;

/// A question, by the numbers of its concepts.
type Pair = (u64, u64);

/// What one connection did.
#[derive(Clone)]
enum Deed {
    Asked(Pair),
    Answered(Pair),
    /// Everything is answered, and somebody else comes.
    Left,
}

/// What the people behind the connections have seen.
#[derive(Clone, Default)]
pub(crate) struct Account {
    /// By connection.
    deeds: Vec<Vec<Deed>>,
    sent: HashSet<VoteId>,
    acknowledged: Vec<VoteId>,
    /// The statuses other than 200.
    refused: Vec<u16>,
}

impl Account {
    /// Of one connection.
    pub(crate) fn new() -> Self {
        Self { deeds: vec![Vec::new()], ..Self::default() }
    }

    pub(crate) fn asked(&mut self, question: Option<&Value>) {
        self.note(question.map_or(Deed::Left, |question| Deed::Asked(pair(question))));
    }

    pub(crate) fn answered(&mut self, vote: &Value, status: u16) {
        let id =
            vote["id"].as_str().and_then(|id| Uuid::parse_str(id).ok()).map_or(VoteId(Uuid::nil()), VoteId);
        self.sent.insert(id);
        if status == 200 {
            self.acknowledged.push(id);
            self.note(Deed::Answered(pair(vote)));
        } else {
            self.refused.push(status);
        }
    }

    fn note(&mut self, deed: Deed) {
        if let Some(deeds) = self.deeds.last_mut() {
            deeds.push(deed);
        }
    }

    pub(crate) fn refusals(&self) -> usize {
        self.refused.len()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.deeds.extend(other.deeds);
        self.sent.extend(other.sent);
        self.acknowledged.extend(other.acknowledged);
        self.refused.extend(other.refused);
    }

    /// What is wrong, beside the log that the server has left.
    fn problems(&self, logged: &[SubmittedVote], concepts: usize) -> Vec<String> {
        let mut problems = Vec::new();
        let mut count = |number: usize, what: &str| {
            if number > 0 {
                problems.push(format!("{number} {what}"));
            }
        };
        count(self.refused.len(), "requests were refused");
        let mut times: HashMap<VoteId, usize> = HashMap::new();
        for vote in logged {
            *times.entry(vote.id).or_default() += 1;
        }
        let is_lost = |vote: &&VoteId| !times.contains_key(vote);
        count(self.acknowledged.iter().filter(is_lost).count(), "acknowledged votes are lost");
        count(times.values().filter(|times| **times > 1).count(), "votes are in the log more than once");
        count(times.keys().filter(|id| !self.sent.contains(id)).count(), "votes were sent by nobody");
        let answers: HashSet<_> =
            logged.iter().map(|vote| (&vote.response.worker, &vote.response.screen)).collect();
        count(logged.len() - answers.len(), "questions were answered twice by one worker");
        let asked_again: usize = self.deeds.iter().map(|deeds| asked_again(deeds)).sum();
        count(asked_again, "questions were asked again of who had answered them");
        let is_odd = |(upper, lower): Pair| {
            upper == lower || ![upper, lower].iter().all(|end| (1..=concepts as u64).contains(end))
        };
        let asked =
            self.deeds.iter().flatten().filter(|deed| matches!(deed, Deed::Asked(pair) if is_odd(*pair)));
        count(asked.count(), "questions were about no two concepts");
        problems
    }

    /// Each planted fault must be noticed as what it is. Returns those that are not.
    fn unnoticed(&self, logged: &[SubmittedVote], concepts: usize) -> Vec<&'static str> {
        let ([one, two, ..], Some(acknowledged)) = (logged, self.acknowledged.first()) else {
            return vec!["anything: there were no votes"];
        };
        let with = |change: fn(&mut Account)| {
            let mut account = self.clone();
            change(&mut account);
            account.problems(logged, concepts)
        };
        let lost: Vec<SubmittedVote> =
            logged.iter().filter(|vote| vote.id != *acknowledged).cloned().collect();
        let doubled: Vec<SubmittedVote> = logged.iter().chain([one]).cloned().collect();
        let invented = SubmittedVote { id: VoteId(Uuid::from_u128(1)), ..two.clone() };
        let invented: Vec<SubmittedVote> = logged.iter().cloned().chain([invented]).collect();
        let faults = [
            ("lost", self.problems(&lost, concepts)),
            ("more than once", self.problems(&doubled, concepts)),
            ("by nobody", self.problems(&invented, concepts)),
            ("refused", with(|account| account.refused.push(503))),
            (
                "asked again",
                with(|account| {
                    account.deeds.push(vec![
                        Deed::Asked((1, 2)),
                        Deed::Answered((1, 2)),
                        Deed::Asked((1, 2)),
                    ]);
                }),
            ),
            ("no two concepts", with(|account| account.deeds.push(vec![Deed::Asked((1, 1))]))),
        ];
        let is_noticed =
            |(what, problems): &(&str, Vec<String>)| problems.iter().any(|one| one.contains(what));
        faults.iter().filter(|fault| !is_noticed(fault)).map(|(what, _)| *what).collect()
    }
}

fn pair(question: &Value) -> Pair {
    let end = |name: &str| question[name].as_u64().unwrap_or_default();
    (end("upper"), end("lower"))
}

/// How often somebody was asked what they had answered.
fn asked_again(deeds: &[Deed]) -> usize {
    let (mut answered, mut again) = (HashSet::new(), 0);
    for deed in deeds {
        match deed {
            Deed::Asked(pair) => again += usize::from(answered.contains(pair)),
            Deed::Answered(pair) => drop(answered.insert(*pair)),
            Deed::Left => answered.clear(),
        }
    }
    again
}

/// Compares what people have seen with the log of a server that has stopped. Returns what is wrong.
pub(crate) async fn audit(
    database: &str,
    world: &World,
    account: &Account,
    concepts: usize,
) -> Result<Vec<String>, Failure> {
    let store = Store::open(database).await?;
    let (mut logged, mut after) = (Vec::new(), Position::START);
    loop {
        let page = store.log(world.campaign, after, 10_000).await?;
        let Some(last) = page.last() else { break };
        after = last.position;
        logged.extend(page.into_iter().filter_map(|entry| match entry.event {
            Event::VoteCast(vote) => Some(vote),
            _ => None,
        }));
    }
    store.close().await;
    let mut problems = account.problems(&logged, concepts);
    let unnoticed = account.unnoticed(&logged, concepts);
    if !unnoticed.is_empty() {
        problems.push(format!("planted faults go unnoticed: {}", unnoticed.join(", ")));
    }
    println!(
        "  {} votes acknowledged, {} in the log: {}",
        account.acknowledged.len(),
        logged.len(),
        if problems.is_empty() { "each once".to_owned() } else { problems.join("; ") }
    );
    Ok(problems)
}
