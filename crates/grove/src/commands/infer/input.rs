use grove_belief::Settings;
use grove_formats::{
    ConceptList, Entry, ErrorKind, Heading, Hierarchy, NameIndex, read_card_sort_concepts, read_concepts,
    read_votes,
};
use grove_tree::{Concept, Tree};

use super::Infer;
use crate::error::bad_input;
use crate::files;
use crate::recorded_votes::{RecordedVotes, root_name};

/// The contents of all files, checked and joined.
pub(super) struct Input {
    list: ConceptList,
    root: String,
    /// The votes, about the concepts in the order of the list.
    pub(super) recorded: RecordedVotes,
    /// The true tree over the same concepts.
    pub(super) truth: Option<Tree>,
    /// How the votes are interpreted.
    pub(super) settings: Settings,
}

impl Input {
    /// Reads all files before anything is computed.
    pub(super) fn read(options: &Infer) -> anyhow::Result<Self> {
        let settings = options.noise.settings(options.prior)?;
        let answers = files::read(&options.answers)?;
        let list = match &options.concepts {
            Some(path) => read_concepts(&files::read(path)?)?,
            None => read_card_sort_concepts(&answers).map_err(|error| match error.kind {
                ErrorKind::MissingColumn { .. } | ErrorKind::UnknownFileType(_) => bad_input(format!(
                    "{}this is not a card sort, so its concepts are not known; give --concepts FILE",
                    error.place
                )),
                _ => error.into(),
            })?,
        };
        options.engine.check(list.concepts().len(), &settings.noise)?;
        let truth = options.truth.as_deref().map(files::read_tree).transpose()?;
        let own = truth.as_ref().or(list.hierarchy().ok().flatten());
        let root = root_name(options.root.as_deref(), own.map(|own| own.heading().root.as_str()), &list)?;
        let concepts =
            list.concepts().iter().map(|concept| (concept.name.as_str(), concept.synonyms.as_slice()));
        let index = NameIndex::new(Some(&root), concepts);
        let truth_tree = match (&truth, &options.truth) {
            (Some(truth), Some(path)) => Some(over(truth, &list, &index, &path.display().to_string())?),
            _ => None,
        };
        let recorded = RecordedVotes::new(&read_votes(&answers, &index)?)?;
        let input = Self { list, root, recorded, truth: truth_tree, settings };
        // Writes a flat hierarchy to nowhere, so that a bad title, language or address is found before the work and not after it.
        let flat = options.output.apply(Hierarchy::new(input.heading(), input.entries())?)?;
        options.format.map(|format| options.output.format(&flat, format)).transpose()?;
        Ok(input)
    }

    /// The concepts, all directly under the root.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let entry = |concept: &grove_formats::ListedConcept| Entry {
            definition: concept.definition.clone(),
            synonyms: concept.synonyms.clone(),
            article: concept.article.clone(),
            origin: concept.origin.clone(),
            ..Entry::new(&concept.name, Concept::ROOT)
        };
        self.list.concepts().iter().map(entry).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.list.concepts().len()
    }

    /// The heading of the result, taken from the concepts' file where that has one.
    pub(super) fn heading(&self) -> Heading {
        match self.list.heading() {
            Some(heading) => Heading { root: self.root.clone(), ..heading.clone() },
            None => Heading::new(&self.root),
        }
    }
}

/// The truth as a tree of the concepts in the order of the list.
fn over(truth: &Hierarchy, list: &ConceptList, index: &NameIndex, file: &str) -> anyhow::Result<Tree> {
    let number = |concept: Concept| -> anyhow::Result<Concept> {
        if concept.is_root() {
            return Ok(Concept::ROOT);
        }
        let name = truth.name(concept);
        index.find(name).filter(|found| !found.is_root()).ok_or_else(|| {
            let nearest = index.nearest(name).map(|near| format!("; did you mean {near:?}?"));
            let advice =
                nearest.unwrap_or_else(|| "; remove it from the truth, or add it to them".to_owned());
            bad_input(format!("{file}: {name:?} is not among the concepts{advice}"))
        })
    };
    let mut parents: Vec<Option<Concept>> = vec![None; list.concepts().len()];
    for (parent, child) in truth.tree().edges() {
        let at = number(child)?;
        if parents[at.index() - 1].replace(number(parent)?).is_some() {
            let name = index.name(at);
            return Err(bad_input(format!(
                "{file}: two of its names mean the concept {name:?}; keep one of them"
            )));
        }
    }
    if let Some((missing, _)) = list.names().zip(&parents).find(|(_, parent)| parent.is_none()) {
        return Err(bad_input(format!("{file}: the concept {missing:?} is missing; add it to the truth")));
    }
    let parents: Vec<Concept> = parents.into_iter().flatten().collect();
    Tree::from_parents(&parents).map_err(|error| bad_input(format!("{file}: {error}")))
}
