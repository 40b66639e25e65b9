//! The votes on one question, and how likely they are under each relation of its two concepts.

use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::form_rates::FormRates;
use crate::noise::{Rates, Relation};
use crate::{Noise, Worker};

/// Logarithms of a worker's answer probabilities, ready for summing: of no and yes under each relation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerLogs([[f64; 2]; 3]);

/// The same, and rates in the other forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogRates {
    answers: AnswerLogs,
    forms: FormRates,
}

impl From<&Rates> for AnswerLogs {
    fn from(rates: &Rates) -> Self {
        Self(Relation::ALL.map(|relation| [false, true].map(|yes| rates.log_likelihood(relation, yes))))
    }
}

impl AnswerLogs {
    /// The log-likelihood ratio of an answer between a relation and "neither".
    pub(crate) fn ratio(&self, relation: Relation, yes: bool) -> f64 {
        let answer = usize::from(yes);
        self.0[relation as usize][answer] - self.0[Relation::Neither as usize][answer]
    }
}

impl From<&Rates> for LogRates {
    /// Where rates are given for yes/no.
    fn from(rates: &Rates) -> Self {
        Self::new(rates, &FormRates::told(rates))
    }
}

impl LogRates {
    pub(crate) fn new(rates: &Rates, forms: &FormRates) -> Self {
        Self { answers: rates.into(), forms: *forms }
    }
}

/// What the votes of every worker are weighed by.
///
/// Every chain that learns rates has one, so what it needs for a worker counts a thousand times: 48 bytes, and 72 more once anybody has answered in another form
/// than yes/no.
#[derive(Clone, Debug)]
pub(crate) struct Crowd {
    answers: Vec<AnswerLogs>,
    /// Of the first workers; the others have those of workers past the end.
    forms: Vec<FormRates>,
    /// Those of workers past the end.
    others: LogRates,
}

impl Crowd {
    /// Nobody; all have these rates.
    pub(crate) fn new(others: LogRates) -> Self {
        Self { answers: Vec::new(), forms: Vec::new(), others }
    }

    /// Workers with rates in all forms, in order.
    pub(crate) fn of(known: impl Iterator<Item = LogRates>, others: LogRates) -> Self {
        let (answers, forms) = known.map(|logs| (logs.answers, logs.forms)).unzip();
        Self { answers, forms, others }
    }

    /// The same without what is known of answers to yes/no questions.
    pub(crate) fn without_answers(&self) -> Self {
        Self { answers: Vec::new(), forms: self.forms.clone(), others: self.others }
    }

    /// Forgets everybody's rates in yes/no questions.
    pub(crate) fn clear(&mut self) {
        self.answers.clear();
    }

    /// Forgets everybody's rates in other forms, and returns them. There is room for as many.
    pub(crate) fn take_forms(&mut self) -> Vec<FormRates> {
        let room = Vec::with_capacity(self.forms.len());
        std::mem::replace(&mut self.forms, room)
    }

    /// Adds the next worker, whose rates in forms other than yes/no are unknown.
    pub(crate) fn push(&mut self, rates: &Rates) {
        push(&mut self.answers, rates.into());
    }

    /// Adds the rates in forms other than yes/no of the next worker for whom they are unknown.
    pub(crate) fn push_forms(&mut self, forms: FormRates) {
        push(&mut self.forms, forms);
    }

    /// The known rates in forms other than yes/no.
    pub(crate) fn known_forms(&self) -> &[FormRates] {
        &self.forms
    }

    fn answers(&self, worker: Worker) -> &AnswerLogs {
        self.answers.get(worker.index()).unwrap_or(&self.others.answers)
    }

    fn forms(&self, worker: Worker) -> &FormRates {
        self.forms.get(worker.index()).unwrap_or(&self.others.forms)
    }
}

/// Appends to a list that every chain has one of. Its room grows by an eighth at a time: to double it would leave up to half of it unused a thousand times.
pub(crate) fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 1);
    }
    list.push(value);
}

/// Whose rates the votes are weighed by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Judge<'a> {
    /// The same rates for everybody.
    Same(&'a LogRates),
    /// Each worker's own.
    Each(&'a Crowd),
    /// The paper's: the majority is one answer, with a noise rate from the votes themselves.
    Majority,
}

/// ln likelihoods by [`Relation`].
type ByRelation = [f64; 3];

/// The yes and no votes on one question.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Ballot {
    /// Sorted, so that sums over it do not depend on the order in which votes came, to the last bit. Most questions
    /// have one or two, which are stored inline: inference over large logs is limited by memory access.
    votes: SmallVec<[(Worker, bool); 2]>,
    yes: usize,
}

