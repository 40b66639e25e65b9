use std::collections::HashMap;

use grove_formats::{Entry, Hierarchy, ListedConcept, name_key};
use grove_store::{Correction, CorrectionId, Event};

use crate::{Error, Fate, Settings, State, Status};

/// The most concepts of a campaign.
const MOST_CONCEPTS: usize = 10_000;

/// A concept to be added.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NewConcept {
    /// What it is called.
    pub name: String,
    /// What it means; may be empty.
    pub definition: String,
    /// Other names of it.
    pub synonyms: Vec<String>,
}

impl NewConcept {
    /// A concept with a name and nothing else.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }
}

impl From<&ListedConcept> for NewConcept {
    fn from(listed: &ListedConcept) -> Self {
        Self {
            name: listed.name.clone(),
            definition: listed.definition.clone().unwrap_or_default(),
            synonyms: listed.synonyms.clone(),
        }
    }
}

/// Something that an owner does to a campaign. Concepts are named by their numbers in the campaign.
#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// Adds concepts.
    Add(Vec<NewConcept>),
    /// Gives a concept another name.
    Rename {
        /// Which.
        concept: u32,
        /// Its new name.
        name: String,
    },
    /// Gives a concept another definition and other synonyms.
    Redescribe {
        /// Which.
        concept: u32,
        /// Its new definition.
        definition: String,
        /// Its new synonyms.
        synonyms: Vec<String>,
    },
    /// Removes a concept, with all that was said about it.
    Remove {
        /// Which.
        concept: u32,
    },
    /// Makes one concept of two.
    Merge {
        /// The one that goes.
        gone: u32,
        /// The one that stays, with the votes on both.
        kept: u32,
    },
    /// Lays something down, whatever the votes say.
    Correct {
        /// Made by the caller, so that doing it again changes nothing.
        id: CorrectionId,
        /// What the owner says.
        correction: Correction,
    },
    /// Takes a correction back.
    TakeBack {
        /// Which.
        correction: CorrectionId,
    },
    /// Takes back all corrections that say where a concept stands, or only those about it and one other.
    Free {
        /// The concept below.
        lower: u32,
        /// The concept above.
        upper: Option<u32>,
    },
    /// Changes the settings.
    Set(Box<Settings>),
    /// Asks no more questions for now.
    Pause {
        /// Why, for people to read; may be empty.
        reason: String,
    },
    /// Asks again.
    Resume,
    /// Ends the campaign.
    Stop {
        /// Why, for people to read; may be empty.
        reason: String,
    },
}

impl State {
    /// What has to be written into the log for an edit; nothing if it is so already.
    ///
    /// # Errors
    /// Why it cannot be done. What contradicts itself never reaches the log.
    pub fn plan(&self, edit: Edit) -> Result<Vec<Event>, Error> {
        Ok(match edit {
            Edit::Add(concepts) => return self.plan_concepts(&concepts),
            Edit::Rename { concept, name } => {
                self.require(concept)?;
                let name = self.tidy(&[NewConcept::named(&name)], Some(concept))?.remove(0).name;
                vec![Event::ConceptRenamed { concept, name }]
            }
            Edit::Redescribe { concept, definition, synonyms } => {
                let name = self.require(concept)?.name.clone();
                let entry = self.tidy(&[NewConcept { name, definition, synonyms }], Some(concept))?.remove(0);
                let (definition, synonyms) = (entry.definition.unwrap_or_default(), entry.synonyms);
                vec![Event::ConceptRedescribed { concept, definition, synonyms }]
            }
            Edit::Remove { concept } => {
                self.require(concept)?;
                vec![Event::ConceptRemoved { concept }]
            }
            Edit::Merge { gone, kept } => return self.plan_merger(gone, kept),
            Edit::Correct { id, correction } => return self.plan_correction(id, correction),
            Edit::TakeBack { correction } => vec![Event::CorrectionTakenBack { correction }],
            Edit::Free { lower, upper } => self.plan_freedom(lower, upper),
            Edit::Set(settings) => {
                settings.check()?;
                self.refuse_taken(&settings.root, None)?;
                vec![Event::SettingsChanged { settings: settings.to_json() }]
            }
            Edit::Pause { .. } if *self.status() != Status::Asking => Vec::new(),
            Edit::Pause { reason } => vec![Event::Paused { reason }],
            Edit::Resume if *self.status() == Status::Asking => Vec::new(),
            Edit::Resume => vec![Event::Resumed { reason: String::new() }],
            Edit::Stop { .. } if matches!(self.status(), Status::Stopped { .. }) => Vec::new(),
            Edit::Stop { reason } => vec![Event::Stopped { reason }],
        })
    }

