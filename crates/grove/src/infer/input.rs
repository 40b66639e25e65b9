use grove_belief::Settings;
use grove_formats::{
    ConceptList, ErrorKind, Heading, Hierarchy, ListedConcept, NameIndex, name_key, read_card_sort_concepts,
    read_concepts, read_votes, write,
};
use grove_tree::{Concept, Tree};

use crate::args::Infer;
use crate::engine;
use crate::failure::bad_input;
use crate::files;
use crate::recorded::Recorded;

/// What the files say, checked and joined.
pub(super) struct Input {
    list: ConceptList,
    root: String,
    /// The votes, about the concepts in the order of the list.
    pub(super) recorded: Recorded,
    /// The true tree over the same concepts.
    pub(super) truth: Option<Tree>,
    /// How the votes are to be read.
    pub(super) settings: Settings,
}

impl Input {
    /// Reads all files before anything is computed.
    pub(super) fn read(options: &Infer) -> anyhow::Result<Self> {
        let settings = options.noise.settings(options.prior)?;
        let answers = files::read(&options.answers)?;
        let list = match &options.concepts {
            Some(path) => read_concepts(&files::read(path)?).map_err(bad_input)?,
            None => read_card_sort_concepts(&answers).map_err(|error| match error.kind {
                ErrorKind::MissingColumn { .. } | ErrorKind::UnknownFileType(_) => bad_input(format!(
                    "{}this is no card sort, so its concepts are not known; give --concepts FILE",
                    error.place
                )),
                _ => bad_input(error),
            })?,
        };
        engine::check(options.engine, list.concepts().len(), &settings.noise)?;
        let truth = options.truth.as_deref().map(files::read_tree).transpose()?;
        let root = root(options, &list, truth.as_ref())?;
        let index = index(&list, &root);
        let truth_tree = match (&truth, &options.truth) {
            (Some(truth), Some(path)) => Some(over(truth, &list, &index, &path.display().to_string())?),
            _ => None,
        };
        let votes = read_votes(&answers, &index).map_err(bad_input)?;
        let recorded = Recorded::new(&votes)?;
        let input = Self { list, root, recorded, truth: truth_tree, settings };
        input.check_writing(options)?;
        Ok(input)
    }

    pub(super) fn concepts(&self) -> &[ListedConcept] {
        self.list.concepts()
    }

    pub(super) fn count(&self) -> usize {
        self.list.concepts().len()
    }

    /// What the hierarchy says of itself, as far as the concepts' file tells.
    pub(super) fn heading(&self) -> Heading {
        match self.list.hierarchy() {
            Ok(Some(hierarchy)) => Heading { root: self.root.clone(), ..hierarchy.heading().clone() },
            _ => Heading::new(&self.root),
        }
    }

    /// Writes a flat hierarchy to nowhere, so that a bad title, language or address is found before the work and not after it.
    fn check_writing(&self, options: &Infer) -> anyhow::Result<()> {
        let names = self.list.names().collect::<Vec<_>>();
        let flat = grove_tree::NamedTree::new(&self.root, &names, Tree::flat(names.len()))?;
        let flat = Hierarchy::from_named_tree(&flat).map_err(bad_input)?;
        let flat = flat.with_heading(options.writing.heading(self.heading())).map_err(bad_input)?;
        if let Some(format) = options.format {
            write(&flat, format, &options.writing.options()).map_err(bad_input)?;
        }
        Ok(())
    }
}

/// The root's name: as given, or as some file has it, or one that no concept has.
fn root(options: &Infer, list: &ConceptList, truth: Option<&Hierarchy>) -> anyhow::Result<String> {
    if let Some(given) = &options.root {
        if list.index().find(given).is_some_and(|concept| !concept.is_root()) {
            return Err(bad_input(format!(
                "{given:?} is a concept already; give the root another name with --root"
            )));
        }
        return Ok(given.clone());
    }
    let own = list.hierarchy().ok().flatten();
    let taken = |name: &str| list.names().any(|concept| name_key(concept) == name_key(name));
    let known = truth.or(own).map(|hierarchy| hierarchy.heading().root.clone());
    let usual = ["everything", "root", "the root of all"].map(str::to_owned);
    let free = known.into_iter().chain(usual).find(|name| !taken(name));
    free.ok_or_else(|| bad_input("every usual name of a root is a concept; give the root a name with --root"))
}

fn index(list: &ConceptList, root: &str) -> NameIndex {
    let concepts = list.concepts().iter().map(|concept| (concept.name.as_str(), concept.synonyms.as_slice()));
    NameIndex::new(Some(root), concepts)
}

/// The truth over the concepts in the order of the list.
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
                "{file}: two names in it mean the concept {name:?}; keep one of them"
            )));
        }
    }
    if let Some((missing, _)) = list.names().zip(&parents).find(|(_, parent)| parent.is_none()) {
        return Err(bad_input(format!("{file}: the concept {missing:?} is missing; add it to the truth")));
    }
    let parents: Vec<Concept> = parents.into_iter().flatten().collect();
    Tree::from_parents(&parents).map_err(|error| bad_input(format!("{file}: {error}")))
}
