use std::collections::HashMap;
use std::sync::Arc;

use grove_belief::Evidence;
use grove_formats::{Article, ConceptList, Entry, Hierarchy, ListedConcept, NameIndex, Origin, name_key};
use grove_store::{Correction, CorrectionId, Event, Position, VoteSource};
use grove_tree::Concept;
use serde::Deserialize;
use serde_json::Value;

use crate::{Error, Fate, Settings, State, Status};

/// The most concepts of a campaign.
const MOST_CONCEPTS: usize = 10_000;

/// A concept to add.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewConcept {
    /// The name, unique in the campaign regardless of case.
    #[cfg_attr(feature = "openapi", schema(max_length = 500, example = "brie"))]
    pub name: String,
    /// A definition that workers see with the question; may be empty.
    #[serde(default)]
    pub definition: String,
    /// Other names of the concept.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// What stands before the name in a question: an article such as `an`, `none`, `plural` (no article, and "are"), or nothing, if the rules
    /// of the language decide.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(max_length = 30, example = "an"))]
    pub article: String,
    /// The parent that it has in a hierarchy to start from: the name of another concept, or nothing for the top
    /// level. It is evidence, not a vote, and is trusted only as far as people's answers confirm it; none if there is
    /// no such hierarchy.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(max_length = 500, example = "cheese"))]
    pub parent: Option<String>,
    /// What else the source file says about it.
    #[serde(skip)]
    pub origin: Option<Arc<Origin>>,
}

impl NewConcept {
    /// A concept with a name and nothing else.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The concepts of a list, with their parents if the list has a hierarchy.
    #[must_use]
    pub fn listed(list: &ConceptList) -> Vec<Self> {
        let parents: Vec<String> = match list.hierarchy() {
            Ok(Some(tree)) => {
                let name = |parent: Concept| if parent.is_root() { "" } else { tree.name(parent) };
                tree.entries().iter().map(|entry| name(entry.parent).to_owned()).collect()
            }
            // A thesaurus that is not a tree still gives a list of concepts.
            Ok(None) | Err(_) => Vec::new(),
        };
        let parents = parents.into_iter().map(Some).chain(std::iter::repeat(None));
        let concepts = list.concepts().iter().zip(parents);
        concepts.map(|(listed, parent)| Self { parent, ..Self::from(listed) }).collect()
    }
}

impl From<&ListedConcept> for NewConcept {
    fn from(listed: &ListedConcept) -> Self {
        Self {
            name: listed.name.clone(),
            definition: listed.definition.clone().unwrap_or_default(),
            synonyms: listed.synonyms.clone(),
            article: listed.article.to_string(),
            parent: None,
            origin: listed.origin.clone(),
        }
    }
}

/// A change to a campaign. Concepts are named by their numbers in the campaign.
#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// Adds concepts.
    Add(Vec<NewConcept>),
    /// Renames a concept.
    Rename {
        /// The concept.
        concept: u32,
        /// Its new name.
        name: String,
    },
    /// Replaces the definition and the synonyms of a concept.
    Redescribe {
        /// The concept.
        concept: u32,
        /// Its new definition.
        definition: String,
        /// Its new synonyms.
        synonyms: Vec<String>,
    },
    /// Chooses what stands before the name of a concept in a question.
    SetArticle {
        /// The concept.
        concept: u32,
        /// The article, as [`NewConcept::article`].
        article: String,
    },
    /// Removes a concept, with all votes about it.
    Remove {
        /// The concept.
        concept: u32,
    },
    /// Merges two concepts into one.
    Merge {
        /// The one that is removed.
        gone: u32,
        /// The one that is kept, with the votes on both.
        kept: u32,
    },
    /// Brings back a concept that was removed, or merged into another, with the votes and corrections that went with it.
    Restore {
        /// The concept.
        concept: u32,
    },
    /// Makes a correction, which overrides the votes.
    Correct {
        /// Made by the caller, so that sending it again changes nothing.
        id: CorrectionId,
        /// The statement that overrides the votes.
        correction: Correction,
    },
    /// Moves a concept directly under another, whatever the votes say: undoes the corrections that pin it elsewhere and pins it there, or
    /// does nothing at all if other corrections forbid that.
    Move {
        /// The id of the new correction, made by the caller, so that sending it again changes nothing.
        id: CorrectionId,
        /// The concept to move.
        lower: u32,
        /// Its new parent; 0 for the root.
        upper: u32,
    },
    /// Undoes a correction.
    UndoCorrection {
        /// Its id.
        correction: CorrectionId,
    },
    /// Undoes all corrections about the place of a concept, or only those about it and one other.
    Free {
        /// The lower concept.
        lower: u32,
        /// The upper concept; any if none.
        upper: Option<u32>,
    },
    /// Undoes an edit of the past.
    Undo {
        /// Its position in the log, as in [`State::history`].
        edit: Position,
    },
    /// Excludes the votes of a worker or of a link from the evidence, those that are still to come too.
    Exclude {
        /// The worker or link whose votes they are.
        source: VoteSource,
    },
    /// Includes votes again that were excluded.
    Include {
        /// The worker or link whose votes they are.
        source: VoteSource,
    },
    /// Changes the settings.
    Set(Box<Settings>),
    /// Stops asking questions for now.
    Pause {
        /// The reason, shown to people; may be empty.
        reason: String,
    },
    /// Asks questions again.
    Resume,
    /// Ends the campaign.
    Stop {
        /// The reason, shown to people; may be empty.
        reason: String,
    },
}