impl Judge<'_> {
    /// A worker's rates in yes/no questions; none where only the majority counts.
    pub(crate) fn of(&self, worker: Worker) -> Option<&AnswerLogs> {
        match self {
            Self::Same(rates) => Some(&rates.answers),
            Self::Each(crowd) => Some(crowd.answers(worker)),
            Self::Majority => None,
        }
    }

    /// A worker's rates in forms other than yes/no. These have no majority: where only that counts, everybody has the rates of a first vote.
    pub(crate) fn forms(&self, worker: Worker) -> &FormRates {
        static UNKNOWN: OnceLock<FormRates> = OnceLock::new();
        match self {
            Self::Same(rates) => &rates.forms,
            Self::Each(crowd) => crowd.forms(worker),
            Self::Majority => UNKNOWN.get_or_init(|| FormRates::told(&Noise::Majority.rates(worker))),
        }
    }
}

impl Ballot {
    pub(crate) fn insert(&mut self, worker: Worker, yes: bool) {
        let at = self.votes.partition_point(|vote| *vote < (worker, yes));
        self.votes.insert(at, (worker, yes));
        self.yes += usize::from(yes);
    }

    pub(crate) fn remove(&mut self, worker: Worker, yes: bool) {
        if let Ok(at) = self.votes.binary_search(&(worker, yes)) {
            self.votes.remove(at);
            self.yes -= usize::from(yes);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.votes.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.votes.len()
    }

    pub(crate) fn yes(&self) -> usize {
        self.yes
    }

    pub(crate) fn no(&self) -> usize {
        self.votes.len() - self.yes
    }

    pub(crate) fn votes(&self) -> &[(Worker, bool)] {
        &self.votes
    }

    /// ln P(votes | relation).
    pub(crate) fn log_likelihoods(&self, judge: Judge<'_>) -> ByRelation {
        match judge {
            Judge::Same(rates) => {
                rates.answers.0.map(|ln| self.yes as f64 * ln[1] + self.no() as f64 * ln[0])
            }
            Judge::Each(crowd) => {
                let mut sum = [0.0; 3];
                for &(worker, yes) in &self.votes {
                    for (sum, ln) in sum.iter_mut().zip(&crowd.answers(worker).0) {
                        *sum += ln[usize::from(yes)];
                    }
                }
                sum
            }
            Judge::Majority => self.log_majority(),
        }
    }

    /// The majority as one answer that is wrong with chance (minority + 1) / (votes + 2). A tie says nothing.
    fn log_majority(&self) -> ByRelation {
        let minority = self.yes.min(self.no()) as f64;
        let noise = (minority + 1.0) / (self.len() as f64 + 2.0);
        let (right, wrong) = ((-noise).ln_1p(), noise.ln());
        match self.yes.cmp(&self.no()) {
            std::cmp::Ordering::Greater => [right, wrong, wrong],
            std::cmp::Ordering::Less => [wrong, right, right],
            std::cmp::Ordering::Equal => [0.0; 3],
        }
    }
}

/// ln(e^a + e^b) without overflow.
pub(crate) fn ln_add(a: f64, b: f64) -> f64 {
    let (most, least) = if a >= b { (a, b) } else { (b, a) };
    most + (least - most).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ballot(yes: usize, no: usize) -> Ballot {
        let mut ballot = Ballot::default();
        for voter in 0..yes + no {
            ballot.insert(Worker::new(voter as u32), voter < yes);
        }
        ballot
    }

    #[test]
    fn majority_is_one_answer() {
        let ln = ballot(8, 0).log_likelihoods(Judge::Majority);
        assert!((ln[0].exp() - 0.9).abs() < 1e-12 && (ln[2].exp() - 0.1).abs() < 1e-12);
        assert_eq!(ballot(4, 4).log_likelihoods(Judge::Majority), [0.0; 3]);
    }

    #[test]
    fn order_does_not_matter_and_votes_can_be_removed() {
        let mut there = ballot(3, 2);
        there.insert(Worker::new(1), false);
        there.remove(Worker::new(1), false);
        assert_eq!(there, ballot(3, 2));
    }
}
