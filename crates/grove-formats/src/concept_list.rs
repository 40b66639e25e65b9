use crate::hierarchy::{refuse_repeated_names, tidy_synonyms};
use crate::name::{NameIndex, read_name, read_text};
use crate::{Error, Hierarchy, Place};

/// The most concepts that are read from one file.
pub const CONCEPT_LIMIT: usize = 100_000;

/// One concept of a [`ConceptList`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListedConcept {
    /// The name, shown to people.
    pub name: String,
    /// What the concept is.
    pub definition: Option<String>,
    /// Other names of it.
    pub synonyms: Vec<String>,
    /// Its line in the file, where it has one.
    pub line: Option<usize>,
}

/// Concepts to be put into a hierarchy, in the order of the file, and the hierarchy they came in if there was one.
#[derive(Clone, PartialEq, Debug)]
pub struct ConceptList {
    concepts: Vec<ListedConcept>,
    hierarchy: Result<Option<Hierarchy>, Error>,
}

impl ConceptList {
    /// Checks and tidies a list of concepts that came from this place.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::TooManyConcepts`], [`Error::RepeatedConcept`] with both lines, or a name that is none.
    pub fn new(concepts: Vec<ListedConcept>, from: &Place) -> Result<Self, Error> {
        let found = concepts.len();
        if found == 0 {
            return Err(Error::Empty { at: from.clone(), expected: "concept" });
        }
        if found > CONCEPT_LIMIT {
            return Err(Error::TooManyConcepts { at: from.clone(), found, limit: CONCEPT_LIMIT });
        }
        let at = |concept: &ListedConcept| concept.line.map_or_else(|| from.clone(), |line| from.line(line));
        let places: Vec<Place> = concepts.iter().map(at).collect();
        let tidied = concepts.into_iter().zip(&places).map(|(concept, at)| tidy_concept(concept, at));
        let concepts = tidied.collect::<Result<Vec<_>, _>>()?;
        refuse_repeated_names(None, concepts.iter().map(|concept| concept.name.as_str()).zip(&places))?;
        Ok(Self { concepts, hierarchy: Ok(None) })
    }

    /// The concepts of a hierarchy, together with it.
    #[must_use]
    pub fn of(hierarchy: Hierarchy) -> Self {
        let listed = hierarchy.entries().iter().map(|entry| ListedConcept {
            name: entry.name.clone(),
            definition: entry.definition.clone(),
            synonyms: entry.synonyms.clone(),
            line: None,
        });
        Self { concepts: listed.collect(), hierarchy: Ok(Some(hierarchy)) }
    }

    /// The same concepts, remembering what came of reading their hierarchy.
    pub(crate) fn with_hierarchy(self, hierarchy: Result<Hierarchy, Error>) -> Self {
        Self { hierarchy: hierarchy.map(Some), ..self }
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

    /// The hierarchy the concepts came in, if they did. A thesaurus may place a concept under two others; its
    /// concepts are still good, and only this call tells what is wrong.
    ///
    /// # Errors
    /// Why the relations in the file make no tree.
    pub fn hierarchy(&self) -> Result<Option<&Hierarchy>, &Error> {
        self.hierarchy.as_ref().map(Option::as_ref)
    }

    /// An index for finding the concepts by name, as votes do.
    #[must_use]
    pub fn index(&self) -> NameIndex {
        let root =
            self.hierarchy.as_ref().ok().and_then(Option::as_ref).map(|tree| tree.heading().root.as_str());
        let concepts =
            self.concepts.iter().map(|concept| (concept.name.as_str(), concept.synonyms.as_slice()));
        NameIndex::new(root, concepts)
    }
}

fn tidy_concept(concept: ListedConcept, at: &Place) -> Result<ListedConcept, Error> {
    let name = read_name(&concept.name, at, "concept's name")?;
    let synonyms = tidy_synonyms(&name, &concept.synonyms, at)?;
    let definition = read_text(concept.definition.as_deref().unwrap_or_default(), at)?;
    Ok(ListedConcept { name, definition, synonyms, line: concept.line })
}
