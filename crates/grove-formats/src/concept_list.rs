use std::sync::Arc;

use crate::hierarchy::{refuse_repeated_names, tidy_texts};
use crate::name::NameIndex;
use crate::{Article, Entry, Error, ErrorKind, Heading, Hierarchy, Origin, Place, Placement, Result};

/// The maximum number of concepts that are read from one file.
pub const CONCEPT_LIMIT: usize = 100_000;

/// One concept of a [`ConceptList`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListedConcept {
    /// The name, shown to people.
    pub name: String,
    /// What the concept is.
    pub definition: Option<String>,
    /// Other names of the concept.
    pub synonyms: Vec<String>,
    /// What stands before the name in a question.
    pub article: Article,
    /// What else the file says about it.
    pub origin: Option<Arc<Origin>>,
    /// Its line in the file, if known.
    pub line: Option<usize>,
}

impl From<&Entry> for ListedConcept {
    fn from(entry: &Entry) -> Self {
        let Entry { name, definition, synonyms, article, origin, .. } = entry.clone();
        Self { name, definition, synonyms, article, origin, line: None }
    }
}

/// Concepts in the order of the file, and their hierarchy if the file has one.
#[derive(Clone, PartialEq, Debug)]
pub struct ConceptList {
    concepts: Vec<ListedConcept>,
    heading: Option<Heading>,
    hierarchy: Result<Option<Hierarchy>>,
}

impl ConceptList {
    /// Checks and tidies a list of concepts from this place.
    ///
    /// # Errors
    /// An empty list, one beyond [`CONCEPT_LIMIT`], and an empty, long or repeated name.
    pub fn new(mut concepts: Vec<ListedConcept>, from: &Place) -> Result<Self> {
        check_count(concepts.len(), from)?;
        let at = |concept: &ListedConcept| concept.line.map_or_else(|| from.clone(), |line| from.line(line));
        let places: Vec<Place> = concepts.iter().map(at).collect();
        for (concept, at) in concepts.iter_mut().zip(&places) {
            tidy_texts(&mut concept.name, &mut concept.definition, &mut concept.synonyms, at)?;
        }
        refuse_repeated_names(None, concepts.iter().map(|concept| concept.name.as_str()).zip(&places))?;
        Ok(Self { concepts, heading: None, hierarchy: Ok(None) })
    }

    /// The concepts of a hierarchy, together with the hierarchy.
    #[must_use]
    pub fn of(hierarchy: Hierarchy) -> Self {
        let concepts = hierarchy.entries().iter().map(ListedConcept::from).collect();
        Self { concepts, heading: Some(hierarchy.heading().clone()), hierarchy: Ok(Some(hierarchy)) }
    }

    /// The same concepts with the hierarchy of the file, or with what is wrong with it.
    pub(crate) fn with_hierarchy(self, hierarchy: Result<Hierarchy>) -> Self {
        let heading = hierarchy.as_ref().ok().map(|hierarchy| hierarchy.heading().clone()).or(self.heading);
        Self { heading, hierarchy: hierarchy.map(Some), concepts: self.concepts }
    }

    /// The same concepts under a heading of the file.
    pub(crate) fn with_heading(self, heading: Heading) -> Self {
        Self { heading: Some(heading), ..self }
    }

    /// Title, language, relation and root, if the file tells them; even if its concepts form no hierarchy.
    #[must_use]
    pub fn heading(&self) -> Option<&Heading> {
        self.heading.as_ref()
    }

    /// The concepts in order.
    #[must_use]
    pub fn concepts(&self) -> &[ListedConcept] {
        &self.concepts
    }

    /// The names in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.concepts.iter().map(|concept| concept.name.as_str())
    }

    /// The hierarchy of the file, if it has one. A thesaurus may place a concept under two others; its list of concepts
    /// is still good, so only this method returns the error.
    ///
    /// # Errors
    /// Why the relations in the file do not form a tree.
    pub fn hierarchy(&self) -> Result<Option<&Hierarchy>, &Error> {
        self.hierarchy.as_ref().map(Option::as_ref)
    }

    /// Where the file places its concepts: one placement for each, in order, if it has a hierarchy; otherwise none.
    ///
    /// # Errors
    /// As [`ConceptList::hierarchy`].
    pub fn placements(&self) -> Result<Vec<Placement>, &Error> {
        let place = |(child, entry): (_, &Entry)| Placement { child, parent: entry.parent };
        Ok(self.hierarchy()?.map_or_else(Vec::new, |hierarchy| hierarchy.concepts().map(place).collect()))
    }

    /// An index for finding concepts by name.
    #[must_use]
    pub fn index(&self) -> NameIndex {
        let root =
            self.hierarchy.as_ref().ok().and_then(Option::as_ref).map(|tree| tree.heading().root.as_str());
        let concepts =
            self.concepts.iter().map(|concept| (concept.name.as_str(), concept.synonyms.as_slice()));
        NameIndex::new(root, concepts)
    }
}

/// Checks that there is at least one concept and not more than allowed.
pub(crate) fn check_count(found: usize, at: &Place) -> Result<()> {
    match found {
        0 => Err(ErrorKind::Empty("concept").at(at)),
        1..=CONCEPT_LIMIT => Ok(()),
        _ => Err(ErrorKind::TooManyConcepts(found).at(at)),
    }
}
