use grove_belief::entropy_bits;
use grove_tree::Concept;

use super::{Follower, Measures};

impl Follower {
    /// How good the hierarchy is, as far as the belief itself can tell.
    #[must_use]
    pub fn measures(&self) -> Option<Measures> {
        let belief = self.belief()?;
        let count = belief.evidence().count();
        let (mut expected_right, mut entropy, mut least_certain) = (0.0, 0.0, f64::INFINITY);
        for child in Concept::all(count) {
            let parents = belief.parents(child);
            let likeliest = parents.first().map_or(0.0, |parent| parent.1);
            expected_right += likeliest;
            least_certain = f64::min(least_certain, likeliest);
            entropy += entropy_bits(parents.iter().map(|parent| parent.1));
        }
        let votes = self.state.votes().count() as u64;
        Some(Measures { votes, concepts: count as u32, expected_right, entropy, least_certain })
    }
}
