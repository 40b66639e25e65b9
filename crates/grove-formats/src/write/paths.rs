use grove_tree::Concept;

use crate::{Hierarchy, escape};

/// One line per concept, its path from the root: `food > fruit > apple`.
pub(crate) fn write(hierarchy: &Hierarchy) -> String {
    let step = |concept: Concept| escape::escape(hierarchy.name(concept), '>');
    let root = step(Concept::ROOT);
    // A line that begins with # would be a comment.
    let root = if root.starts_with('#') { format!("\\{root}") } else { root };
    let tree = hierarchy.tree();
    let mut out = String::new();
    for &concept in &hierarchy.outline().order()[1..] {
        let above: Vec<Concept> = tree.ancestors(concept).collect();
        out.push_str(&root);
        for &at in above.iter().rev().chain([&concept]) {
            out.push_str(" > ");
            out.push_str(&step(at));
        }
        out.push('\n');
    }
    out
}
