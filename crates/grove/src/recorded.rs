//! Recorded votes joined with the concepts they are about.

use std::collections::{HashMap, HashSet};

use grove_belief::{Evidence, Question, Settings, Vote, Worker};
use grove_formats::RecordedVote;

/// Votes as a belief takes them, with what the file says beside them.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// In the order of the file.
    pub(crate) votes: Vec<Vote>,
    /// The line of each vote.
    pub(crate) lines: Vec<usize>,
    /// The workers' names, by number.
    pub(crate) workers: Vec<String>,
    /// Votes by somebody who had answered the same question before. They count like any other.
    pub(crate) repeated: usize,
}

impl Recorded {
    /// Numbers the workers in the order in which they come.
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

    /// Evidence about so many concepts that holds all the votes, each with the number of its place here.
    pub(crate) fn evidence(&self, count: usize, settings: Settings) -> anyhow::Result<Evidence> {
        let mut evidence = Evidence::new(count, settings)?;
        for &vote in &self.votes {
            evidence.record(vote)?;
        }
        Ok(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_belief::Answer;
    use grove_tree::Concept;

    #[test]
    fn workers_are_numbered_as_they_come_and_repeated_votes_are_counted() {
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
        let recorded = Recorded::new(&votes).unwrap();
        assert_eq!(recorded.workers, ["bob", "ann"]);
        assert_eq!(recorded.repeated, 1);
        let evidence = recorded.evidence(3, Settings::default()).unwrap();
        assert_eq!(evidence.tally(Question::path(Concept::new(1), Concept::new(3)).unwrap()), (3, 0));
        let last = evidence.votes().last().unwrap().0;
        assert_eq!(recorded.lines[last.index()], 5);
    }
}
