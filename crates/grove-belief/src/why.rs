use grove_tree::{Concept, Outline, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::belief::chance_of;
use crate::evidence::placed;
use crate::factors::{Above, Factor};
use crate::form_rates::FormRates;
use crate::{
    Answer, Belief, Error, Kind, Question, Relation, Reply, Response, Screen, Vote, VoteId, agreed_tree,
};

/// The number of trees drawn to see how two statements depend on each other, with up to 100 concepts. With more, engines have fewer trees, and
/// somebody is waiting: then it falls to the fewest.
const TREES: usize = 500;
const FEWEST_TREES: usize = 64;

/// The most indirect votes that are listed, and the least influence of one that is.
const MOST_INDIRECT: usize = 30;
const LEAST_INFLUENCE: f64 = 0.01;

/// The votes behind a concept's place in the hierarchy.
#[derive(Clone, PartialEq, Debug)]
pub struct Why {
    /// The concept.
    pub child: Concept,
    /// The parent in question; the root among others.
    pub parent: Concept,
    /// The probability that `child` is directly under `parent`.
    pub certainty: f64,
    /// The probability that `child` is somewhere under `parent`.
    pub above: f64,
    /// The votes, of any form, that show these two concepts together or place the child, in the order of recording.
    pub direct: Vec<Influence>,
    /// The votes on other pairs that speak for or against the parent, most influential first: at most 30.
    pub indirect: Vec<Influence>,
    /// What pseudo-workers say, and what it does for the edge, most influential first.
    pub hints: Vec<(Response, f64)>,
}

/// A vote, and what it does for an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Influence {
    /// The vote.
    pub vote: VoteId,
    /// By how many nats it raises the log-odds of the edge, to first order.
    pub log_odds: f64,
}

impl Why {
    /// Why a concept is under a parent, or under its parent in the [`agreed_tree`] if none is given.
    ///
    /// # Formula
    /// To first order, a vote changes the log-odds of an edge by the difference of its mean log-likelihood between trees with the edge and trees without
    /// it; for a yes/no vote whose answer has the log-likelihood ratio w on a pair, that is w (P(pair | edge) - P(pair | no edge)). The trees are up to
    /// 500 drawn from the belief with a fixed seed. Where all of them have the edge, or none, its counterpart is one of them with the concept moved to
    /// this parent or to the root. O(trees * N + votes * trees), times the depth for votes in other forms.
    ///
    /// # Errors
    /// [`Error::UnknownConcept`], and [`Error::Pair`] if the child is the root or its own parent.
    pub fn of(belief: &dyn Belief, child: Concept, parent: Option<Concept>) -> Result<Self, Error> {
        belief.evidence().check(child)?;
        if child.is_root() {
            return Err(grove_vocabulary::Error::Root.into());
        }
        let parent = parent.unwrap_or_else(|| agreed_tree(belief).parent(child));
        belief.evidence().check(parent)?;
        if parent == child {
            return Err(grove_vocabulary::Error::SameConcept.into());
        }
        let contrast = Contrast::new(belief, parent, child);
        let (mut direct, mut indirect) = (Vec::new(), Vec::new());
        let influence = |response: &Response| match response.vote() {
            Some(vote) => weight(belief, &vote) * contrast.difference(vote.question),
            None => contrast.between(&Likelihood::new(belief, response)),
        };
        for (id, response) in belief.evidence().responses() {
            let log_odds = influence(&response);
            let is_direct = shows(&response.screen, parent, child);
            if is_direct { &mut direct } else { &mut indirect }.push(Influence { vote: id, log_odds });
        }
        let hints = belief.evidence().hints().iter().map(|hint| (hint.clone(), influence(hint)));
        let mut hints: Vec<(Response, f64)> =
            hints.filter(|(_, log_odds)| log_odds.abs() >= LEAST_INFLUENCE).collect();
        hints.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        indirect.retain(|influence| influence.log_odds.abs() >= LEAST_INFLUENCE);
        indirect.sort_by(|a, b| b.log_odds.abs().total_cmp(&a.log_odds.abs()));
        indirect.truncate(MOST_INDIRECT);
        let certainty = chance_of(parent, &belief.reported_parents(child));
        Ok(Self { child, parent, certainty, above: belief.path(parent, child), direct, indirect, hints })
    }
}

/// Whether a screen shows two concepts together, or asks where the child belongs.
fn shows(screen: &Screen, parent: Concept, child: Concept) -> bool {
    match screen {
        Screen::YesNo(Question { upper, lower, .. }) => {
            [*upper, *lower] == [parent, child] || [*lower, *upper] == [parent, child]
        }
        Screen::Pick { lower, options } => *lower == child && options.contains(&parent),
        Screen::Tick { upper, options } => *upper == parent && options.contains(&child),
        Screen::Place { lower } => *lower == child,
    }
}

