//! Decides whether some hierarchy fulfils all corrections, by building one from the top, a component at a time.
//!
//! Concepts linked by required pairs form components; each component needs a member above all the others: one
//! without a required ancestor and without a forbidden descendant in it. For path corrections any such member will do
//! (it can be moved to the top of whatever tree there is), so choosing greedily decides the question. A member that has a
//! child pinned directly under it cannot be moved alone; such members are chosen last, and tried one after another.
//! Failed attempts are remembered, or their number would be factorial.

use std::collections::BTreeSet;

use grove_tree::{Concept, Tree};

use super::Constraints;

/// A tree that fulfils the constraints, with every concept as high as the construction leaves it; none if there is no such tree.
pub(super) fn simplest_tree(constraints: &Constraints) -> Option<Tree> {
    let mut parents = vec![Concept::ROOT; constraints.count()];
    if constraints.any() {
        let named: Vec<Concept> =
            Concept::all(constraints.count()).filter(|&concept| is_named(constraints, concept)).collect();
        if named.iter().any(|&concept| constraints.of(concept).torn) {
            return None;
        }
        Builder { constraints, parents: &mut parents, hopeless: BTreeSet::new() }
            .place(named, Concept::ROOT)?;
    }
    Some(Tree::from_parents(&parents).expect("each concept was placed under one that was placed before it"))
}

fn is_named(constraints: &Constraints, concept: Concept) -> bool {
    let of = constraints.of(concept);
    of.parent.is_some()
        || [&of.above, &of.not_above, &of.below, &of.not_below].iter().any(|list| !list.is_empty())
}

struct Builder<'a> {
    constraints: &'a Constraints,
    parents: &'a mut [Concept],
    /// Sets that could not be placed under a parent.
    hopeless: BTreeSet<(Concept, Vec<Concept>)>,
}

impl Builder<'_> {
    /// Places a set of concepts under `parent`, writing their parents.
    fn place(&mut self, set: Vec<Concept>, parent: Concept) -> Option<()> {
        let mut pending = vec![(set, parent)];
        while let Some((set, parent)) = pending.pop() {
            for component in components(self.constraints, &set) {
                match tops(self.constraints, &component, parent)? {
                    Tops::Safe(top) => {
                        self.parents[top.index() - 1] = parent;
                        pending.push((without(&component, top), top));
                    }
                    Tops::Try(candidates) => self.try_each(&component, parent, &candidates)?,
                }
            }
        }
        Some(())
    }

    fn try_each(&mut self, component: &[Concept], parent: Concept, candidates: &[Concept]) -> Option<()> {
        candidates.iter().find_map(|&top| {
            let rest = (top, without(component, top));
            if self.hopeless.contains(&rest) {
                return None;
            }
            self.parents[top.index() - 1] = parent;
            let placed = self.place(rest.1.clone(), top);
            if placed.is_none() {
                self.hopeless.insert(rest);
            }
            placed
        })
    }
}

enum Tops {
    /// If any tree fulfils the constraints, one with this top does.
    Safe(Concept),
    /// One of these must be the top, and all of them must be tried.
    Try(Vec<Concept>),
}

/// The possible tops of a component placed under `parent`.
fn tops(constraints: &Constraints, component: &[Concept], parent: Concept) -> Option<Tops> {
    let inside = |concept: &Concept| component.binary_search(concept).is_ok();
    let may_be_top = |&concept: &Concept| {
        let of = constraints.of(concept);
        !of.above.iter().any(inside) && !of.not_below.iter().any(inside)
    };
    let pinned: Vec<Concept> = component
        .iter()
        .copied()
        .filter(|&concept| constraints.of(concept).parent.is_some_and(|pin| !inside(&pin)))
        .collect();
    match pinned[..] {
        [] => {}
        // A pin to another concept than the parent is a pin to one further up, with something in between.
        [only] if constraints.of(only).parent == Some(parent) && may_be_top(&only) => {
            return Some(Tops::Safe(only));
        }
        _ => return None,
    }
    let candidates: Vec<Concept> = component.iter().copied().filter(may_be_top).collect();
    match candidates.iter().find(|&&concept| constraints.of(concept).children.is_empty()) {
        Some(&free) => Some(Tops::Safe(free)),
        None if candidates.is_empty() => None,
        None if candidates.len() == 1 => Some(Tops::Safe(candidates[0])),
        None => Some(Tops::Try(candidates)),
    }
}

fn without(set: &[Concept], gone: Concept) -> Vec<Concept> {
    set.iter().copied().filter(|&concept| concept != gone).collect()
}

/// The parts of a set that required pairs hold together, each sorted.
fn components(constraints: &Constraints, set: &[Concept]) -> Vec<Vec<Concept>> {
    let mut found: Vec<Vec<Concept>> = Vec::new();
    let mut seen = vec![false; set.len()];
    for start in 0..set.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut component, mut pending) = (Vec::new(), vec![set[start]]);
        while let Some(concept) = pending.pop() {
            component.push(concept);
            let of = constraints.of(concept);
            for linked in of.above.iter().chain(&of.below) {
                if let Ok(at) = set.binary_search(linked)
                    && !std::mem::replace(&mut seen[at], true)
                {
                    pending.push(*linked);
                }
            }
        }
        component.sort_unstable();
        found.push(component);
    }
    found
}
