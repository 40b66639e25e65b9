//! Votes gathered by the pair of concepts that they are about.

use std::collections::HashMap;

use grove_tree::Concept;

use crate::ballot::{Ballot, Judge};
use crate::{Answer, Kind, Question, Vote, Worker};

/// The index of an unordered pair of concepts with votes or prior odds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PairId(u32);

impl PairId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which of a pair's two concepts is asked to be above: the one with the smaller number, or the other.
pub(crate) fn side(upper: Concept, lower: Concept) -> usize {
    usize::from(upper > lower)
}

/// What is known about one pair, in both directions; index 0 is "the smaller number above".
#[derive(Clone, Default, Debug)]
pub(crate) struct Pair {
    pub(crate) path: [Ballot; 2],
    pub(crate) edge: [Ballot; 2],
    /// Those who placed one directly under the other, in order.
    pub(crate) placed: [Vec<Worker>; 2],
    /// What pseudo-workers say about it; few pairs have any.
    pub(crate) hints: Option<Box<Hints>>,
    /// Prior log-odds of being above.
    pub(crate) odds: [f64; 2],
    /// Whether one of the two is the root, which is always above.
    pub(crate) with_root: bool,
}

/// What pseudo-workers say about a pair, kept apart from the votes so that it is never counted as one.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hints {
    pub(crate) edge: [Ballot; 2],
    pub(crate) placed: [Vec<Worker>; 2],
}

/// The log-posterior that a pair contributes to a tree, by which of the two is above the other: S in the formulas.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Score {
    /// If that side is above the other.
    pub(crate) path: [f64; 2],
    /// If that side is the other's parent.
    pub(crate) edge: [f64; 2],
}

impl Pair {
    /// Sums the ballots into scores. A vote on (i, j) is evidence about i above j and, where people confuse directions at a separate
    /// rate, also about j above i.
    ///
    /// A place among `concepts` is evidence about being above, and about being the parent.
    pub(crate) fn score(&self, judge: Judge<'_>, concepts: usize) -> Score {
        let mut score = Score { path: self.odds, edge: [0.0; 2] };
        for side in 0..2 {
            if !self.path[side].is_empty() {
                let [above, reversed, neither] = self.path[side].log_likelihoods(judge);
                score.path[side] += above - neither;
                score.path[1 - side] += reversed - neither;
            }
            for ballot in self.edges(side).filter(|ballot| !ballot.is_empty()) {
                let [there, _, not] = ballot.log_likelihoods(judge);
                score.edge[side] += there - not;
            }
            for worker in self.placers(side) {
                let [path, edge] = judge.forms(worker).log_place(concepts);
                score.path[side] += if self.with_root { 0.0 } else { path };
                score.edge[side] += edge;
            }
        }
        score
    }

    /// What was said about that side being the parent: by people, and by pseudo-workers.
    pub(crate) fn edges(&self, side: usize) -> impl Iterator<Item = &Ballot> {
        std::iter::once(&self.edge[side]).chain(self.hints.iter().map(move |hints| &hints.edge[side]))
    }

    /// Who placed the other one directly under that side: people, and pseudo-workers.
    pub(crate) fn placers(&self, side: usize) -> impl Iterator<Item = Worker> {
        let others = self.hints.iter().flat_map(move |hints| &hints.placed[side]);
        self.placed[side].iter().chain(others).copied()
    }

    /// Whether nobody has voted on it.
    pub(crate) fn is_empty(&self) -> bool {
        self.path.iter().chain(&self.edge).all(Ballot::is_empty) && self.placed.iter().all(Vec::is_empty)
    }

    /// Whether anybody was asked if that side is above, or has said that it is below. That the other one is not above it
    /// leaves this open.
    pub(crate) fn tells_whether_above(&self, side: usize) -> bool {
        let other = 1 - side;
        !self.path[side].is_empty()
            || !self.edge[side].is_empty()
            || self.path[other].yes() + self.edge[other].yes() > 0
            || !self.placed.iter().all(Vec::is_empty)
    }

    pub(crate) fn ballot(&self, question: Question) -> &Ballot {
        &self.ballots(question.kind)[side(question.upper, question.lower)]
    }

    fn ballots(&self, kind: Kind) -> &[Ballot; 2] {
        match kind {
            Kind::Path => &self.path,
            Kind::Edge => &self.edge,
        }
    }

    fn ballot_mut(&mut self, question: Question) -> &mut Ballot {
        let ballots = match question.kind {
            Kind::Path => &mut self.path,
            Kind::Edge => &mut self.edge,
        };
        &mut ballots[side(question.upper, question.lower)]
    }
}

/// All pairs with votes or prior odds, with an index by concept.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pairs {
    ids: HashMap<[Concept; 2], PairId>,
    concepts: Vec<[Concept; 2]>,
    pairs: Vec<Pair>,
    /// For every concept, the other concepts it shares a pair with.
    touching: Vec<Vec<(Concept, PairId)>>,
    edge_votes: usize,
}

