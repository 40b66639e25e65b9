use std::fmt;

use grove_belief::{Kind, Question};
use grove_tree::{Concept, Tree};
use rand::Rng;
use rand_distr::{Beta, Distribution};

use crate::Error;
use crate::error::chance;

/// Rates are known for up to this many steps between two concepts; longer paths use the last.
const DISTANCES: usize = 4;

/// How often a person who reads the question says yes, given the hierarchy that the person has in mind.
///
/// Unlike the rates a belief assumes, these may be 0 or 1: simulated people can be perfect.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AnswerRates(Model);

#[derive(Clone, Copy, PartialEq, Debug)]
enum Model {
    /// For true statements, and for false ones.
    Two([f64; 2]),
    /// By steps for concepts above, by steps for reversed ones, for siblings, and for unrelated concepts.
    ByRelation([f64; 2 * DISTANCES + 2]),
}

/// How the two concepts of a question are related in a tree.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Standing {
    /// The upper is above the lower by this many edges.
    Above(usize),
    /// The lower is above the upper by this many edges.
    Reversed(usize),
    /// They have the same parent, the root included.
    Siblings,
    Unrelated,
}

impl AnswerRates {
    /// One chance of yes for true statements, one for false statements.
    ///
    /// # Errors
    /// [`Error::NotAChance`] unless both are within 0 and 1.
    pub fn two(yes_if_true: f64, yes_if_false: f64) -> Result<Self, Error> {
        let if_true = chance("yes if true", yes_if_true)?;
        Ok(Self(Model::Two([if_true, chance("yes if false", yes_if_false)?])))
    }

    /// Answers are wrong with this chance.
    ///
    /// # Errors
    /// [`Error::NotAChance`] unless it is within 0 and 1.
    pub fn one(noise: f64) -> Result<Self, Error> {
        Self::two(1.0 - chance("noise", noise)?, noise)
    }

    /// Common nouns, workers who passed a test: .94 and .05.
    #[must_use]
    pub const fn qualified() -> Self {
        Self(Model::Two([0.94, 0.05]))
    }

    /// Common nouns, workers without a test: .83 and .20.
    #[must_use]
    pub const fn open() -> Self {
        Self(Model::Two([0.83, 0.20]))
    }

    /// Abstract terms: .62 and .25.
    #[must_use]
    pub const fn abstract_terms() -> Self {
        Self(Model::Two([0.62, 0.25]))
    }

    /// Rates that depend on how the two concepts are related, as measured on people who were asked "is X a type of Y": true
    /// statements .81 to .87 over one to four steps (interpolated evenly here); reversed ones .34, .28, .20 and .18 by steps;
    /// siblings .27; unrelated concepts .02.
    ///
    /// An edge question about concepts that are further apart was not measured. It uses the rates of reversed ones, since the
    /// concepts are related but the statement is false.
    #[must_use]
    pub const fn by_relation() -> Self {
        Self(Model::ByRelation([0.81, 0.83, 0.85, 0.87, 0.34, 0.28, 0.20, 0.18, 0.27, 0.02]))
    }

    /// The chances of yes for true and for false statements; none if the rates depend on more.
    #[must_use]
    pub fn two_rates(&self) -> Option<[f64; 2]> {
        match self.0 {
            Model::Two(rates) => Some(rates),
            Model::ByRelation(_) => None,
        }
    }

    /// The chance of a yes from a person who has this tree in mind. O(depth).
    ///
    /// # Panics
    /// If the question is about concepts that the tree does not have.
    #[must_use]
    pub fn yes(&self, tree: &Tree, question: Question) -> f64 {
        let within = |steps: usize| steps.min(DISTANCES) - 1;
        let place = match (standing(tree, question.upper, question.lower), question.kind) {
            (Standing::Above(steps), Kind::Path) | (Standing::Above(steps @ 1), Kind::Edge) => within(steps),
            (Standing::Above(steps) | Standing::Reversed(steps), _) => DISTANCES + within(steps),
            (Standing::Siblings, _) => 2 * DISTANCES,
            (Standing::Unrelated, _) => 2 * DISTANCES + 1,
        };
        match self.0 {
            Model::Two([if_true, if_false]) => {
                if place < DISTANCES {
                    if_true
                } else {
                    if_false
                }
            }
            Model::ByRelation(rates) => rates[place],
        }
    }

    /// Draws one person's rates, each independently from the Beta distribution with this mean and concentration (the sum of its
    /// two parameters). Among people a rate m has the standard deviation sqrt(m (1 - m) / (concentration + 1)).
    ///
    /// # Errors
    /// [`Error::BadConcentration`] unless it is at least 1.
    pub fn individual(&self, concentration: f64, rng: &mut (impl Rng + ?Sized)) -> Result<Self, Error> {
        check_concentration(concentration)?;
        let own = |mean: f64| {
            // No Beta distribution has the mean 0 or 1: everybody has the same rate then.
            Beta::new(mean * concentration, (1.0 - mean) * concentration)
                .map_or(mean, |beta| beta.sample(&mut *rng))
        };
        Ok(Self(match self.0 {
            Model::Two(means) => Model::Two(means.map(own)),
            Model::ByRelation(means) => Model::ByRelation(means.map(own)),
        }))
    }
}

impl fmt::Display for AnswerRates {
    /// As in a crowd description: two numbers, or `by_relation`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Model::Two([if_true, if_false]) => write!(f, "{if_true} {if_false}"),
            Model::ByRelation(_) => f.write_str("by_relation"),
        }
    }
}

/// Below 1 nearly everybody would be perfect or hopeless, and the sampler would lose precision.
pub(crate) fn check_concentration(concentration: f64) -> Result<(), Error> {
    if concentration >= 1.0 && concentration.is_finite() {
        Ok(())
    } else {
        Err(Error::BadConcentration(concentration))
    }
}

