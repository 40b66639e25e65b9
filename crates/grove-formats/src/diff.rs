use std::collections::HashMap;

use grove_tree::Concept;
use serde::Serialize;

use crate::{Hierarchy, name_key};

/// The difference between two hierarchies.
///
/// Concepts are the same if their names are, in any case; the two roots are the same whatever their names.
///
/// ```
/// use grove_formats::{Difference, Source, read_hierarchy};
/// let read = |text: &str| read_hierarchy(&Source::new("food.tsv", text.as_bytes())?);
/// let old = read("fruit\tfood\nvegetable\tfood\ntomato\tvegetable\nsoda\tfood\n")?;
/// let new = read("fruit\tfood\nvegetable\tfood\nTomato\tfruit\ncola\tfood\n")?;
/// let difference = Difference::between(&old, &new, 0.05);
/// assert_eq!(difference.moved[0].new_parent, "fruit");
/// assert_eq!((difference.new[0].concept.as_str(), difference.gone[0].concept.as_str()), ("cola", "soda"));
/// # Ok::<(), grove_formats::Error>(())
/// ```
#[derive(Serialize, Clone, PartialEq, Debug, Default)]
pub struct Difference {
    /// Concepts under another parent, in the order of the new hierarchy.
    pub moved: Vec<MovedConcept>,
    /// Concepts that only the new hierarchy has.
    pub new: Vec<PlacedConcept>,
    /// Concepts that only the old hierarchy has.
    pub gone: Vec<PlacedConcept>,
    /// Concepts whose parent is the same and more certain; the greatest change first.
    pub surer: Vec<ChangedCertainty>,
    /// Concepts whose parent is the same and less certain; the greatest change first.
    pub less_sure: Vec<ChangedCertainty>,
    /// The number of concepts whose parent is the same.
    pub same_parent: usize,
}

/// A concept whose parent changed.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct MovedConcept {
    /// The concept.
    pub concept: String,
    /// The parent in the old hierarchy.
    pub old_parent: String,
    /// The parent in the new hierarchy.
    pub new_parent: String,
    /// The certainty of the old parent.
    pub old_certainty: Option<f64>,
    /// The certainty of the new parent.
    pub new_certainty: Option<f64>,
}

/// A concept that only one of the hierarchies has.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct PlacedConcept {
    /// The concept.
    pub concept: String,
    /// Its parent.
    pub parent: String,
    /// The certainty of the parent.
    pub certainty: Option<f64>,
}

/// A concept whose parent is the same, but whose certainty changed.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct ChangedCertainty {
    /// The concept.
    pub concept: String,
    /// Its parent.
    pub parent: String,
    /// The certainty in the old hierarchy.
    pub old_certainty: f64,
    /// The certainty in the new hierarchy.
    pub new_certainty: f64,
    /// The increase in certainty; negative if it fell.
    pub change: f64,
}

impl Difference {
    /// Compares two hierarchies; changes of certainty smaller than `least` are left out. O(N) for the names of both.
    #[must_use]
    pub fn between(old: &Hierarchy, new: &Hierarchy, least: f64) -> Self {
        let [in_old, in_new] = [old, new].map(by_key);
        let mut difference = Self::default();
        for (concept, entry) in new.concepts() {
            let now = placed(new, concept);
            let Some(&old_concept) = in_old.get(&name_key(&entry.name)) else {
                difference.new.push(now);
                continue;
            };
            let before = placed(old, old_concept);
            if parent_key(old, old_concept) != parent_key(new, concept) {
                difference.moved.push(MovedConcept {
                    concept: now.concept,
                    old_parent: before.parent,
                    new_parent: now.parent,
                    old_certainty: before.certainty,
                    new_certainty: now.certainty,
                });
                continue;
            }
            difference.same_parent += 1;
            if let (Some(old_certainty), Some(new_certainty)) = (before.certainty, now.certainty) {
                let PlacedConcept { concept, parent, .. } = now;
                let change = new_certainty - old_certainty;
                let changed = ChangedCertainty { concept, parent, old_certainty, new_certainty, change };
                match change {
                    change if change == 0.0 || change.abs() < least => {}
                    change if change > 0.0 => difference.surer.push(changed),
                    _ => difference.less_sure.push(changed),
                }
            }
        }
        let gone = old.concepts().filter(|(_, entry)| !in_new.contains_key(&name_key(&entry.name)));
        difference.gone = gone.map(|(concept, _)| placed(old, concept)).collect();
        let size = |changed: &ChangedCertainty| changed.change.abs();
        for changed in [&mut difference.surer, &mut difference.less_sure] {
            changed.sort_by(|one, other| size(other).total_cmp(&size(one)));
        }
        difference
    }

