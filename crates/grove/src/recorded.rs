//! Recorded votes joined with the concepts they are about.

use std::collections::{HashMap, HashSet};

use grove_belief::{Answer, Evidence, Kind, Question, Settings, Vote, Worker};
use grove_formats::{QuestionKind, RecordedVote};

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
        for vote in read {
            let number = *numbers.entry(&vote.worker).or_insert_with(|| {
                recorded.workers.push(vote.worker.clone());
                recorded.workers.len() as u32 - 1
            });
            let question = Question::new(kind(vote.kind), vote.upper, vote.lower)?;
            let worker = Worker::new(number);
            recorded.repeated += usize::from(!seen.insert((worker, question)));
            recorded.votes.push(Vote { question, worker, answer: answer(vote.answer) });
            recorded.lines.push(vote.line);
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

fn kind(kind: QuestionKind) -> Kind {
    match kind {
        QuestionKind::Path => Kind::Path,
        QuestionKind::Edge => Kind::Edge,
    }
}

fn answer(answer: grove_formats::Answer) -> Answer {
    match answer {
        grove_formats::Answer::Yes => Answer::Yes,
        grove_formats::Answer::No => Answer::No,
        grove_formats::Answer::CantSay => Answer::CantSay,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_tree::Concept;

    #[test]
    fn workers_are_numbered_as_they_come_and_repeated_votes_are_counted() {
        let vote = |worker: &str, upper: usize, line| RecordedVote {
            worker: worker.into(),
            upper: Concept::new(upper),
            lower: Concept::new(3),
            kind: QuestionKind::Path,
            answer: grove_formats::Answer::Yes,
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