fn standing(tree: &Tree, upper: Concept, lower: Concept) -> Standing {
    let steps =
        |from: Concept, to: Concept| tree.ancestors(from).position(|above| above == to).map(|at| at + 1);
    if let Some(steps) = steps(lower, upper) {
        Standing::Above(steps)
    } else if let Some(steps) = steps(upper, lower) {
        Standing::Reversed(steps)
    } else if tree.parent(upper) == tree.parent(lower) {
        Standing::Siblings
    } else {
        Standing::Unrelated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn concept(number: usize) -> Concept {
        Concept::new(number)
    }

    /// 0 - 1 - 2 - 3 - 4 - 5 - 6, 1 - 7, 0 - 8.
    fn tree() -> Tree {
        Tree::from_parents(&[0, 1, 2, 3, 4, 5, 1, 0].map(Concept::new)).unwrap()
    }

    fn path(rates: AnswerRates, upper: usize, lower: usize) -> f64 {
        rates.yes(&tree(), Question::path(concept(upper), concept(lower)).unwrap())
    }

    fn edge(rates: AnswerRates, upper: usize, lower: usize) -> f64 {
        rates.yes(&tree(), Question::edge(concept(upper), concept(lower)).unwrap())
    }

    #[test]
    fn two_rates_are_returned_where_there_are_two() {
        assert_eq!(AnswerRates::two(0.9, 0.2).unwrap().two_rates(), Some([0.9, 0.2]));
        assert_eq!(AnswerRates::by_relation().two_rates(), None);
    }

    #[test]
    fn two_rates_tell_true_from_false() {
        let rates = AnswerRates::two(0.9, 0.2).unwrap();
        assert_eq!([path(rates, 1, 2), path(rates, 1, 6)], [0.9, 0.9]);
        assert_eq!([path(rates, 2, 1), path(rates, 2, 7), path(rates, 7, 8)], [0.2, 0.2, 0.2]);
        assert_eq!([edge(rates, 1, 2), edge(rates, 1, 3), edge(rates, 2, 1)], [0.9, 0.2, 0.2]);
        let noise = AnswerRates::one(0.1).unwrap();
        assert_eq!([path(noise, 1, 2), path(noise, 2, 1)], [0.9, 0.1]);
    }

    #[test]
    fn relations_have_rates_of_their_own() {
        let rates = AnswerRates::by_relation();
        let down = [2, 3, 4, 5, 6].map(|lower| path(rates, 1, lower));
        assert_eq!(down, [0.81, 0.83, 0.85, 0.87, 0.87]);
        let up = [2, 3, 4, 5, 6].map(|upper| path(rates, upper, 1));
        assert_eq!(up, [0.34, 0.28, 0.20, 0.18, 0.18]);
        assert_eq!([path(rates, 2, 7), path(rates, 1, 8)], [0.27, 0.27]);
        assert_eq!([path(rates, 3, 7), path(rates, 8, 6)], [0.02, 0.02]);
        assert_eq!([edge(rates, 1, 2), edge(rates, 1, 3), edge(rates, 3, 1)], [0.81, 0.28, 0.28]);
    }

    #[test]
    fn refuses_invalid_chances() {
        for bad in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
            assert!(matches!(AnswerRates::two(bad, 0.1), Err(Error::NotAChance { .. })));
            assert!(matches!(AnswerRates::two(0.9, bad), Err(Error::NotAChance { .. })));
        }
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for bad in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
            assert!(matches!(AnswerRates::open().individual(bad, &mut rng), Err(Error::BadConcentration(_))));
        }
    }

    /// How far, in standard errors, the mean and the variance of 40,000 people's rates are from those of a Beta
    /// distribution with mean .83 and a concentration of 20.
    fn strangeness(concentration: f64) -> [f64; 2] {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let people = 40_000;
        let mut draw = || path(AnswerRates::open().individual(concentration, &mut rng).unwrap(), 1, 2);
        let rates: Vec<f64> = (0..people).map(|_| draw()).collect();
        let mean = rates.iter().sum::<f64>() / f64::from(people);
        let off: Vec<f64> = rates.iter().map(|rate| (rate - 0.83).powi(2)).collect();
        let variance = off.iter().sum::<f64>() / f64::from(people);
        let fourth = off.iter().map(|square| (square - variance).powi(2)).sum::<f64>() / f64::from(people);
        let expected = 0.83 * 0.17 / 21.0;
        let error = |spread: f64| (spread / f64::from(people)).sqrt();
        [(mean - 0.83) / error(expected), (variance - expected) / error(fourth)]
    }

    #[test]
    fn people_vary_as_a_beta_distribution() {
        // Two z values; alpha 1e-4 each. The planted fault is a concentration that is 10 % off.
        assert!(strangeness(20.0).iter().all(|z| z.abs() < 3.9), "{:?}", strangeness(20.0));
        assert!(strangeness(22.0)[1] < -3.9);
    }

    #[test]
    fn extremes_stay_chances() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let steep = AnswerRates::two(1.0 - 1e-9, 1e-9).unwrap();
        for concentration in [1.0, 20.0, 1e12] {
            for _ in 0..2_000 {
                let own = steep.individual(concentration, &mut rng).unwrap();
                assert!((0.0..=1.0).contains(&path(own, 1, 2)) && (0.0..=1.0).contains(&path(own, 2, 1)));
            }
        }
        let perfect = AnswerRates::one(0.0).unwrap();
        assert_eq!(perfect.individual(20.0, &mut rng).unwrap(), perfect);
    }
}