impl Pairs {
    pub(crate) fn new(count: usize) -> Self {
        Self { touching: vec![Vec::new(); count + 1], ..Self::default() }
    }

    pub(crate) fn grow(&mut self, count: usize) {
        self.touching.resize(count + 1, Vec::new());
    }

    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = ([Concept; 2], &Pair)> {
        self.concepts.iter().copied().zip(&self.pairs)
    }

    /// All pairs by their numbers.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (PairId, [Concept; 2])> {
        self.concepts.iter().enumerate().map(|(at, &concepts)| (PairId(at as u32), concepts))
    }

    pub(crate) fn get(&self, id: PairId) -> &Pair {
        &self.pairs[id.index()]
    }

    pub(crate) fn find(&self, one: Concept, other: Concept) -> Option<PairId> {
        self.ids.get(&[one.min(other), one.max(other)]).copied()
    }

    /// The concepts that something is known about in relation to this one.
    pub(crate) fn touching(&self, concept: Concept) -> &[(Concept, PairId)] {
        &self.touching[concept.index()]
    }

    /// Whether any edge question has been answered, or any concept placed.
    pub(crate) fn has_edge_votes(&self) -> bool {
        self.edge_votes > 0
    }

    pub(crate) fn ballot(&self, question: Question) -> Option<&Ballot> {
        self.find(question.upper, question.lower).map(|id| self.get(id).ballot(question))
    }

    /// The pair's number, made on first sight.
    pub(crate) fn intern(&mut self, one: Concept, other: Concept) -> PairId {
        let key = [one.min(other), one.max(other)];
        let next = PairId(u32::try_from(self.pairs.len()).expect("fewer pairs than 32 bits count"));
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.pairs.push(Pair { with_root: key[0].is_root(), ..Pair::default() });
            self.concepts.push(key);
            self.touching[one.index()].push((other, id));
            self.touching[other.index()].push((one, id));
        }
        id
    }

    pub(crate) fn set_odds(&mut self, upper: Concept, lower: Concept, odds: f64) -> PairId {
        let id = self.intern(upper, lower);
        self.pairs[id.index()].odds[side(upper, lower)] = odds;
        id
    }

    /// Adds a vote. "Can't say" changes nothing.
    pub(crate) fn insert(&mut self, vote: &Vote) -> Option<PairId> {
        let yes = said_yes(vote.answer)?;
        let id = self.intern(vote.question.upper, vote.question.lower);
        self.pairs[id.index()].ballot_mut(vote.question).insert(vote.worker, yes);
        self.edge_votes += usize::from(vote.question.kind == Kind::Edge);
        Some(id)
    }

    /// Adds a worker who placed `lower` directly under `upper`, which may be the root.
    pub(crate) fn insert_place(&mut self, worker: Worker, upper: Concept, lower: Concept) -> PairId {
        let id = self.intern(upper, lower);
        let placed = &mut self.pairs[id.index()].placed[side(upper, lower)];
        placed.insert(placed.partition_point(|other| *other < worker), worker);
        self.edge_votes += 1;
        id
    }

    /// Adds a pseudo-worker's statement that `upper` is the parent of `lower`, or is not.
    pub(crate) fn insert_hint(&mut self, worker: Worker, upper: Concept, lower: Concept, yes: bool) {
        self.hints(upper, lower).edge[side(upper, lower)].insert(worker, yes);
        self.edge_votes += 1;
    }

    /// The same for a place directly under `upper`, which may be the root.
    pub(crate) fn insert_hinted_place(&mut self, worker: Worker, upper: Concept, lower: Concept) {
        let placed = &mut self.hints(upper, lower).placed[side(upper, lower)];
        placed.insert(placed.partition_point(|other| *other < worker), worker);
        self.edge_votes += 1;
    }

    fn hints(&mut self, upper: Concept, lower: Concept) -> &mut Hints {
        let id = self.intern(upper, lower);
        self.pairs[id.index()].hints.get_or_insert_default()
    }

    pub(crate) fn remove_place(&mut self, worker: Worker, upper: Concept, lower: Concept) -> Option<PairId> {
        let id = self.find(upper, lower)?;
        let placed = &mut self.pairs[id.index()].placed[side(upper, lower)];
        placed.remove(placed.binary_search(&worker).ok()?);
        self.edge_votes -= 1;
        Some(id)
    }

    pub(crate) fn remove(&mut self, vote: &Vote) -> Option<PairId> {
        let yes = said_yes(vote.answer)?;
        let id = self.find(vote.question.upper, vote.question.lower)?;
        self.pairs[id.index()].ballot_mut(vote.question).remove(vote.worker, yes);
        self.edge_votes -= usize::from(vote.question.kind == Kind::Edge);
        Some(id)
    }
}

/// Whether the answer is yes; `None` for "can't say".
pub(crate) fn said_yes(answer: Answer) -> Option<bool> {
    match answer {
        Answer::Yes => Some(true),
        Answer::No => Some(false),
        Answer::CantSay => None,
    }
}
