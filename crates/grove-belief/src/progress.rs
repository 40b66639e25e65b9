use grove_tree::Concept;
use serde::{Deserialize, Serialize};

use crate::{Belief, entropy_bits};

/// How far a belief has come, without knowing the true hierarchy.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// The number of concepts.
    pub concepts: u32,
    /// The expected number of concepts of which the likeliest is right: that all people place it under one parent, or that they differ between two.
    pub expected_right: f64,
    /// The sum of the entropies of what may be true of each concept's place, in bits.
    pub entropy: f64,
    /// The chance of what is likeliest of the least certain concept.
    pub least_certain: f64,
}

impl Progress {
    /// Reads a belief. Asks for the places of every concept.
    #[must_use]
    pub fn of(belief: &dyn Belief) -> Self {
        let count = belief.evidence().count();
        let (mut expected_right, mut entropy, mut least_certain) = (0.0, 0.0, f64::INFINITY);
        for child in Concept::all(count) {
            let outcomes = belief.outcomes(child);
            let likeliest = outcomes.iter().copied().fold(0.0, f64::max);
            expected_right += likeliest;
            least_certain = f64::min(least_certain, likeliest);
            entropy += entropy_bits(outcomes);
        }
        Self { concepts: count as u32, expected_right, entropy, least_certain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Evidence, Exact, Question, Settings, Vote, Worker};

    #[test]
    fn two_concepts_by_hand() {
        let mut belief = Exact::new(Evidence::new(2, Settings::one_rate(0.1).unwrap()).unwrap()).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        // Of the three trees, two have each concept under the root.
        let start = Progress::of(&belief);
        let third = 1.0 / 3.0;
        assert_eq!(start.concepts, 2);
        assert!(close(start.expected_right, 4.0 * third) && close(start.least_certain, 2.0 * third));
        assert!(close(start.entropy, 2.0 * entropy_bits([third, 2.0 * third])));

        let question = Question::path(Concept::new(1), Concept::new(2)).unwrap();
        belief.record(Vote { question, worker: Worker::new(0), answer: Answer::Yes }).unwrap();
        // Weights 9 : 1 : 1.
        let now = Progress::of(&belief);
        assert!(close(now.expected_right, 19.0 / 11.0) && close(now.least_certain, 9.0 / 11.0));
        assert!(now.entropy < start.entropy);
    }
}