impl State {
    /// The entries that an edit writes into the log; none if it changes nothing.
    ///
    /// # Errors
    /// Why the edit is refused. An edit that contradicts the state never reaches the log.
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
                let entry = self
                    .tidy(
                        &[NewConcept { name, definition, synonyms, ..NewConcept::default() }],
                        Some(concept),
                    )?
                    .remove(0);
                let (definition, synonyms) = (entry.definition.unwrap_or_default(), entry.synonyms);
                vec![Event::ConceptRedescribed { concept, definition, synonyms }]
            }
            Edit::SetArticle { concept, article } => {
                let (known, article) = (&self.require(concept)?.article, Article::parse(&article)?);
                if article == *known {
                    return Ok(Vec::new());
                }
                vec![Event::ConceptArticleSet { concept, article: article.to_string() }]
            }
            Edit::Remove { concept } => {
                self.require(concept)?;
                vec![Event::ConceptRemoved { concept }]
            }
            Edit::Merge { gone, kept } => return self.plan_merge(gone, kept),
            Edit::Restore { concept } => return self.plan_restore(concept),
            Edit::Correct { id, correction } => {
                return self.plan_correction(id, correction, self.evidence().cloned());
            }
            Edit::Move { id, lower, upper } => return self.plan_move(id, lower, upper),
            Edit::UndoCorrection { correction } => vec![Event::CorrectionTakenBack { correction }],
            Edit::Free { lower, upper } => {
                let meant = |correction: Correction| {
                    let above = correction.upper().copied().unwrap_or(0);
                    *correction.subject() == lower && upper.is_none_or(|upper| upper == above)
                };
                let freed = self.corrections().into_iter().filter(|standing| meant(standing.correction));
                freed.map(|freed| Event::CorrectionTakenBack { correction: freed.id }).collect()
            }
            Edit::Undo { edit } => return self.plan_undo(edit),
            Edit::Exclude { source } => {
                if let VoteSource::Worker(worker) = &source
                    && !self.votes().has_voted(worker)
                {
                    return Err(grove_store::Error::Unknown("worker").into());
                }
                let is_new = self.excluded().all(|known| *known != source);
                is_new.then_some(Event::Excluded { source }).into_iter().collect()
            }
            Edit::Include { source } => {
                let is_known = self.excluded().any(|known| *known == source);
                is_known.then_some(Event::Included { source }).into_iter().collect()
            }
            Edit::Set(settings) => {
                settings.check()?;
                self.refuse_taken(&settings.root, None)?;
                vec![Event::SettingsChanged { settings: settings.to_json() }]
            }
            Edit::Pause { .. } if self.status() != Status::Asking => Vec::new(),
            Edit::Pause { reason } => vec![Event::Paused { reason }],
            Edit::Resume if self.status() == Status::Asking => Vec::new(),
            Edit::Resume => vec![Event::Resumed { reason: String::new() }],
            Edit::Stop { .. } if self.status() == Status::Stopped => Vec::new(),
            Edit::Stop { reason } => vec![Event::Stopped { reason }],
        })
    }

    /// A present concept.
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
            article: entry.article.to_string(),
            origin: entry.origin.map_or(Value::Null, |origin| {
                serde_json::to_value(&*origin).expect("an origin has text keys only")
            }),
        });
        let mut events: Vec<Event> = added.collect();
        let places = self.places(concepts, first)?;
        if !places.is_empty() {
            events.push(Event::HierarchyGiven { places });
        }
        Ok(events)
    }

    /// The places of new concepts in the hierarchy that they came with, by the campaign's numbers; the first of them has this one.
    fn places(&self, concepts: &[NewConcept], first: u32) -> Result<Vec<(u32, u32)>, Error> {
        if concepts.iter().all(|concept| concept.parent.is_none()) {
            return Ok(Vec::new());
        }
        let present = self.concepts().present().map(|known| (known.name.as_str(), known.synonyms.as_slice()));
        let new = concepts.iter().map(|concept| (concept.name.as_str(), concept.synonyms.as_slice()));
        let index = NameIndex::new(Some(&self.settings().root), present.chain(new));
        let numbers: Vec<u32> = self
            .concepts()
            .numbers()
            .iter()
            .copied()
            .chain(first..)
            .take(self.concepts().count() + concepts.len())
            .collect();
        let mut places = Vec::new();
        for (number, concept) in (first..).zip(concepts) {
            let Some(parent) = &concept.parent else { continue };
            let unknown = || Error::UnknownConcept {
                name: parent.clone(),
                nearest: index.nearest(parent).map(str::to_owned),
            };
            let found = if parent.trim().is_empty() { Some(Concept::ROOT) } else { index.find(parent) };
            let above = crate::number(&numbers, found.ok_or_else(unknown)?);
            if above == number {
                return Err(Error::BadQuestion);
            }
            places.push((number, above));
        }
        Ok(places)
    }

    /// Checks names and texts as any hierarchy would, and against the other concepts.
    fn tidy(&self, concepts: &[NewConcept], except: Option<u32>) -> Result<Vec<Entry>, Error> {
        let entries = concepts.iter().map(|concept| {
            Ok(Entry {
                name: concept.name.clone(),
                definition: Some(concept.definition.clone()),
                synonyms: concept.synonyms.clone(),
                article: Article::parse(&concept.article)?,
                origin: concept.origin.clone(),
                ..Entry::default()
            })
        });
        let entries = entries.collect::<Result<_, grove_formats::Error>>()?;
        let tidy = Hierarchy::new(self.settings().heading(), entries)?;
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

    fn plan_merge(&self, gone: u32, kept: u32) -> Result<Vec<Event>, Error> {
        self.require(gone)?;
        self.require(kept)?;
        let number = |number| self.concepts().belief_number(number).ok_or(Error::NoSuchConcept(number));
        let (gone_number, kept_number) = (number(gone)?, number(kept)?);
        if let Some(evidence) = self.evidence() {
            evidence.clone().merge(gone_number, kept_number).map_err(|error| self.explain(error))?;
        }
        Ok(vec![Event::ConceptsMerged { gone, kept }])
    }

    fn plan_restore(&self, number: u32) -> Result<Vec<Event>, Error> {
        let concept = self.concepts().get(number).ok_or(Error::NoSuchConcept(number))?;
        if concept.fate == Fate::Present {
            return Err(Error::NotGone);
        }
        self.refuse_taken(&concept.name, None)?;
        if self.concepts().count() >= MOST_CONCEPTS {
            return Err(Error::TooManyConcepts(MOST_CONCEPTS));
        }
        Ok(vec![Event::ConceptRestored { concept: number }])
    }

    /// Plans a correction, checked against the evidence given.
    fn plan_correction(
        &self,
        id: CorrectionId,
        correction: Correction,
        evidence: Option<Evidence>,
    ) -> Result<Vec<Event>, Error> {
        let believed = self.correction(correction).map_err(Error::Clash)?;
        if let (Some(believed), Some(mut evidence)) = (believed, evidence) {
            // The store notices a correction that is sent again.
            let known = evidence.corrections().iter().any(|(_, known)| known == believed);
            if !known {
                evidence.correct(believed).map_err(|error| self.explain(error))?;
            }
        }
        Ok(vec![Event::CorrectionMade { id, correction }])
    }

    /// Plans to undo the pins of a concept and to pin it anew, checked against the evidence without the old pins.
    fn plan_move(&self, id: CorrectionId, lower: u32, upper: u32) -> Result<Vec<Event>, Error> {
        self.require(lower)?;
        let pin = match upper {
            0 => Correction::TopLevel { concept: lower },
            upper => Correction::DirectlyUnder { lower, upper },
        };
        let mut pins = self.corrections();
        pins.retain(|standing| {
            let pinned = standing.correction;
            matches!(pinned, Correction::DirectlyUnder { .. } | Correction::TopLevel { .. })
                && *pinned.subject() == lower
        });
        let was_sent = self.made(id).is_some_and(|made| made.correction == pin);
        if was_sent || matches!(pins[..], [only] if only.correction == pin) {
            return Ok(Vec::new());
        }
        let mut evidence = self.evidence().cloned();
        for pinned in pins.iter().filter_map(|pin| pin.evidence) {
            evidence.as_mut().map(|evidence| evidence.take_back(pinned)).transpose()?;
        }
        let mut events: Vec<Event> =
            pins.iter().map(|pin| Event::CorrectionTakenBack { correction: pin.id }).collect();
        events.extend(self.plan_correction(id, pin, evidence)?);
        Ok(events)
    }

    /// An error of the belief with the campaign's names.
    fn explain(&self, error: grove_belief::Error) -> Error {
        let grove_belief::Error::Clash(clash) = error else { return error.into() };
        let name = |concept| format!("{:?}", self.name_of(self.concepts().number(concept)));
        let said: Vec<String> = clash.0.iter().map(|correction| correction.map(name).to_string()).collect();
        Error::Clash(format!("no hierarchy can have all of: {}; undo one of them first", said.join(", ")))
    }

    /// The name of a concept, present or not, or of the root.
    #[must_use]
    pub fn name_of(&self, number: u32) -> &str {
        self.concepts().get(number).map_or(&self.settings().root, |concept| &concept.name)
    }
}
