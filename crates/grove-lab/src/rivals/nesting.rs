//! From labelled items to a hierarchy of labels: the rule that CASCADE and DELUGE share.

use grove_belief::Certainties;
use grove_tree::{Concept, Tree};

use super::benchmark::ITEMS;
use crate::Error;

/// A label is nested in another that has more than this share of its items.
const CONTAINED: f64 = 0.75;

/// Labels with fewer items are dropped.
const FEWEST_ITEMS: f64 = 2.0;

/// Whether items have labels: 0 or 1, or a probability.
pub(super) struct Memberships {
    labels: usize,
    /// By item, then label.
    shares: Vec<f64>,
}

impl Memberships {
    /// From the share of every pair, items first.
    pub(super) fn new(labels: usize, shares: Vec<f64>) -> Self {
        assert_eq!(shares.len(), labels * ITEMS, "every pair has a share");
        Self { labels, shares }
    }

    fn size(&self, label: usize) -> f64 {
        (0..ITEMS).map(|item| self.at(item, label)).sum()
    }

    fn at(&self, item: usize, label: usize) -> f64 {
        self.shares[item * self.labels + label]
    }

    /// The share of a label's items that another label has too; 0 for an empty one.
    fn containment(&self, upper: usize, lower: usize) -> f64 {
        let both: f64 = (0..ITEMS).map(|item| self.at(item, upper) * self.at(item, lower)).sum();
        let size = self.size(lower);
        if size > 0.0 { both / size } else { 0.0 }
    }

    /// The AUC of the edges (as [`Certainties::edge_auc`]) of the nesting.
    ///
    /// A label goes under the smallest larger one that has more than 75 % of its items, or under the root if none does. To rank all
    /// edges and not only those of one tree, the edges chosen by the rule come first, by how far the label is contained (for the
    /// root: by how little any other label contains it), and then all others in the same order. That turns the rival's tree from a
    /// point into a curve, and favours it: containment alone could not tell a parent from a grandparent.
    pub(super) fn edge_auc(&self, truth: &Tree) -> Result<f64, Error> {
        let sizes: Vec<f64> = (0..self.labels).map(|label| self.size(label)).collect();
        let strength: Vec<Vec<f64>> = (0..self.labels)
            .map(|lower| (0..self.labels).map(|upper| self.containment(upper, lower)).collect())
            .collect();
        let scores = (0..self.labels).map(|lower| scores(lower, &sizes, &strength)).collect();
        Ok(Certainties::new(scores)?.edge_auc(truth).unwrap_or(1.0))
    }
}

/// The scores of all parents of a label, scaled to be valid probabilities; only their order matters.
fn scores(lower: usize, sizes: &[f64], strength: &[Vec<f64>]) -> Vec<(Concept, f64)> {
    let others = || (0..sizes.len()).filter(move |&upper| upper != lower);
    let mutual = |upper: usize| strength[lower][upper] > CONTAINED && strength[upper][lower] > CONTAINED;
    // Of two labels that contain each other the smaller is dropped; of equal ones, the later.
    let loses = |upper: usize| mutual(upper) && (sizes[upper], upper) > (sizes[lower], lower);
    let dropped = sizes[lower] < FEWEST_ITEMS || others().any(loses);
    let holds = |&upper: &usize| {
        sizes[upper] > sizes[lower] && sizes[upper] >= FEWEST_ITEMS && strength[lower][upper] > CONTAINED
    };
    let chosen = others().filter(holds).min_by(|&a, &b| sizes[a].total_cmp(&sizes[b]));
    let most = others().map(|upper| strength[lower][upper]).fold(0.0, f64::max);
    let score = |is_chosen: bool, strength: f64| {
        let first = if is_chosen && !dropped { 1.0 } else { 0.0 };
        (first + strength) / (2.0 * (sizes.len() + 1) as f64)
    };
    let root = (Concept::ROOT, score(chosen.is_none(), 1.0 - most));
    let labels =
        others().map(|upper| (Concept::new(upper + 1), score(chosen == Some(upper), strength[lower][upper])));
    std::iter::once(root).chain(labels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels 1 over 2 over 3, and 4 apart; the first ten items have label 3, and so on.
    fn memberships(flip: Option<(usize, usize)>) -> Memberships {
        let mut shares = vec![0.0; 4 * ITEMS];
        for item in 0..ITEMS {
            let of: &[usize] = match item / 10 {
                0 => &[0, 1, 2],
                1 => &[0, 1],
                2 => &[0],
                3 => &[3],
                _ => &[],
            };
            of.iter().for_each(|label| shares[item * 4 + label] = 1.0);
        }
        if let Some((item, label)) = flip {
            shares[item * 4 + label] = 1.0 - shares[item * 4 + label];
        }
        Memberships::new(4, shares)
    }

    fn truth() -> Tree {
        Tree::from_parents(&[0, 1, 2, 0].map(Concept::new)).unwrap()
    }

    #[test]
    fn right_labels_give_the_right_hierarchy() {
        assert_eq!(memberships(None).edge_auc(&truth()).unwrap(), 1.0);
        // One wrong item of ten leaves the containment above three quarters.
        assert_eq!(memberships(Some((5, 1))).edge_auc(&truth()).unwrap(), 1.0);
    }

    #[test]
    fn a_wrong_hierarchy_is_noticed() {
        let wrong = Tree::from_parents(&[2, 3, 0, 0].map(Concept::new)).unwrap();
        assert!(memberships(None).edge_auc(&wrong).unwrap() < 0.8);
        let nothing = Memberships::new(4, vec![0.0; 4 * ITEMS]);
        assert!(nothing.edge_auc(&truth()).unwrap() < 0.9);
    }
}
