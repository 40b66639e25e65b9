use std::collections::HashMap;

use grove_tree::Concept;

use crate::{Hierarchy, name_key};

/// What became of one hierarchy in another.
///
/// Concepts are the same if their names are, whatever the case; two roots are the same whatever their names.
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
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Difference {
    /// Concepts under another parent, in the order of the new hierarchy.
    pub moved: Vec<MovedConcept>,
    /// Concepts that the old one does not have.
    pub new: Vec<PlacedConcept>,
    /// Concepts that the new one does not have.
    pub gone: Vec<PlacedConcept>,
    /// Concepts under the same parent, of which it is more certain; the greatest change first.
    pub surer: Vec<ChangedCertainty>,
    /// Concepts under the same parent, of which it is less certain; the greatest change first.
    pub less_sure: Vec<ChangedCertainty>,
    /// How many concepts are under the same parent, whatever the certainty.
    pub same_parent: usize,
}

/// A concept that has another parent now.
#[derive(Clone, PartialEq, Debug)]
pub struct MovedConcept {
    /// The concept.
    pub concept: String,
    /// The parent it had.
    pub old_parent: String,
    /// The parent it has.
    pub new_parent: String,
    /// How certain the old parent was.
    pub old_certainty: Option<f64>,
    /// How certain the new one is.
    pub new_certainty: Option<f64>,
}

/// A concept that only one of the hierarchies has, with its place there.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedConcept {
    /// The concept.
    pub concept: String,
    /// Its parent.
    pub parent: String,
    /// How certain that is.
    pub certainty: Option<f64>,
}

/// A concept whose parent is as before, but not as certain.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangedCertainty {
    /// The concept.
    pub concept: String,
    /// Its parent.
    pub parent: String,
    /// How certain it was.
    pub old_certainty: f64,
    /// How certain it is.
    pub new_certainty: f64,
}

impl ChangedCertainty {
    /// By how much the certainty grew; negative where it fell.
    #[must_use]
    pub fn change(&self) -> f64 {
        self.new_certainty - self.old_certainty
    }
}

impl Difference {
    /// Compares two hierarchies; changes of certainty smaller than `least` are left out. O(N) for the names of both.
    #[must_use]
    pub fn between(old: &Hierarchy, new: &Hierarchy, least: f64) -> Self {
        let [in_old, in_new] = [old, new].map(by_key);
        let mut difference = Self::default();
        for (concept, entry) in new.concepts() {
            let Some(&before) = in_old.get(&name_key(&entry.name)) else {
                difference.new.push(placed(new, concept));
                continue;
            };
            if parent_key(old, before) == parent_key(new, concept) {
                difference.same_parent += 1;
                difference.note_certainty((old, before), (new, concept), least);
            } else {
                difference.moved.push(MovedConcept {
                    concept: entry.name.clone(),
                    old_parent: old.parent_name(before).to_owned(),
                    new_parent: new.parent_name(concept).to_owned(),
                    old_certainty: certainty(old, before),
                    new_certainty: entry.certainty,
                });
            }
        }
        let gone = old.concepts().filter(|(_, entry)| !in_new.contains_key(&name_key(&entry.name)));
        difference.gone = gone.map(|(concept, _)| placed(old, concept)).collect();
        let size = |changed: &ChangedCertainty| changed.change().abs();
        for changed in [&mut difference.surer, &mut difference.less_sure] {
            changed.sort_by(|one, other| size(other).total_cmp(&size(one)));
        }
        difference
    }

    fn note_certainty(&mut self, old: (&Hierarchy, Concept), new: (&Hierarchy, Concept), least: f64) {
        let (Some(before), Some(after)) = (certainty(old.0, old.1), certainty(new.0, new.1)) else { return };
        if before == after || (after - before).abs() < least {
            return;
        }
        let changed = ChangedCertainty {
            concept: new.0.name(new.1).to_owned(),
            parent: new.0.parent_name(new.1).to_owned(),
            old_certainty: before,
            new_certainty: after,
        };
        if after > before { self.surer.push(changed) } else { self.less_sure.push(changed) }
    }

    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moved.is_empty()
            && self.new.is_empty()
            && self.gone.is_empty()
            && self.surer.is_empty()
            && self.less_sure.is_empty()
    }
}

fn by_key(hierarchy: &Hierarchy) -> HashMap<String, Concept> {
    hierarchy.concepts().map(|(concept, entry)| (name_key(&entry.name), concept)).collect()
}

/// What two parents have in common that are the same; none for the root.
fn parent_key(hierarchy: &Hierarchy, concept: Concept) -> Option<String> {
    let parent = hierarchy.tree().parent(concept);
    (!parent.is_root()).then(|| name_key(hierarchy.name(parent)))
}

fn certainty(hierarchy: &Hierarchy, concept: Concept) -> Option<f64> {
    hierarchy.entry(concept).and_then(|entry| entry.certainty)
}

fn placed(hierarchy: &Hierarchy, concept: Concept) -> PlacedConcept {
    PlacedConcept {
        concept: hierarchy.name(concept).to_owned(),
        parent: hierarchy.parent_name(concept).to_owned(),
        certainty: certainty(hierarchy, concept),
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
    fn names_what_changed_and_nothing_else() {
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
        assert_eq!(difference.surer.len(), 1, "the fruit's change is too small to be told");
        assert!((difference.surer[0].change() - 0.35).abs() < 1e-9);
        assert_eq!(difference.less_sure[0].concept, "pear");
        assert_eq!(difference.same_parent, 4);
        assert!(!difference.is_empty());
        assert!(Difference::between(&old, &old, 0.0).is_empty());
        assert_eq!(Difference::between(&old, &new, 0.0).surer.len(), 2);
    }
}
