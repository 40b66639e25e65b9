use std::collections::BTreeMap;
use std::sync::Arc;

use grove_tree::{Concept, NamedTree, Tree};
use rand::{Rng, RngExt};

use crate::Error;
use crate::dataset::{columns, content_lines};

/// How far a sum of shares may pass 1 by rounding.
const ROUNDING: f64 = 1e-9;

/// How people disagree about a hierarchy: for some concepts, which share of people has which parent in mind.
///
/// People place each divided concept independently; everything else is as in the reference hierarchy.
#[derive(Clone, PartialEq, Debug)]
pub struct Shares {
    reference: Arc<Tree>,
    /// The possible parents of the divided concepts, most common first; the shares of each sum to 1.
    divided: BTreeMap<Concept, Vec<(Concept, f64)>>,
}

impl Shares {
    /// Everybody has the reference hierarchy in mind.
    #[must_use]
    pub fn none(reference: &Tree) -> Self {
        Self { reference: Arc::new(reference.clone()), divided: BTreeMap::new() }
    }

    /// Reads lines `concept<TAB>parent<TAB>share`, such as `tomato<TAB>vegetable<TAB>0.4`. The parent may be the root. Where the shares of a concept
    /// sum to less than 1, the remaining people keep the parent of the reference. Empty lines and lines that begin with # are skipped.
    ///
    /// # Errors
    /// [`Error::BadLine`], and [`Error::CycleByShares`] if somebody could place a concept below itself.
    pub fn parse(text: &str, reference: &NamedTree) -> Result<Self, Error> {
        let mut shares = Self::none(reference.tree());
        for (line, found) in content_lines(text) {
            let bad = |problem: String| Err(Error::line(line, problem));
            let [concept, parent, share] = columns(line, found, "concept, parent and share")?;
            let find = |name| {
                let unknown =
                    || format!("{name} is not in the hierarchy; correct the name, or add the concept there");
                reference.find(name).ok_or_else(|| Error::line(line, unknown()))
            };
            let (child, at) = (find(concept)?, find(parent)?);
            let Some(share) = share.parse().ok().filter(|&share| share > 0.0 && share <= 1.0) else {
                return bad(format!(
                    "the share is {share:?}; give a number above 0 and up to 1, such as 0.6"
                ));
            };
            if child.is_root() {
                return bad(format!("{concept} is the root and has no parent; remove the line"));
            }
            let parents = shares.divided.entry(child).or_default();
            if parents.iter().any(|listed| listed.0 == at) {
                return bad(format!(
                    "the share of {concept} under {parent} was given before; keep one of them"
                ));
            }
            parents.push((at, share));
            let sum = total(parents);
            if sum > 1.0 + ROUNDING {
                return bad(format!("the shares of {concept} sum to {sum}; lower them to 1 or less"));
            }
        }
        shares.assign_rest();
        let names = |cycle: Vec<Concept>| cycle.iter().map(|&on| reference.name(on).to_owned()).collect();
        shares.find_cycle().map_or(Ok(shares), |cycle| Err(Error::CycleByShares(names(cycle))))
    }

