use std::borrow::Cow;

use super::search::{Edge, Entering, Search};
use crate::Result;
use crate::weights::check_row;

/// The scores of the edges from every concept, by number, if it is outside the node; negative infinity where there is no edge.
pub(super) struct Row<'a>(pub(super) Cow<'a, [f64]>);

impl Default for Row<'_> {
    fn default() -> Self {
        Self(Cow::Borrowed(&[]))
    }
}

impl Entering for Row<'_> {
    fn best(search: &mut Search<Self>, node: usize) -> Result<Option<Edge>> {
        let row = &search.nodes[node].entering.0;
        let (parent, score) = if node > search.count {
            largest(row)
        } else {
            check_row(node, row)?;
            // A concept's own entry is skipped: marginals hold 0 there.
            let (before, after) = (largest(&row[..node]), largest(&row[node + 1..]));
            if after.1 > before.1 { (node + 1 + after.0, after.1) } else { before }
        };
        let exists = score > f64::NEG_INFINITY;
        Ok(exists.then(|| Edge { score, parent, child: entered(search, node, parent) }))
    }

    /// The element-wise maximum of each member's gain from leaving the cycle.
    fn joined(search: &mut Search<Self>, members: &[usize]) -> Self {
        let mut row = vec![f64::NEG_INFINITY; search.count + 1];
        for &member in members {
            let member = &search.nodes[member];
            raise(&mut row, &member.entering.0, member.chosen.score);
        }
        let whole = search.outermost(members[0]);
        for (concept, entry) in row.iter_mut().enumerate() {
            if search.outermost(concept) == whole {
                *entry = f64::NEG_INFINITY;
            }
        }
        Self(Cow::Owned(row))
    }
}

/// The concept within a node that the edge from this parent enters.
fn entered(search: &Search<Row<'_>>, mut node: usize, parent: usize) -> usize {
    while node > search.count {
        let whole = &search.nodes[node];
        let matches = |&&member: &&usize| {
            let member = &search.nodes[member];
            member.entering.0[parent] - member.chosen.score == whole.entering.0[parent]
        };
        node = *search.members(node).iter().find(matches).expect("the row is a maximum over the members");
    }
    node
}

/// Raises every entry to `scores - base` where that is greater.
fn raise(row: &mut [f64], scores: &[f64], base: f64) {
    for (entry, score) in row.iter_mut().zip(scores) {
        *entry = greater(*entry, score - base);
    }
}

/// Unlike `f64::max`, one instruction; there is no NaN here that could win.
fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The first largest entry, as (position, value); (0, negative infinity) if there is none.
pub(super) fn largest(row: &[f64]) -> (usize, f64) {
    // Eight maxima side by side, then a search for the value: both loops vectorise, one with an index does not.
    let (blocks, rest) = row.as_chunks::<8>();
    let mut greatest = rest.iter().copied().fold(f64::NEG_INFINITY, greater);
    if let Some((&first, others)) = blocks.split_first() {
        let mut lanes = first;
        for block in others {
            raise(&mut lanes, block, 0.0);
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        let halves = [[a, b, c, d], [e, f, g, h]].map(|[a, b, c, d]| greater(greater(a, b), greater(c, d)));
        greatest = greater(greatest, greater(halves[0], halves[1]));
    }
    (row.iter().position(|&entry| entry == greatest).unwrap_or(0), greatest)
}
