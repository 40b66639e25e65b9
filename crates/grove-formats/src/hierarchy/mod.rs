mod check;
mod heading;
mod words;

use std::sync::Arc;

use grove_tree::{Concept, NamedTree, Outline, Tree};
use grove_vocabulary::Reason;

use crate::name::NameIndex;
use crate::{Article, Origin, Place, Result};
use check::{all_ids, check_parents, tidy_entry, tree_of};
pub(crate) use check::{is_id, refuse_repeated_names, tidy_texts};
pub use heading::{Heading, Relation};
pub(crate) use words::is_explanation;

/// One concept of a [`Hierarchy`], with its parent and how certain that is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Entry {
    /// The name, shown to people.
    pub name: String,
    /// The identifier, if the concept has one; otherwise one is made from the name.
    pub id: Option<String>,
    /// What the concept is.
    pub definition: Option<String>,
    /// Other names of the concept.
    pub synonyms: Vec<String>,
    /// What stands before the name in a question.
    pub article: Article,
    /// What else the source file says about it.
    pub origin: Option<Arc<Origin>>,
    /// The parent; [`Concept::ROOT`] for a top-level concept.
    pub parent: Concept,
    /// How probable the parent is, from 0 to 1.
    pub certainty: Option<f64>,
    /// Other possible parents with their probabilities; the hierarchy puts the most probable first.
    pub alternatives: Vec<(Concept, f64)>,
    /// Why the parent is as certain as it is; empty if that is unknown. The hierarchy lists each reason once, in the order of [`Reason::ALL`].
    pub reasons: Vec<Reason>,
    /// Where people place the concept if they differ, with the share of people who do; the hierarchy puts the larger share first.
    pub places: Vec<grove_vocabulary::Place<Concept>>,
    /// The number of votes that the parent is above the concept.
    pub yes: u64,
    /// The number of votes that it is not.
    pub no: u64,
}

impl Entry {
    /// A concept with nothing but a name and a parent.
    #[must_use]
    pub fn new(name: &str, parent: Concept) -> Self {
        Self { name: name.to_owned(), parent, ..Self::default() }
    }

    /// The one reason that a drawing shows by its colours and lines: people who differ before votes that are missing, and these before
    /// votes that do not decide. Where no reason is known, a certainty below the threshold counts as open.
    #[must_use]
    pub fn shown_reason(&self, doubtful_below: f64) -> Reason {
        let is_doubtful = self.certainty.is_some_and(|certainty| certainty < doubtful_below);
        let by_certainty = if is_doubtful { Reason::Open } else { Reason::Settled };
        let shown = [Reason::Differ, Reason::Unasked, Reason::Open];
        shown.into_iter().find(|reason| self.reasons.contains(reason)).unwrap_or(by_certainty)
    }

    /// The places other than the parent where people put the concept if they differ, each with the chance that a person does.
    #[must_use]
    pub fn other_places(&self) -> Vec<(Concept, f64)> {
        let others = self.places.iter().filter(|place| place.parent != self.parent);
        others.map(|place| (place.parent, self.chance_of(place.parent).unwrap_or(place.share))).collect()
    }

    /// The chance that a person places the concept under a parent, as far as the entry knows one.
    #[must_use]
    pub fn chance_of(&self, parent: Concept) -> Option<f64> {
        let listed = || self.alternatives.iter().find(|listed| listed.0 == parent).map(|listed| listed.1);
        if parent == self.parent { self.certainty } else { listed() }
    }
}

/// A hierarchy of concepts with certainties: what hierarchies are read into and written from.
///
/// Entry `j - 1` is concept `j`. Every value is valid: names are tidy and differ by more than case, the parents form
/// a tree, certainties are probabilities, every concept has an identifier of its own.
///
/// ```
/// use grove_formats::{Entry, Heading, Hierarchy};
/// use grove_tree::Concept;
///
/// let fruit = Entry::new("fruit", Concept::ROOT);
/// let tomato = Entry {
///     certainty: Some(0.6),
///     alternatives: vec![(Concept::ROOT, 0.4)],
///     ..Entry::new("tomato", Concept::new(1))
/// };
/// let food = Hierarchy::new(Heading::new("food"), vec![fruit, tomato])?;
/// assert_eq!(food.parent_name(Concept::new(2)), "fruit");
/// assert_eq!(food.id(Concept::new(2)), "tomato");
/// # Ok::<(), grove_formats::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Hierarchy {
    heading: Heading,
    entries: Vec<Entry>,
    /// The root's identifier at 0.
    ids: Vec<String>,
    tree: Tree,
}