    /// Gives the share of people that no line mentions to the parent of the reference.
    fn assign_rest(&mut self) {
        for (&child, parents) in &mut self.divided {
            let rest = 1.0 - total(parents);
            if rest > ROUNDING {
                let reference = self.reference.parent(child);
                match parents.iter_mut().find(|listed| listed.0 == reference) {
                    Some(listed) => listed.1 += rest,
                    None => parents.push((reference, rest)),
                }
            }
            parents.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
    }

    /// A cycle that a person could have in mind, each concept followed by a possible parent.
    ///
    /// A cycle uses one possible parent of each concept on it, and people place concepts independently. So the graph of all
    /// possible parents has a cycle exactly when some person draws it with positive probability. O(N) per divided concept.
    fn find_cycle(&self) -> Option<Vec<Concept>> {
        let mut settled = vec![false; self.reference.len() + 1];
        settled[Concept::ROOT.index()] = true;
        let outline = self.reference.outline();
        let mut left: Vec<Concept> = outline.order()[1..].to_vec();
        loop {
            let before = left.len();
            left.retain(|&concept| {
                let leads_to_root = self.possible(concept).all(|parent| settled[parent.index()]);
                settled[concept.index()] = leads_to_root;
                !leads_to_root
            });
            if left.len() == before {
                break;
            }
        }
        let unsettled = |at: Concept| self.possible(at).find(|parent| !settled[parent.index()]);
        let mut walk = vec![*left.first()?];
        loop {
            let next =
                unsettled(walk[walk.len() - 1]).expect("only a concept with an unsettled parent is left");
            if let Some(begin) = walk.iter().position(|&seen| seen == next) {
                return Some(walk.split_off(begin));
            }
            walk.push(next);
        }
    }

    fn possible(&self, child: Concept) -> impl Iterator<Item = Concept> {
        let divided = self.divided.get(&child);
        let reference = divided.is_none().then(|| self.reference.parent(child));
        divided.into_iter().flatten().map(|listed| listed.0).chain(reference)
    }

    /// The reference hierarchy.
    #[must_use]
    pub fn reference(&self) -> &Tree {
        &self.reference
    }

    /// The concepts that people place differently.
    pub fn divided(&self) -> impl Iterator<Item = Concept> {
        self.divided.keys().copied()
    }

    /// The parents that people have in mind for a concept, with the share of people, most common first.
    #[must_use]
    pub fn parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        match self.divided.get(&child) {
            Some(parents) => parents.clone(),
            None => vec![(self.reference.parent(child), 1.0)],
        }
    }

    /// The hierarchy that one person has in mind. O(N), one random draw per divided concept.
    #[must_use]
    pub fn draw(&self, rng: &mut (impl Rng + ?Sized)) -> Arc<Tree> {
        if self.divided.is_empty() {
            return Arc::clone(&self.reference);
        }
        let mut parents = self.reference.parents().to_vec();
        for (child, shares) in &self.divided {
            // Past the last by rounding only: the shares sum to 1.
            let parent = at_quantile(shares.iter().copied(), rng.random()).unwrap_or(shares[0].0);
            parents[child.index() - 1] = parent;
        }
        Arc::new(Tree::from_parents(&parents).expect("no choice of possible parents has a cycle"))
    }
}

/// The value at this quantile of values with their shares; none past the last.
pub(crate) fn at_quantile<T>(shares: impl IntoIterator<Item = (T, f64)>, mut quantile: f64) -> Option<T> {
    let is_there = |&(_, share): &(T, f64)| {
        quantile -= share;
        quantile < 0.0
    };
    shares.into_iter().find(is_there).map(|(value, _)| value)
}

