//! Concepts and recorded votes, checked and joined.

use grove_belief::Settings;
use grove_formats::{
    ConceptList, Entry, ErrorKind, Heading, Hierarchy, ListedConcept, NameIndex, Source,
    read_card_sort_concepts, read_votes,
};
use grove_tree::{Concept, Tree};

use super::Options;
use crate::error::bad_input;
use crate::recorded_votes::{RecordedVotes, root_name};

/// What an inference starts from.
pub struct Input {
    list: ConceptList,
    root: String,
    index: NameIndex,
    /// The votes, about the concepts in the order of the list.
    pub recorded: RecordedVotes,
    /// How the votes are interpreted.
    pub settings: Settings,
}

impl Input {
    /// Joins concepts with votes about them. Without a list, the votes must be a card sort, which contains its own concepts; without votes,
    /// there are none yet. `own_root` is the root's name unless the options give one.
    ///
    /// # Errors
    /// Whatever is wrong with the options, the concepts or the votes, in one line.
    pub fn new(
        list: Option<ConceptList>,
        answers: Option<&Source>,
        options: &Options,
        own_root: Option<&str>,
    ) -> anyhow::Result<Self> {
        let settings = options.settings()?;
        let list = match (list, answers) {
            (Some(list), _) => list,
            (None, Some(answers)) => concepts_of(answers)?,
            (None, None) => {
                return Err(bad_input("there are neither concepts nor votes; give a list of concepts"));
            }
        };
        options.engine.check(list.concepts().len(), &settings.noise)?;
        let of_list = list.hierarchy().ok().flatten().map(|own| own.heading().root.as_str());
        let root = root_name(options.root.as_deref(), own_root.or(of_list), &list)?;
        let concepts =
            list.concepts().iter().map(|concept| (concept.name.as_str(), concept.synonyms.as_slice()));
        let index = NameIndex::new(Some(&root), concepts);
        let read = answers.map(|answers| read_votes(answers, &index)).transpose()?;
        let recorded = RecordedVotes::new(&read.unwrap_or_default())?;
        Ok(Self { list, root, index, recorded, settings })
    }

    /// The concepts by name.
    #[must_use]
    pub fn index(&self) -> &NameIndex {
        &self.index
    }

    /// The concepts as they were listed.
    #[must_use]
    pub fn concepts(&self) -> &[ListedConcept] {
        self.list.concepts()
    }

    /// The concepts, all directly under the root.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |concept: &ListedConcept| Entry {
            definition: concept.definition.clone(),
            synonyms: concept.synonyms.clone(),
            article: concept.article.clone(),
            origin: concept.origin.clone(),
            ..Entry::new(&concept.name, Concept::ROOT)
        };
        self.list.concepts().iter().map(entry).collect()
    }

    /// The number of concepts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.concepts().len()
    }

    /// The heading of the result, taken from the concepts' file where that has one.
    #[must_use]
    pub fn heading(&self) -> Heading {
        match self.list.heading() {
            Some(heading) => Heading { root: self.root.clone(), ..heading.clone() },
            None => Heading::new(&self.root),
        }
    }

    /// Another hierarchy of the same concepts as a tree, with the concepts in the order of the list. Errors name the file.
    ///
    /// # Errors
    /// A concept that is missing here or there.
    pub fn tree_of(&self, truth: &Hierarchy, file: &str) -> anyhow::Result<Tree> {
        let mut parents: Vec<Option<Concept>> = vec![None; self.count()];
        for (parent, child) in truth.tree().edges() {
            let at = self.number(truth, child, file)?;
            if parents[at.index() - 1].replace(self.number(truth, parent, file)?).is_some() {
                let name = self.index.name(at);
                return Err(bad_input(format!(
                    "{file}: two of its names mean the concept {name:?}; keep one of them"
                )));
            }
        }
        if let Some((missing, _)) = self.list.names().zip(&parents).find(|(_, parent)| parent.is_none()) {
            return Err(bad_input(format!(
                "{file}: the concept {missing:?} is missing; add it to the truth"
            )));
        }
        let parents: Vec<Concept> = parents.into_iter().flatten().collect();
        Tree::from_parents(&parents).map_err(|error| bad_input(format!("{file}: {error}")))
    }

    /// The concept of the list that a concept of another hierarchy is.
    fn number(&self, other: &Hierarchy, concept: Concept, file: &str) -> anyhow::Result<Concept> {
        if concept.is_root() {
            return Ok(Concept::ROOT);
        }
        let name = other.name(concept);
        self.index.find(name).filter(|found| !found.is_root()).ok_or_else(|| {
            let nearest = self.index.nearest(name).map(|near| format!("; did you mean {near:?}?"));
            let advice =
                nearest.unwrap_or_else(|| "; remove it from the truth, or add it to them".to_owned());
            bad_input(format!("{file}: {name:?} is not among the concepts{advice}"))
        })
    }
}

/// The concepts of a card sort.
fn concepts_of(answers: &Source) -> anyhow::Result<ConceptList> {
    read_card_sort_concepts(answers).map_err(|error| match error.kind {
        ErrorKind::MissingColumn { .. } | ErrorKind::UnknownFileType(_) => bad_input(format!(
            "{}this is not a card sort, so its concepts are not known; give --concepts FILE",
            error.place
        )),
        _ => error.into(),
    })
}
