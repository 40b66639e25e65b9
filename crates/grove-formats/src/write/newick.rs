use grove_tree::{Concept, Tree};

use crate::Hierarchy;

/// A hierarchy as Newick: every node has its name, and the certainty of its parent as `[&posterior=..]`.
pub(crate) fn write(hierarchy: &Hierarchy) -> String {
    let certainty = |concept| hierarchy.entry(concept).and_then(|entry| entry.certainty);
    tree(hierarchy, hierarchy.tree(), certainty) + "\n"
}

/// One tree over a hierarchy's concepts, on one line. A chain of any length is written without recursion.
pub(crate) fn tree(hierarchy: &Hierarchy, tree: &Tree, certainty: impl Fn(Concept) -> Option<f64>) -> String {
    let outline = tree.outline();
    let mut out = String::from("[&R] ");
    let mut last = Concept::ROOT;
    let close = |out: &mut String, concept: Concept| {
        out.push_str(&label(hierarchy.name(concept)));
        if let Some(certainty) = certainty(concept) {
            out.push_str(&format!("[&posterior={certainty}]"));
        }
    };
    // In depth-first order a step down opens a bracket, and a step up closes as many as it climbs.
    for &concept in &outline.order()[1..] {
        match tree.parent(concept) == last {
            true => out.push('('),
            false => {
                close(&mut out, last);
                while tree.parent(last) != tree.parent(concept) {
                    last = tree.parent(last);
                    out.push(')');
                    close(&mut out, last);
                }
                out.push(',');
            }
        }
        last = concept;
    }
    close(&mut out, last);
    while !last.is_root() {
        last = tree.parent(last);
        out.push(')');
        close(&mut out, last);
    }
    out.push(';');
    out
}

/// A name by the rules of Newick: in single quotes, doubled inside, unless it is plain. An underscore is not plain,
/// because outside quotes it means a space.
fn label(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    match name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', "''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Heading};

    #[test]
    fn brackets_follow_the_tree() {
        let under = |name: &str, parent| Entry::new(name, Concept::new(parent));
        let sure = |entry| Entry { certainty: Some(0.5), ..entry };
        let entries =
            vec![under("a", 0), sure(under("b b", 1)), under("c'c", 2), under("d_d", 1), under("e", 0)];
        let tree = Hierarchy::new(Heading::new("top"), entries).unwrap();
        assert_eq!(write(&tree), "[&R] ((('c''c')'b b'[&posterior=0.5],'d_d')a,e)top;\n");
        assert_eq!(write(&Hierarchy::new(Heading::new("top"), vec![]).unwrap()), "[&R] top;\n");
    }
}