fn total(parents: &[(Concept, f64)]) -> f64 {
    parents.iter().map(|listed| listed.1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_tree;
    use grove_belief::Certainties;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    impl Shares {
        /// The planted shares of all concepts. The people of one crowd differ from them by chance.
        pub(crate) fn certainties(&self) -> Result<Certainties, Error> {
            Ok(Certainties::new(self.reference.concepts().map(|child| self.parents(child)).collect())?)
        }
    }

    fn food() -> NamedTree {
        read_tree("fruit\tfood\nvegetable\tfood\ntomato\tfruit\npepper\tvegetable\n").unwrap()
    }

    fn parse(text: &str) -> Result<Shares, Error> {
        Shares::parse(text, &food())
    }

    fn find(name: &str) -> Concept {
        food().find(name).unwrap()
    }

    const BOTH: &str = "tomato\tfruit\t0.6\ntomato\tvegetable\t0.4\npepper\tfruit\t0.3\n";

    #[test]
    fn the_rest_keeps_the_reference() {
        let parents = |text: &str| parse(text).unwrap().parents(find("tomato"));
        let (fruit, vegetable) = (find("fruit"), find("vegetable"));
        assert_eq!(parents(""), [(fruit, 1.0)]);
        assert_eq!(parents("tomato\tvegetable\t0.25"), [(fruit, 0.75), (vegetable, 0.25)]);
        assert_eq!(parents("tomato\tfruit\t0.25"), [(fruit, 1.0)]);
        assert_eq!(parents("tomato\tfood\t0.5\ntomato\tfruit\t0.25"), [(Concept::ROOT, 0.5), (fruit, 0.5)]);
        assert_eq!(parents("tomato\tvegetable\t1"), [(vegetable, 1.0)]);
        let certainties = parse(BOTH).unwrap().certainties().unwrap();
        assert_eq!(certainties.parent(vegetable, find("pepper")), 0.7);
    }

    #[test]
    fn errors_name_the_line_and_the_remedy() {
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            say("# who\ntomato\tvegetable"),
            "line 2: expected concept, parent and share, separated by tabs, but found \"tomato\\tvegetable\""
        );
        assert_eq!(
            say("tomatoe\tvegetable\t0.4"),
            "line 1: tomatoe is not in the hierarchy; correct the name, or add the concept there"
        );
        assert_eq!(say("food\tfruit\t0.1"), "line 1: food is the root and has no parent; remove the line");
        for bad in ["0", "-0.1", "1.1", "NaN", "inf", "40%"] {
            assert_eq!(
                say(&format!("tomato\tvegetable\t{bad}")),
                format!("line 1: the share is {bad:?}; give a number above 0 and up to 1, such as 0.6")
            );
        }
        assert_eq!(
            say("tomato\tfruit\t0.5\n\ntomato\tfruit\t0.5"),
            "line 3: the share of tomato under fruit was given before; keep one of them"
        );
        assert_eq!(
            say("tomato\tfruit\t0.75\ntomato\tvegetable\t0.5"),
            "line 2: the shares of tomato sum to 1.25; lower them to 1 or less"
        );
    }

    #[test]
    fn shares_that_allow_a_cycle_are_refused() {
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            say("tomato\ttomato\t0.1"),
            "some people would place tomato under tomato; remove one of these shares"
        );
        assert_eq!(
            say("fruit\ttomato\t0.1"),
            "some people would place fruit under tomato under fruit; remove one of these shares"
        );
        // Each share alone is fine; only together they close the ring.
        let (first, second) = ("fruit\tpepper\t0.5\n", "vegetable\ttomato\t0.5\n");
        assert!(parse(first).is_ok() && parse(second).is_ok());
        assert!(matches!(parse(&[first, second].concat()), Err(Error::CycleByShares(on)) if on.len() == 4));
        // If nobody keeps the tomato under fruit, fruit may stand under it.
        assert!(parse("fruit\ttomato\t1\ntomato\tfood\t1").is_ok());
    }

    /// Chi-square of how 100,000 people place (tomato, pepper), against the shares taken independently.
    fn unevenness(mut draw: impl FnMut(&mut ChaCha8Rng) -> Arc<Tree>) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let people = 100_000;
        let mut seen = [[0_u32; 2]; 2];
        for _ in 0..people {
            let tree = draw(&mut rng);
            let among = |name: &str| usize::from(tree.parent(find(name)) == find("fruit"));
            seen[among("tomato")][among("pepper")] += 1;
        }
        let expected =
            [[0.4 * 0.7, 0.4 * 0.3], [0.6 * 0.7, 0.6 * 0.3]].map(|row| row.map(|p| p * f64::from(people)));
        let cells = seen.as_flattened().iter().zip(expected.as_flattened());
        cells.map(|(&seen, &expected)| (f64::from(seen) - expected).powi(2) / expected).sum()
    }

    #[test]
    fn people_divide_by_the_shares_and_independently() {
        // The 1 - 1e-4 quantile of chi-square with 3 degrees of freedom.
        const CRITICAL: f64 = 21.11;
        let shares = parse(BOTH).unwrap();
        let found = unevenness(|rng| shares.draw(rng));
        assert!(found < CRITICAL, "{found}");
        // Planted faults: shares one point off; one quantile for all concepts of a person.
        let off = parse("tomato\tvegetable\t0.41\npepper\tfruit\t0.3").unwrap();
        assert!(unevenness(|rng| off.draw(rng)) > CRITICAL);
        let together = |rng: &mut ChaCha8Rng| {
            let quantile = rng.random();
            let mut parents = shares.reference().parents().to_vec();
            for child in shares.divided() {
                parents[child.index() - 1] = at_quantile(shares.parents(child), quantile).unwrap();
            }
            Arc::new(Tree::from_parents(&parents).unwrap())
        };
        assert!(unevenness(together) > CRITICAL);
    }

    #[test]
    fn without_shares_everybody_has_the_reference_in_mind() {
        let shares = Shares::none(food().tree());
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        assert_eq!(*shares.draw(&mut rng), *food().tree());
    }
}