    /// Whether there is no difference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let same = Self { same_parent: self.same_parent, ..Self::default() };
        *self == same
    }
}

fn by_key(hierarchy: &Hierarchy) -> HashMap<String, Concept> {
    hierarchy.concepts().map(|(concept, entry)| (name_key(&entry.name), concept)).collect()
}

/// The key under which parents are compared; `None` for the root.
fn parent_key(hierarchy: &Hierarchy, concept: Concept) -> Option<String> {
    let parent = hierarchy.tree().parent(concept);
    (!parent.is_root()).then(|| name_key(hierarchy.name(parent)))
}

fn placed(hierarchy: &Hierarchy, concept: Concept) -> PlacedConcept {
    PlacedConcept {
        concept: hierarchy.name(concept).to_owned(),
        parent: hierarchy.parent_name(concept).to_owned(),
        certainty: hierarchy.entry(concept).and_then(|entry| entry.certainty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Heading};

    fn hierarchy(root: &str, entries: &[(&str, usize, Option<f64>)]) -> Hierarchy {
        let entry = |&(name, parent, certainty): &(&str, usize, Option<f64>)| Entry {
            certainty,
            ..Entry::new(name, Concept::new(parent))
        };
        Hierarchy::new(Heading::new(root), entries.iter().map(entry).collect()).unwrap()
    }

    #[test]
    fn lists_what_changed_and_nothing_else() {
        let old = hierarchy(
            "food",
            &[
                ("fruit", 0, Some(0.9)),
                ("tomato", 0, Some(0.5)),
                ("apple", 1, Some(0.6)),
                ("pear", 1, Some(0.8)),
                ("fig", 1, Some(0.8)),
                ("soda", 0, None),
            ],
        );
        // The same in another order, under a root of another name.
        let new = hierarchy(
            "all",
            &[
                ("pear", 3, Some(0.7)),
                ("Apple", 3, Some(0.95)),
                ("FRUIT", 0, Some(0.92)),
                ("Tomato", 3, Some(0.7)),
                ("cola", 0, Some(1.0)),
                ("fig", 3, None),
            ],
        );
        let difference = Difference::between(&old, &new, 0.05);
        assert_eq!(difference.moved.len(), 1);
        assert_eq!(
            difference.moved[0],
            MovedConcept {
                concept: "Tomato".into(),
                old_parent: "food".into(),
                new_parent: "FRUIT".into(),
                old_certainty: Some(0.5),
                new_certainty: Some(0.7),
            }
        );
        let names =
            |placed: &[PlacedConcept]| placed.iter().map(|one| one.concept.clone()).collect::<Vec<_>>();
        assert_eq!(
            (names(&difference.new), names(&difference.gone)),
            (vec!["cola".into()], vec!["soda".into()])
        );
        assert_eq!(difference.surer.len(), 1, "the fruit's change is too small");
        assert!((difference.surer[0].change - 0.35).abs() < 1e-9);
        assert_eq!(difference.less_sure[0].concept, "pear");
        assert_eq!(difference.same_parent, 4);
        assert!(!difference.is_empty());
        assert!(Difference::between(&old, &old, 0.0).is_empty());
        assert_eq!(Difference::between(&old, &new, 0.0).surer.len(), 2);
    }
}