/// What a response to another form than yes/no says about trees.
struct Likelihood {
    rates: FormRates,
    factors: Vec<Factor>,
    /// The upper and the lower concept of a place.
    placed: Option<(Concept, Concept)>,
    count: usize,
}

impl Likelihood {
    fn new(belief: &dyn Belief, response: &Response) -> Self {
        let rates = belief.form_rates(response.worker);
        let says = response.reply != Reply::CantSay;
        let factors = if says { Factor::of(response) } else { Vec::new() };
        Self { rates, factors, placed: placed(response), count: belief.evidence().count() }
    }

    /// The log-likelihood of a tree, up to a constant.
    fn log(&self, tree: &Tree) -> f64 {
        let factors = self.factors.iter().map(|factor| factor.log(above_in(tree, factor), &self.rates));
        let Some((upper, lower)) = self.placed else { return factors.sum() };
        let [path, edge] = self.rates.log_place(self.count);
        let above = if !upper.is_root() && tree.is_above(upper, lower) { path } else { 0.0 };
        above + if tree.parent(lower) == upper { edge } else { 0.0 }
    }
}

/// Which options of a factor are above its concept in a tree.
fn above_in(tree: &Tree, factor: &Factor) -> Above {
    let up = std::iter::successors(Some(tree.parent(factor.lower)), |one| Some(tree.parent(*one)));
    let options = up.take_while(|one| !one.is_root()).filter_map(|one| factor.option(one));
    options.fold(Above::default(), |above, option| above.and(option))
}

/// The log-likelihood ratio of a vote's answer, between the statement being true and being false.
fn weight(belief: &dyn Belief, vote: &Vote) -> f64 {
    let rates = belief.rates(vote.worker);
    let [so, not] = [Relation::Above, Relation::Neither].map(|relation| rates.yes(relation));
    match vote.answer {
        Answer::Yes => (so / not).ln(),
        Answer::No => ((1.0 - so) / (1.0 - not)).ln(),
        Answer::CantSay => 0.0,
    }
}

/// Trees with an edge and trees without it, each with its outline.
struct Contrast {
    with: Vec<(Tree, Outline)>,
    without: Vec<(Tree, Outline)>,
}

impl Contrast {
    fn new(belief: &dyn Belief, parent: Concept, child: Concept) -> Self {
        let count = belief.evidence().count().max(1);
        let wanted = (TREES * 100 / count).clamp(FEWEST_TREES, TREES);
        let trees = belief.sample(wanted, &mut ChaCha8Rng::seed_from_u64(0));
        let (mut with, mut without): (Vec<_>, Vec<_>) =
            trees.into_iter().partition(|tree| tree.parent(child) == parent);
        // The most probable tree would do as well, but takes a second to find with 1,000 concepts.
        if with.is_empty() {
            with.extend(without.iter().find_map(|tree| moved(tree, child, parent)));
        }
        if without.is_empty() {
            without.extend(with.iter().find_map(|tree| moved(tree, child, Concept::ROOT)));
        }
        let outlined = |tree: Tree| {
            let outline = tree.outline();
            (tree, outline)
        };
        let [with, without] = [with, without].map(|trees| trees.into_iter().map(outlined).collect());
        Self { with, without }
    }

    /// How much more a response speaks for trees with the edge than for those without.
    fn between(&self, said: &Likelihood) -> f64 {
        let mean = |trees: &[(Tree, Outline)]| {
            trees.iter().map(|(tree, _)| said.log(tree)).sum::<f64>() / trees.len().max(1) as f64
        };
        mean(&self.with) - mean(&self.without)
    }

    /// How much likelier the statement of a question is with the edge than without.
    fn difference(&self, Question { kind, upper, lower }: Question) -> f64 {
        let share = |trees: &[(Tree, Outline)]| {
            let holds = |(tree, outline): &&(Tree, Outline)| match kind {
                Kind::Path => outline.is_above(upper, lower),
                Kind::Edge => tree.parent(lower) == upper,
            };
            trees.iter().filter(holds).count() as f64 / trees.len().max(1) as f64
        };
        share(&self.with) - share(&self.without)
    }
}