impl Hierarchy {
    /// Checks and tidies a hierarchy. Synonyms that repeat the name, or each other, are left out; alternatives are
    /// sorted, the most probable first, and so are the places where people differ. O(N).
    ///
    /// # Errors
    /// An empty, long or repeated name; a parent that does not exist, or a cycle of parents; a certainty outside 0 to
    /// 1; a redundant alternative or place; reasons that contradict each other; an invalid language tag or identifier.
    pub fn new(heading: Heading, entries: Vec<Entry>) -> Result<Self> {
        let places = vec![Place::default(); entries.len()];
        Self::with_places(heading, entries, &places, &Place::default())
    }

    /// Like [`Hierarchy::new`], for entries that were read from a file, each at its place.
    pub(crate) fn with_places(
        heading: Heading,
        entries: Vec<Entry>,
        places: &[Place],
        file: &Place,
    ) -> Result<Self> {
        let heading = heading.tidy(file)?;
        let tidied = entries.into_iter().zip(places).map(|(entry, at)| tidy_entry(entry, at));
        let entries = tidied.collect::<Result<Vec<_>, _>>()?;
        let names = entries.iter().map(|entry| entry.name.as_str());
        refuse_repeated_names(Some(&heading.root), names.zip(places))?;
        check_parents(&heading.root, &entries)?;
        let tree = tree_of(&entries, places)?;
        let ids = all_ids(&heading.root, &entries, places)?;
        Ok(Self { heading, entries, ids, tree })
    }

    /// A hierarchy without certainties.
    ///
    /// # Errors
    /// As [`Hierarchy::new`]: two names of a [`NamedTree`] may differ in case only.
    pub fn from_named_tree(named: &NamedTree) -> Result<Self> {
        let entries =
            named.tree().edges().map(|(parent, child)| Entry::new(named.name(child), parent)).collect();
        Self::new(Heading::new(named.name(Concept::ROOT)), entries)
    }

    /// Title, language, relation and root.
    #[must_use]
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// The same hierarchy under another heading.
    ///
    /// # Errors
    /// As [`Hierarchy::new`].
    pub fn with_heading(self, heading: Heading) -> Result<Self> {
        Self::new(heading, self.entries)
    }

    /// The concepts in order: concept `j` at `j - 1`.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of concepts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is only the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All concepts with their entries.
    pub fn concepts(&self) -> impl ExactSizeIterator<Item = (Concept, &Entry)> {
        self.tree.concepts().zip(&self.entries)
    }

