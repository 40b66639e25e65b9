//! Recorded votes as a belief takes them, and the name of the root above their concepts.

use std::collections::{HashMap, HashSet};

use grove_belief::{Evidence, Response, Screen, Settings, Worker};
use grove_formats::{ConceptList, RecordedVote, name_key};

use crate::error::bad_input;

/// Votes from a file, with workers numbered in order of appearance.
#[derive(Default, Debug)]
pub struct RecordedVotes {
    /// What was said, in the order of the file: votes, and replies to other forms of screens.
    pub responses: Vec<Response>,
    /// The line of each response.
    pub lines: Vec<usize>,
    /// The workers' names, by number.
    pub workers: Vec<String>,
    /// How many are by a worker who had answered the same screen before. They count like any other.
    pub repeated: usize,
}

impl RecordedVotes {
    /// Votes that were read, of workers who have no number yet.
    ///
    /// # Errors
    /// A screen that cannot be shown, or a reply that does not fit it.
    pub fn new(read: &[RecordedVote]) -> anyhow::Result<Self> {
        let mut recorded = Self::default();
        recorded.extend(read)?;
        Ok(recorded)
    }

    /// Adds votes that were read later, and returns where the new responses begin. Nothing changes if one is refused.
    ///
    /// # Errors
    /// As [`RecordedVotes::new`].
    pub fn extend(&mut self, read: &[RecordedVote]) -> anyhow::Result<usize> {
        let known = self.workers.len();
        let mut numbers: HashMap<&str, u32> = self.workers.iter().map(String::as_str).zip(0..).collect();
        let mut seen: HashSet<(Worker, &Screen)> =
            self.responses.iter().map(|one| (one.worker, &one.screen)).collect();
        let mut responses = Vec::with_capacity(read.len());
        let mut workers = Vec::new();
        let mut repeated = 0;
        for RecordedVote { response, .. } in read {
            let number = *numbers.entry(&response.worker).or_insert_with(|| {
                workers.push(response.worker.clone());
                (known + workers.len()) as u32 - 1
            });
            let worker = Worker::new(number);
            repeated += usize::from(!seen.insert((worker, &response.screen)));
            responses.push(Response::new(worker, response.screen.clone(), response.reply.clone())?);
        }
        let begin = self.responses.len();
        self.responses.extend(responses);
        self.lines.extend(read.iter().map(|one| one.line));
        self.workers.extend(workers);
        self.repeated += repeated;
        Ok(begin)
    }

    /// Numbers the responses from one of them on consecutively instead of by lines, since they do not come from a
    /// file.
    pub fn count_lines_from(&mut self, begin: usize) {
        for (at, line) in self.lines.iter_mut().enumerate().skip(begin) {
            *line = at + 1;
        }
    }

    /// The evidence of all of it about `count` concepts. The id of a response is its index in `responses`.
    ///
    /// # Errors
    /// A response about a concept that does not exist.
    pub fn evidence(&self, count: usize, settings: Settings) -> anyhow::Result<Evidence> {
        let mut evidence = Evidence::new(count, settings)?;
        for response in &self.responses {
            evidence.respond(response.clone())?;
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
    use grove_belief::{Answer, Question};
    use grove_tree::Concept;

    #[test]
    fn workers_are_numbered_in_order_of_appearance_and_repeated_votes_are_counted() {
        let vote = |worker: &str, upper: usize, line| RecordedVote {
            response: grove_vocabulary::Vote {
                worker: worker.to_owned(),
                question: Question::path(Concept::new(upper), Concept::new(3)).unwrap(),
                answer: Answer::Yes,
            }
            .into(),
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