    /// A concept that is there.
    fn require(&self, number: u32) -> Result<&crate::ConceptState, Error> {
        let concept = self.concepts().get(number).filter(|concept| concept.fate == Fate::Present);
        concept.ok_or(Error::NoSuchConcept(number))
    }

    fn plan_concepts(&self, concepts: &[NewConcept]) -> Result<Vec<Event>, Error> {
        if self.concepts().count() + concepts.len() > MOST_CONCEPTS {
            return Err(Error::TooManyConcepts(MOST_CONCEPTS));
        }
        let first = self.concepts().all().len() as u32 + 1;
        let tidy = self.tidy(concepts, None)?;
        let added = (first..).zip(tidy).map(|(concept, entry)| Event::ConceptAdded {
            concept,
            name: entry.name,
            definition: entry.definition.unwrap_or_default(),
            synonyms: entry.synonyms,
        });
        Ok(added.collect())
    }

    /// Checks names and texts as any hierarchy would, and against the other concepts.
    fn tidy(&self, concepts: &[NewConcept], except: Option<u32>) -> Result<Vec<Entry>, Error> {
        let entries = concepts.iter().map(|concept| Entry {
            name: concept.name.clone(),
            definition: Some(concept.definition.clone()),
            synonyms: concept.synonyms.clone(),
            ..Entry::default()
        });
        let tidy = Hierarchy::new(self.settings().heading(), entries.collect())?;
        let taken: HashMap<String, u32> =
            self.concepts().present().map(|concept| (name_key(&concept.name), concept.number)).collect();
        for entry in tidy.entries() {
            match taken.get(&name_key(&entry.name)) {
                Some(&number) if Some(number) != except => return Err(Error::NameTaken(entry.name.clone())),
                _ => {}
            }
        }
        Ok(tidy.entries().to_vec())
    }

    fn refuse_taken(&self, name: &str, except: Option<u32>) -> Result<(), Error> {
        let key = name_key(name);
        let mut others = self.concepts().present().filter(|concept| Some(concept.number) != except);
        if others.any(|concept| name_key(&concept.name) == key) {
            return Err(Error::NameTaken(name.to_owned()));
        }
        Ok(())
    }

    fn plan_merger(&self, gone: u32, kept: u32) -> Result<Vec<Event>, Error> {
        self.require(gone)?;
        self.require(kept)?;
        let number = |number| self.concepts().belief_number(number).ok_or(Error::NoSuchConcept(number));
        let (gone_number, kept_number) = (number(gone)?, number(kept)?);
        if let Some(evidence) = self.evidence() {
            evidence.clone().merge(gone_number, kept_number).map_err(|error| self.explain(error))?;
        }
        Ok(vec![Event::ConceptsMerged { gone, kept }])
    }

    fn plan_correction(&self, id: CorrectionId, correction: Correction) -> Result<Vec<Event>, Error> {
        let believed = self.correction(correction).map_err(Error::Clash)?;
        if let (Some(believed), Some(evidence)) = (believed, self.evidence()) {
            // The same correction again is the store's to notice.
            let known = evidence.corrections().iter().any(|(_, known)| known == believed);
            if !known {
                evidence.clone().correct(believed).map_err(|error| self.explain(error))?;
            }
        }
        Ok(vec![Event::CorrectionMade { id, correction }])
    }

    fn plan_freedom(&self, lower: u32, upper: Option<u32>) -> Vec<Event> {
        let meant = |correction: Correction| {
            let above = correction.upper().copied().unwrap_or(0);
            *correction.subject() == lower && upper.is_none_or(|upper| upper == above)
        };
        let corrections = self.corrections().into_iter().filter(|standing| meant(standing.correction));
        corrections.map(|correction| Event::CorrectionTakenBack { correction: correction.id }).collect()
    }

    /// A belief's error, in the campaign's names.
    fn explain(&self, error: grove_belief::Error) -> Error {
        let grove_belief::Error::Clash(clash) = error else { return error.into() };
        let name = |concept| format!("{:?}", self.name_of(self.concepts().number(concept)));
        let said = clash.0.iter().map(|correction| correction.map(name).to_string());
        let said: Vec<String> = said.collect();
        Error::Clash(format!(
            "no hierarchy can have all of: {}; take one of them back first",
            said.join(", ")
        ))
    }

    /// The name of a concept, gone or not, or of the root.
    #[must_use]
    pub fn name_of(&self, number: u32) -> &str {
        self.concepts().get(number).map_or(&self.settings().root, |concept| &concept.name)
    }
}
