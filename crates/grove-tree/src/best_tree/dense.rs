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
        // A concept's own entry is skipped: marginals hold 0 there. A contracted cycle has no entry of its own.
        let (before, after) = if node > search.count {
            (&row[..], &[][..])
        } else {
            check_row(node, row)?;
            (&row[..node], &row[node + 1..])
        };
        let score = greater(greatest(before), greatest(after));
        let parent =
            position(before, score).or_else(|| Some(node + 1 + position(after, score)?)).unwrap_or(0);
        let exists = score > f64::NEG_INFINITY;
        Ok(exists.then(|| Edge { score, parent, child: entered(search, node, parent) }))
    }

    /// The element-wise maximum of each member's gain from leaving the cycle.
    fn joined(search: &mut Search<Self>, whole: usize) -> Self {
        let mut row = vec![f64::NEG_INFINITY; search.count + 1];
        for &member in search.members(whole) {
            let member = &search.nodes[member];
            raise(&mut row, &member.entering.0, member.chosen.score);
        }
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

/// The largest entry; negative infinity if there is none.
fn greatest(row: &[f64]) -> f64 {
    // Eight maxima side by side, which vectorises; a search that remembers the position does not.
    let (blocks, rest) = row.as_chunks::<8>();
    let greatest = rest.iter().copied().fold(f64::NEG_INFINITY, greater);
    let Some((&first, others)) = blocks.split_first() else { return greatest };
    let mut lanes = first;
    for block in others {
        raise(&mut lanes, block, 0.0);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let halves = [[a, b, c, d], [e, f, g, h]].map(|[a, b, c, d]| greater(greater(a, b), greater(c, d)));
    greater(greatest, greater(halves[0], halves[1]))
}

/// Where an entry first stands.
fn position(row: &[f64], entry: f64) -> Option<usize> {
    row.iter().position(|&other| other == entry)
}
