//! What the belief says about each question that was answered, and about the votes on it.

use std::collections::BTreeMap;

use grove_tree::Concept;

use super::ReportOptions;
use crate::ballot::Ballot;
use crate::belief::chance_of;
use crate::pairs::said_yes;
use crate::{Belief, Candidate, Kind, Question, Rates, Relation, Vote, VoteId, Worker};

/// The yes and no votes on a question.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Tally {
    /// How many said yes.
    pub yes: usize,
    /// How many said no.
    pub no: usize,
}

impl Tally {
    pub(super) fn of(ballot: &Ballot) -> Self {
        Self { yes: ballot.yes(), no: ballot.no() }
    }

    /// By how many votes yes leads; negative where no does.
    pub(super) fn lead(self) -> i64 {
        self.yes as i64 - self.no as i64
    }
}

/// A vote that disagrees with the belief.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DoubtfulVote {
    /// The vote's number.
    pub id: VoteId,
    /// The vote.
    pub vote: Vote,
    /// The probability of this answer from this worker, given the belief (from all votes, this one included).
    pub probability: f64,
}

/// A question that people do not agree on, rather than err about. Serialised without the question, whose concepts have names elsewhere.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Debug)]
pub struct DividedQuestion {
    /// The question.
    #[serde(skip)]
    pub question: Question,
    /// Its votes.
    #[serde(flatten)]
    pub votes: Tally,
    /// The share of yes among them.
    #[serde(skip)]
    pub yes_share: f64,
    /// The probability that people differ on it, since they place a concept differently.
    pub probability: f64,
}

/// One answered question.
struct Answered {
    votes: Tally,
    /// P(above), P(reversed), P(neither) by [`Relation`].
    beliefs: [f64; 3],
    /// The chance that people differ on it.
    differ: f64,
}

impl Answered {
    /// The chance of a yes from somebody with these rates.
    fn chance_of_yes(&self, rates: &Rates) -> f64 {
        self.beliefs.iter().zip(rates.by_relation()).map(|(belief, yes)| belief * yes).sum()
    }
}

/// Everything that was answered, in the light of the belief.
pub(super) struct Answers<'a> {
    belief: &'a dyn Belief,
    rates: Vec<Rates>,
    questions: BTreeMap<Question, Answered>,
}

impl<'a> Answers<'a> {
    /// Asks for two path probabilities a question answered.
    pub(super) fn new(belief: &'a dyn Belief, parents: &[Vec<(Concept, f64)>]) -> Self {
        let evidence = belief.evidence();
        let rates = Worker::all(evidence.workers()).map(|worker| belief.rates(worker)).collect();
        let read = |question: Question, ballot: &Ballot| Answered {
            votes: Tally::of(ballot),
            beliefs: relations(belief, parents, question),
            differ: belief.differ(question.upper, question.lower).chance,
        };
        let questions =
            ballots(belief).map(|(question, ballot)| (question, read(question, ballot))).collect();
        Self { belief, rates, questions }
    }

    /// How many questions have a yes or a no.
    pub(super) fn questions(&self) -> usize {
        self.questions.len()
    }

    /// The probability that a vote is right; none for "can't say".
    pub(super) fn chance_right(&self, vote: &Vote) -> Option<f64> {
        let yes = said_yes(vote.answer)?;
        let above = self.questions[&vote.question].beliefs[Relation::Above as usize];
        Some(if yes { above } else { 1.0 - above })
    }

    pub(super) fn rates(&self, worker: Worker) -> &Rates {
        &self.rates[worker.index()]
    }

    /// The votes that disagree most with what is believed, least probable first.
    pub(super) fn doubtful_votes(&self, options: &ReportOptions) -> Vec<DoubtfulVote> {
        let judge = |(id, vote): (VoteId, &Vote)| {
            let yes = said_yes(vote.answer)?;
            let chance = self.questions[&vote.question].chance_of_yes(self.rates(vote.worker));
            Some(DoubtfulVote { id, vote: *vote, probability: if yes { chance } else { 1.0 - chance } })
        };
        let mut votes: Vec<DoubtfulVote> = self.belief.evidence().votes().filter_map(judge).collect();
        votes.retain(|vote| vote.probability < 0.5);
        votes.sort_by(|a, b| a.probability.total_cmp(&b.probability).then(a.id.cmp(&b.id)));
        votes.truncate(options.longest_list);
        votes
    }

    /// The questions whose votes are split because people are, surest first.
    pub(super) fn divided_questions(&self, options: &ReportOptions) -> Vec<DividedQuestion> {
        let read = |(&question, answered): (&Question, &Answered)| {
            let votes = answered.votes;
            DividedQuestion {
                question,
                votes,
                yes_share: votes.yes as f64 / (votes.yes + votes.no) as f64,
                probability: answered.differ,
            }
        };
        let mut questions: Vec<DividedQuestion> = self
            .questions
            .iter()
            .map(read)
            .filter(|divided| divided.votes.yes > 0 && divided.votes.no > 0)
            .filter(|divided| divided.probability > options.divided_above)
            .collect();
        questions.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.question.cmp(&b.question)));
        questions.truncate(options.longest_list);
        questions
    }
}

/// The questions with a yes or a no, each with its votes.
pub(super) fn ballots(belief: &dyn Belief) -> impl Iterator<Item = (Question, &Ballot)> {
    let both_ways = |[low, high]: [Concept; 2]| {
        [Kind::Path, Kind::Edge]
            .into_iter()
            .flat_map(move |kind| [(low, high), (high, low)].map(|(upper, lower)| (kind, upper, lower)))
    };
    belief.evidence().pairs().iter().flat_map(move |(concepts, pair)| {
        both_ways(concepts).filter_map(|(kind, upper, lower)| {
            let question = Question::new(kind, upper, lower).ok()?;
            let ballot = pair.ballot(question);
            (!ballot.is_empty()).then_some((question, ballot))
        })
    })
}

/// P(above), P(reversed), P(neither); of an edge, P(there), 0 and P(not).
fn relations(belief: &dyn Belief, parents: &[Vec<(Concept, f64)>], question: Question) -> [f64; 3] {
    match question.kind {
        Kind::Path => Candidate::new(belief, question).relations(),
        Kind::Edge => {
            let there = chance_of(question.upper, &parents[question.lower.index() - 1]);
            [there, 0.0, 1.0 - there]
        }
    }
}