/// The tree with a concept, and all below it, moved under another; `None` where that is one of those below.
fn moved(tree: &Tree, concept: Concept, to: Concept) -> Option<Tree> {
    let mut parents = tree.parents().to_vec();
    parents[concept.index() - 1] = to;
    Tree::from_parents(&parents).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, Exact, Settings, Worker};

    const RATE: f64 = 0.1;

    /// Food, fruit and orange: two votes for fruit above orange and one against, one for food above orange, one "can't say".
    fn belief() -> (Exact, [Concept; 3]) {
        let [food, fruit, orange] = [1, 2, 3].map(Concept::new);
        let mut belief = Exact::new(Evidence::new(3, Settings::one_rate(RATE).unwrap()).unwrap()).unwrap();
        let votes = [
            (fruit, orange, Answer::Yes),
            (food, orange, Answer::Yes),
            (fruit, orange, Answer::No),
            (fruit, orange, Answer::Yes),
            (food, fruit, Answer::CantSay),
        ];
        for (worker, (upper, lower, answer)) in (0..).zip(votes) {
            let question = Question::path(upper, lower).unwrap();
            belief.record(Vote { question, worker: Worker::new(worker), answer }).unwrap();
        }
        (belief, [food, fruit, orange])
    }

    #[test]
    fn votes_on_the_two_concepts_count_in_full() {
        let (belief, [_, fruit, orange]) = belief();
        let why = Why::of(&belief, orange, Some(fruit)).unwrap();
        assert_eq!((why.child, why.parent), (orange, fruit));
        assert_eq!(why.certainty, chance_of(fruit, &belief.parents(orange)));
        assert_eq!(why.above, belief.path(fruit, orange));
        assert_eq!(why.direct.iter().map(|influence| influence.vote.index()).collect::<Vec<_>>(), [0, 2, 3]);
        // With the edge, fruit is above orange in all trees; the weight of a yes is ln 9, and of a no -ln 9.
        let without = Contrast::new(&belief, fruit, orange).without;
        let share = without.iter().filter(|(tree, _)| tree.is_above(fruit, orange)).count() as f64;
        let expected = ((1.0 - RATE) / RATE).ln() * (1.0 - share / without.len() as f64);
        for (influence, sign) in why.direct.iter().zip([1.0, -1.0, 1.0]) {
            assert!((influence.log_odds - sign * expected).abs() < 1e-12, "{influence:?}");
        }
    }

    #[test]
    fn votes_on_other_pairs_are_listed_by_influence() {
        let (belief, [food, _, orange]) = belief();
        let why = Why::of(&belief, orange, Some(food)).unwrap();
        assert_eq!(why.direct.len(), 1);
        let weights: Vec<f64> = why.indirect.iter().map(|influence| influence.log_odds.abs()).collect();
        assert!(
            weights.is_sorted_by(|a, b| a >= b) && weights.iter().all(|weight| *weight >= LEAST_INFLUENCE)
        );
        // A vote for fruit above orange is one against food as its parent; "can't say" has no influence.
        let signs: Vec<_> =
            why.indirect.iter().map(|influence| (influence.vote.index(), influence.log_odds < 0.0)).collect();
        assert_eq!(signs, [(0, true), (2, false), (3, true)]);
        let agreed = agreed_tree(&belief).parent(orange);
        assert_eq!(Why::of(&belief, orange, None).unwrap(), Why::of(&belief, orange, Some(agreed)).unwrap());
    }

    #[test]
    fn an_edge_of_no_sampled_tree_is_compared_with_a_moved_one() {
        let (mut belief, [food, fruit, orange]) = belief();
        belief.correct(crate::Correction::DirectlyUnder { lower: orange, upper: fruit }).unwrap();
        let contrast = Contrast::new(&belief, fruit, orange);
        assert_eq!((contrast.with.len(), contrast.without.len()), (TREES, 1));
        let contrast = Contrast::new(&belief, food, orange);
        assert_eq!((contrast.with.len(), contrast.without.len()), (1, TREES));
        assert_eq!(contrast.with[0].0.parent(orange), food);
    }

    #[test]
    fn refuses_what_has_no_place() {
        let (belief, [food, ..]) = belief();
        let unknown = Concept::new(4);
        let refused = |child, parent| Why::of(&belief, child, parent).unwrap_err();
        assert_eq!(refused(Concept::ROOT, None), grove_vocabulary::Error::Root.into());
        assert_eq!(refused(food, Some(food)), grove_vocabulary::Error::SameConcept.into());
        assert_eq!(refused(unknown, None), Error::UnknownConcept { concept: unknown, count: 3 });
        assert_eq!(refused(food, Some(unknown)), Error::UnknownConcept { concept: unknown, count: 3 });
    }
}
