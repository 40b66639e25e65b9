use std::collections::HashMap;

use crate::{Concept, Error, Result, Tree};

/// A [`Tree`] together with the names of its concepts and of its root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedTree {
    /// The root's name at 0, concept `j`'s at `j`.
    names: Vec<String>,
    tree: Tree,
}

impl NamedTree {
    /// Names the root and the concepts of a tree.
    ///
    /// # Errors
    /// [`Error::NamesMismatch`] unless there is one name per concept, [`Error::RepeatedName`] for a name given twice.
    pub fn new(root: &str, names: &[impl AsRef<str>], tree: Tree) -> Result<Self> {
        if names.len() != tree.len() {
            return Err(Error::NamesMismatch { names: names.len(), concepts: tree.len() });
        }
        let names: Vec<_> =
            std::iter::once(root).chain(names.iter().map(AsRef::as_ref)).map(str::to_owned).collect();
        number_by_name(&names)?;
        Ok(Self { names, tree })
    }

    /// Reads (child, parent) pairs by name. The one name that is never a child becomes the root; concepts are
    /// numbered in the order in which they first appear as a child.
    ///
    /// # Errors
    /// [`Error::TwoParents`], [`Error::NamedCycle`], [`Error::SeveralRoots`] or [`Error::Empty`], with the names.
    pub fn from_pairs<S: AsRef<str>>(pairs: &[(S, S)]) -> Result<Self> {
        let concepts: Vec<&str> = pairs.iter().map(|(child, _)| child.as_ref()).collect();
        let is_child: std::collections::HashSet<&str> = concepts.iter().copied().collect();
        let mut roots: Vec<&str> = Vec::new();
        for (_, parent) in pairs {
            let parent = parent.as_ref();
            if !is_child.contains(parent) && !roots.contains(&parent) {
                roots.push(parent);
            }
        }
        match roots[..] {
            [root] => Self::over(root, &distinct(&concepts), pairs),
            // Every parent is itself a child, so following parents never ends: `over` finds the cycle.
            [] if !pairs.is_empty() => Self::over("", &distinct(&concepts), pairs),
            [] => Err(Error::Empty),
            _ => Err(Error::SeveralRoots(roots.iter().map(|&root| root.to_owned()).collect())),
        }
    }

    /// Reads (child, parent) pairs over a known list of concepts, in the list's order, under the given root.
    ///
    /// # Errors
    /// [`Error::RepeatedName`] for a concept listed twice, [`Error::UnknownName`] for a pair that names no concept,
    /// [`Error::TwoParents`], [`Error::NoParent`], [`Error::NamedCycle`].
    pub fn over<S: AsRef<str>>(root: &str, concepts: &[impl AsRef<str>], pairs: &[(S, S)]) -> Result<Self> {
        let names: Vec<String> =
            std::iter::once(root).chain(concepts.iter().map(AsRef::as_ref)).map(str::to_owned).collect();
        let number = number_by_name(&names)?;
        let find = |name: &str| number.get(name).copied().ok_or_else(|| Error::UnknownName(name.to_owned()));

        let mut parents: Vec<Option<Concept>> = vec![None; concepts.len()];
        for (child, parent) in pairs {
            let (child, parent) = (find(child.as_ref())?, find(parent.as_ref())?);
            let name = || names[child.index()].clone();
            if child.is_root() {
                return Err(Error::RootHasParent(name()));
            }
            let slot = &mut parents[child.index() - 1];
            if let Some(first) = slot.replace(parent) {
                let parents = [first, parent].map(|parent| names[parent.index()].clone());
                return Err(Error::TwoParents { child: name(), parents });
            }
        }
        let parents: Result<Vec<Concept>> = parents
            .iter()
            .zip(&names[1..])
            .map(|(parent, name)| parent.ok_or_else(|| Error::NoParent(name.clone())))
            .collect();
        let tree = Tree::from_parents(&parents?).map_err(|error| match error {
            Error::Cycle(cycle) => {
                Error::NamedCycle(cycle.iter().map(|on| names[on.index()].clone()).collect())
            }
            other => other,
        })?;
        Ok(Self { names, tree })
    }

    /// The tree without names.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The name of a concept, or of the root.
    #[must_use]
    pub fn name(&self, concept: Concept) -> &str {
        &self.names[concept.index()]
    }

    /// The concepts' names in order, without the root's.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names[1..]
    }

    /// The concept, or the root, of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Concept> {
        self.names.iter().position(|known| known == name).map(Concept::new)
    }
}

fn number_by_name(names: &[String]) -> Result<HashMap<&str, Concept>> {
    let mut number = HashMap::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        if number.insert(name.as_str(), Concept::new(index)).is_some() {
            return Err(Error::RepeatedName(name.clone()));
        }
    }
    Ok(number)
}

/// The names in order of first appearance, each once; a repeated child is reported later, with its two parents.
fn distinct<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut seen = std::collections::HashSet::new();
    names.iter().copied().filter(|name| seen.insert(*name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOOD: [(&str, &str); 4] =
        [("orange", "citrus"), ("citrus", "fruit"), ("fruit", "food"), ("apple", "fruit")];

    #[test]
    fn reads_pairs_in_any_order() {
        let food = NamedTree::from_pairs(&FOOD).unwrap();
        assert_eq!(food.names(), ["orange", "citrus", "fruit", "apple"]);
        assert_eq!(food.name(Concept::ROOT), "food");
        let [orange, fruit] = ["orange", "fruit"].map(|name| food.find(name).unwrap());
        assert!(food.tree().is_above(fruit, orange));
    }

    #[test]
    fn errors_name_the_problem() {
        let read = |pairs: &[(&str, &str)]| NamedTree::from_pairs(pairs).unwrap_err().to_string();
        assert_eq!(read(&[]), "there is no concept: give at least one child and its parent");
        assert_eq!(
            read(&[("a", "b"), ("b", "a"), ("c", "top")]),
            "concepts are above themselves: a under b under a; remove one of these parents"
        );
        assert_eq!(
            read(&[("a", "b"), ("b", "a")]),
            "concepts are above themselves: a under b under a; remove one of these parents"
        );
        assert_eq!(
            read(&[("a", "top"), ("b", "summit")]),
            "several names are never a child, but only one can be the root: top, summit; put all but one under another"
        );
        assert_eq!(
            read(&[("a", "top"), ("b", "top"), ("a", "b")]),
            "a is given two parents, top and b; keep one of them"
        );
    }

    #[test]
    fn pairs_must_match_a_given_list_of_concepts() {
        let over = |concepts: &[&str]| NamedTree::over("food", concepts, &FOOD).unwrap_err();
        assert_eq!(over(&["orange", "citrus", "fruit"]), Error::UnknownName("apple".into()));
        assert_eq!(
            over(&["orange", "citrus", "fruit", "apple", "fruit"]),
            Error::RepeatedName("fruit".into())
        );
        assert_eq!(over(&["orange", "citrus", "fruit", "apple", "pear"]), Error::NoParent("pear".into()));
        let upside_down = NamedTree::over("food", &["fruit"], &[("food", "fruit")]);
        assert_eq!(upside_down, Err(Error::RootHasParent("food".into())));
    }
}
