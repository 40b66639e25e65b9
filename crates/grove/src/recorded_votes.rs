//! Recorded votes as a belief takes them, and the name of the root above their concepts.

use std::collections::{HashMap, HashSet};

use grove_belief::{Evidence, Question, Settings, Vote, Worker};
use grove_formats::{ConceptList, RecordedVote, name_key};

use crate::error::bad_input;

/// Votes from a file, with workers numbered in order of appearance.
#[derive(Debug)]
pub(crate) struct RecordedVotes {
    /// The votes, in the order of the file.
    pub(crate) votes: Vec<Vote>,
    /// The line of each vote.
    pub(crate) lines: Vec<usize>,
    /// The workers' names, by number.
    pub(crate) workers: Vec<String>,
    /// How many votes are by a worker who had answered the same question before. They count like any other.
    pub(crate) repeated: usize,
}

impl RecordedVotes {
    pub(crate) fn new(read: &[RecordedVote]) -> anyhow::Result<Self> {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut seen: HashSet<(Worker, Question)> = HashSet::new();
        let mut recorded = Self {
            votes: Vec::with_capacity(read.len()),
            lines: Vec::new(),
            workers: Vec::new(),
            repeated: 0,
        };
        for RecordedVote { vote, line, .. } in read {
            let number = *numbers.entry(&vote.worker).or_insert_with(|| {
                recorded.workers.push(vote.worker.clone());
                recorded.workers.len() as u32 - 1
            });
            vote.question.check()?;
            let (worker, question) = (Worker::new(number), vote.question);
            recorded.repeated += usize::from(!seen.insert((worker, question)));
            recorded.votes.push(Vote { question, worker, answer: vote.answer });
            recorded.lines.push(*line);
        }
        Ok(recorded)
    }

    /// The evidence of all votes about `count` concepts. A vote's id is its index in `votes`.
    pub(crate) fn evidence(&self, count: usize, settings: Settings) -> anyhow::Result<Evidence> {
        let mut evidence = Evidence::new(count, settings)?;
        for &vote in &self.votes {
            evidence.record(vote)?;
        }
        Ok(evidence)
    }
}

/// The root's name: the given one, one from a file, or a common word that is not a concept.
pub(crate) fn root_name(
    given: Option<&str>,
    from_file: Option<&str>,
    list: &ConceptList,
) -> anyhow::Result<String> {
    if let Some(given) = given {
        if list.index().find(given).is_some_and(|concept| !concept.is_root()) {
            return Err(bad_input(format!(
                "{given:?} is already a concept; give the root another name with --root"
            )));
        }
        return Ok(given.to_owned());
    }
    let is_concept = |name: &str| list.names().any(|concept| name_key(concept) == name_key(name));
    let names = from_file.into_iter().chain(["everything", "root", "the root of all"]);
    let free = names.map(str::to_owned).find(|name| !is_concept(name));
    free.ok_or_else(|| bad_input("every usual name of a root is a concept; name the root with --root"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_belief::Answer;
    use grove_tree::Concept;

    #[test]
    fn workers_are_numbered_in_order_of_appearance_and_repeated_votes_are_counted() {
        let vote = |worker: &str, upper: usize, line| RecordedVote {
            vote: grove_vocabulary::Vote {
                worker: worker.into(),
                question: Question::path(Concept::new(upper), Concept::new(3)).unwrap(),
                answer: Answer::Yes,
            },
            time: None,
            line,
        };
        let votes = [vote("bob", 1, 2), vote("ann", 1, 3), vote("bob", 2, 4), vote("bob", 1, 5)];
        let recorded = RecordedVotes::new(&votes).unwrap();
        assert_eq!(recorded.workers, ["bob", "ann"]);
        assert_eq!(recorded.repeated, 1);
        let evidence = recorded.evidence(3, Settings::default()).unwrap();
        assert_eq!(evidence.tally(Question::path(Concept::new(1), Concept::new(3)).unwrap()), (3, 0));
        let last = evidence.votes().last().unwrap().0;
        assert_eq!(recorded.lines[last.index()], 5);
    }
}