    /// All concepts with their entries, in the depth-first order of the outline.
    pub(crate) fn depth_first<'a>(
        &'a self,
        outline: &'a Outline,
    ) -> impl Iterator<Item = (Concept, &'a Entry)> {
        outline.order().iter().filter_map(|&concept| Some((concept, self.entry(concept)?)))
    }

    /// A concept's entry; `None` for the root.
    #[must_use]
    pub fn entry(&self, concept: Concept) -> Option<&Entry> {
        concept.index().checked_sub(1).map(|at| &self.entries[at])
    }

    /// The name of a concept or of the root.
    #[must_use]
    pub fn name(&self, concept: Concept) -> &str {
        self.entry(concept).map_or(&self.heading.root, |entry| &entry.name)
    }

    /// The name of a concept's parent.
    #[must_use]
    pub fn parent_name(&self, concept: Concept) -> &str {
        self.name(self.tree.parent(concept))
    }

    /// The identifier of a concept or of the root: ASCII letters, digits, - and _. No two are the same but for case.
    #[must_use]
    pub fn id(&self, concept: Concept) -> &str {
        &self.ids[concept.index()]
    }

    /// The tree without names.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Children and depth-first order.
    #[must_use]
    pub fn outline(&self) -> Outline {
        self.tree.outline()
    }

    /// The tree with its names.
    #[must_use]
    pub fn named_tree(&self) -> NamedTree {
        let names: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        NamedTree::new(&self.heading.root, &names, self.tree.clone()).expect("all names differ")
    }

    /// An index for finding concepts by name.
    #[must_use]
    pub fn index(&self) -> NameIndex {
        let concepts = self.entries.iter().map(|entry| (entry.name.as_str(), entry.synonyms.as_slice()));
        NameIndex::new(Some(&self.heading.root), concepts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn hierarchy(entries: Vec<Entry>) -> Result<Hierarchy> {
        Hierarchy::new(Heading::new("food"), entries)
    }

    fn message(entries: Vec<Entry>) -> String {
        hierarchy(entries).unwrap_err().to_string()
    }

    fn kind(entries: Vec<Entry>) -> ErrorKind {
        hierarchy(entries).unwrap_err().kind
    }

    fn under(name: &str, parent: usize) -> Entry {
        Entry::new(name, Concept::new(parent))
    }

    #[test]
    fn every_value_is_tidy() {
        let mut apple = under(" Apple  tree ", 0);
        apple.synonyms = vec!["APPLE TREE".into(), "malus".into(), "Malus".into(), " ".into()];
        let food = hierarchy(vec![apple, under("food!", 1)]).unwrap();
        assert_eq!(food.entries()[0].name, "Apple tree");
        assert_eq!(food.entries()[0].synonyms, ["malus"]);
        assert_eq!([0, 1, 2].map(|c| food.id(Concept::new(c))), ["food-2", "apple-tree", "food"]);
        assert_eq!(food.named_tree().names(), ["Apple tree", "food!"]);
        assert_eq!(food.index().find("Malus"), Some(Concept::new(1)));
    }

    #[test]
    fn refuses_repeated_names_cycles_and_unknown_parents() {
        assert_eq!(
            message(vec![under("fig", 0), under("ﬁg", 0)]),
            "\"ﬁg\" is the same concept as \"fig\"; remove or rename one of them"
        );
        assert_eq!(
            message(vec![under("Food", 0)]),
            "\"Food\" is the same concept as \"food\"; remove or rename one of them"
        );
        assert_eq!(
            message(vec![under("a", 2), under("b", 1)]),
            "the parents form a cycle: \"a\" under \"b\" under \"a\"; remove one of these parents"
        );
        assert_eq!(
            message(vec![under("a", 7)]),
            "\"a\" has the parent number 7, but the last concept is number 1"
        );
        assert!(matches!(kind(vec![under(" ", 0)]), ErrorKind::Missing(_)));
    }

    #[test]
    fn refuses_certainties_and_alternatives_that_make_no_sense() {
        for wrong in [f64::NAN, f64::INFINITY, -0.1, 1.01] {
            let certain = Entry { certainty: Some(wrong), ..under("a", 0) };
            assert!(matches!(kind(vec![certain]), ErrorKind::NotInRange { .. }), "{wrong}");
            let alternative = Entry { alternatives: vec![(Concept::ROOT, wrong)], ..under("b", 1) };
            assert!(hierarchy(vec![under("a", 0), alternative]).is_err(), "{wrong}");
        }
        let beyond = Entry { alternatives: vec![(Concept::new(9), 0.1)], ..under("a", 0) };
        assert!(matches!(kind(vec![beyond]), ErrorKind::UnknownParent { parent: 9, .. }));
        let itself = Entry { alternatives: vec![(Concept::new(1), 0.1)], ..under("a", 0) };
        assert!(matches!(kind(vec![itself]), ErrorKind::RedundantAlternative { .. }));
    }

    #[test]
    fn the_most_probable_alternative_comes_first() {
        let alternatives = vec![(Concept::ROOT, 0.1), (Concept::new(2), 0.3)];
        let entries = vec![under("a", 0), under("b", 0), Entry { alternatives, ..under("c", 1) }];
        let sorted = hierarchy(entries).unwrap();
        assert_eq!(sorted.entries()[2].alternatives, [(Concept::new(2), 0.3), (Concept::ROOT, 0.1)]);
    }

    fn place(parent: usize, share: f64) -> grove_vocabulary::Place<Concept> {
        grove_vocabulary::Place { parent: Concept::new(parent), share, low: 0.2, high: 0.8 }
    }

    fn differing(places: Vec<grove_vocabulary::Place<Concept>>) -> Vec<Entry> {
        let divided = Entry { reasons: vec![Reason::Differ], places, ..under("c", 1) };
        vec![under("a", 0), under("b", 0), divided]
    }

    #[test]
    fn reasons_and_places_are_tidy() {
        let mut entries = differing(vec![place(2, 0.4), place(1, 0.6)]);
        entries[2].reasons = vec![Reason::Open, Reason::Differ, Reason::Open];
        let tidied = hierarchy(entries).unwrap();
        assert_eq!(tidied.entries()[2].reasons, [Reason::Differ, Reason::Open]);
        assert_eq!(tidied.entries()[2].places, [place(1, 0.6), place(2, 0.4)]);
    }

    #[test]
    fn refuses_reasons_and_places_that_make_no_sense() {
        for wrong in [f64::NAN, -0.1, 1.01] {
            let share = kind(differing(vec![place(1, wrong), place(2, 0.4)]));
            assert!(matches!(share, ErrorKind::NotInRange { .. }), "{wrong}");
            let low = grove_vocabulary::Place { low: wrong, ..place(1, 0.5) };
            assert!(matches!(kind(differing(vec![low])), ErrorKind::NotInRange { .. }), "{wrong}");
        }
        let reversed = grove_vocabulary::Place { low: 0.7, high: 0.3, ..place(1, 0.5) };
        assert!(matches!(kind(differing(vec![reversed])), ErrorKind::NotInRange { .. }));
        assert!(matches!(kind(differing(vec![place(9, 0.5)])), ErrorKind::UnknownParent { parent: 9, .. }));
        for wrong in [vec![place(3, 0.5)], vec![place(2, 0.5), place(2, 0.5)]] {
            assert!(matches!(kind(differing(wrong)), ErrorKind::RedundantPlace { .. }));
        }
        let mut undivided = differing(vec![place(1, 0.6), place(2, 0.4)]);
        undivided[2].reasons = vec![Reason::Open];
        assert_eq!(
            message(undivided),
            "\"c\" has places where people put it, but not the reason differ; add that reason or remove the places"
        );
        let settled = Entry { reasons: vec![Reason::Open, Reason::Settled], ..under("a", 0) };
        assert_eq!(
            message(vec![settled]),
            "\"a\" is settled and open at once; keep settled alone or remove it"
        );
    }

    #[test]
    fn a_drawing_shows_the_most_telling_reason() {
        let shown = |reasons: &[Reason], certainty| {
            Entry { reasons: reasons.to_vec(), certainty, ..under("a", 0) }.shown_reason(0.75)
        };
        assert_eq!(shown(&[Reason::Differ, Reason::Open], Some(0.4)), Reason::Differ);
        assert_eq!(shown(&[Reason::Unasked], Some(0.9)), Reason::Unasked);
        assert_eq!(shown(&[Reason::Settled], Some(0.9)), Reason::Settled);
        assert_eq!((shown(&[], Some(0.7)), shown(&[], None)), (Reason::Open, Reason::Settled));
    }

    #[test]
    fn refuses_invalid_language_tags_and_ids() {
        let heading = Heading { language: "not a tag".into(), ..Heading::new("food") };
        assert!(matches!(Hierarchy::new(heading, vec![]).unwrap_err().kind, ErrorKind::NotALanguage(_)));
        let with_id = |id: &str, name| Entry { id: Some(id.into()), ..under(name, 0) };
        assert!(matches!(kind(vec![with_id("a b", "a")]), ErrorKind::NotAnId { .. }));
        assert!(matches!(kind(vec![with_id("x", "a"), with_id("X", "b")]), ErrorKind::NotAnId { .. }));
    }
}
