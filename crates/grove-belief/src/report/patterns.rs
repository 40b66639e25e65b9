//! Majorities that contradict each other.

use std::collections::HashMap;

use grove_tree::Concept;

use super::ReportOptions;
use super::answers::{Tally, ballots};
use crate::{Belief, Kind};

/// Majorities say that the upper is above the middle and the middle above the lower one, but not the upper above the lower.
///
/// At least one of the three majorities errs, or a name means different things in different questions.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransitivityClash {
    /// The concept said to be above the middle one.
    #[serde(skip)]
    pub upper: Concept,
    /// The concept in between.
    #[serde(skip)]
    pub middle: Concept,
    /// The concept said to be below the middle one.
    #[serde(skip)]
    pub lower: Concept,
    /// The votes on "upper above middle", mostly yes.
    pub upper_middle: Tally,
    /// The votes on "middle above lower", mostly yes.
    pub middle_lower: Tally,
    /// The votes on "upper above lower", mostly no.
    pub upper_lower: Tally,
}

impl TransitivityClash {
    /// The lead of the weakest of the three majorities.
    fn weakest(&self) -> i64 {
        self.upper_middle.lead().min(self.middle_lower.lead()).min(-self.upper_lower.lead())
    }
}

/// Two concepts of which a majority holds each to be above the other: perhaps two names of one thing.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbableSynonyms {
    /// The two, by number.
    #[serde(skip)]
    pub concepts: [Concept; 2],
    /// The votes on the first above the second, mostly yes.
    pub first_above: Tally,
    /// The votes on the second above the first, mostly yes.
    pub second_above: Tally,
}

impl ProbableSynonyms {
    fn weakest(&self) -> i64 {
        self.first_above.lead().min(self.second_above.lead())
    }
}

/// The majorities on path questions. A tie is none.
pub(super) struct Majorities {
    yes: HashMap<(Concept, Concept), Tally>,
    no: Vec<((Concept, Concept), Tally)>,
    /// For every concept, those that a majority holds to be above it.
    uppers: HashMap<Concept, Vec<Concept>>,
}

impl Majorities {
    pub(super) fn new(belief: &dyn Belief) -> Self {
        let mut majorities = Self { yes: HashMap::new(), no: Vec::new(), uppers: HashMap::new() };
        for (question, ballot) in ballots(belief).filter(|(question, _)| question.kind == Kind::Path) {
            let (pair, votes) = ((question.upper, question.lower), Tally::of(ballot));
            match votes.lead() {
                1.. => {
                    majorities.yes.insert(pair, votes);
                    majorities.uppers.entry(pair.1).or_default().push(pair.0);
                }
                ..0 => majorities.no.push((pair, votes)),
                0 => {}
            }
        }
        majorities
    }

    /// Triangles, those of the strongest majorities first. O(denied pairs * concepts held to be above their lower one).
    pub(super) fn clashes(&self, options: &ReportOptions) -> Vec<TransitivityClash> {
        let mut clashes: Vec<TransitivityClash> =
            self.no.iter().flat_map(|&(pair, votes)| self.clashes_with(pair, votes)).collect();
        clashes.sort_by_key(|clash| (-clash.weakest(), clash.upper, clash.middle, clash.lower));
        clashes.truncate(options.longest_list);
        clashes
    }

    fn clashes_with(
        &self,
        (upper, lower): (Concept, Concept),
        upper_lower: Tally,
    ) -> impl Iterator<Item = TransitivityClash> {
        self.uppers.get(&lower).into_iter().flatten().filter_map(move |&middle| {
            let upper_middle = *self.yes.get(&(upper, middle))?;
            let middle_lower = self.yes[&(middle, lower)];
            Some(TransitivityClash { upper, middle, lower, upper_middle, middle_lower, upper_lower })
        })
    }

    /// Pairs with a yes both ways, those of the strongest majorities first.
    pub(super) fn synonyms(&self, options: &ReportOptions) -> Vec<ProbableSynonyms> {
        let both = |(&(one, other), &first_above): (&(Concept, Concept), &Tally)| {
            let second_above = *self.yes.get(&(other, one))?;
            (one < other).then_some(ProbableSynonyms { concepts: [one, other], first_above, second_above })
        };
        let mut synonyms: Vec<ProbableSynonyms> = self.yes.iter().filter_map(both).collect();
        // By a unique key, so that the order of the hash map does not matter.
        synonyms.sort_by_key(|pair| (-pair.weakest(), pair.concepts));
        synonyms.truncate(options.longest_list);
        synonyms
    }
}
