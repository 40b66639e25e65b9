//! Past edits, each with what is needed to undo it. Votes and the belief's own records are not edits.

use grove_formats::Article;
use grove_store::{Actor, Correction, CorrectionId, Entry, Event, Moment, Position, VoteSource, WorkerId};

use super::{Fate, State, Status};
use crate::Settings;

/// An edit of the past.
#[derive(Clone, PartialEq, Debug)]
pub struct PastEdit {
    /// The position of its last entry in the log, by which it is named.
    pub position: Position,
    /// When it was made.
    pub at: Moment,
    /// Who made it.
    pub actor: Actor,
    /// What was done.
    pub what: Edited,
}

/// What an edit did.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Edited {
    /// The campaign was created, with so many concepts.
    Created {
        /// The number of concepts.
        concepts: u32,
    },
    /// Concepts were added, with numbers from the first to the last.
    Added {
        /// The number of the first.
        first: u32,
        /// The number of the last.
        last: u32,
    },
    /// A concept was renamed.
    Renamed {
        /// The concept.
        concept: u32,
        /// Its name before, and what stood before it in questions.
        before: (String, Article),
        /// Its name afterwards.
        after: String,
    },
    /// The definition and the synonyms of a concept were replaced.
    Redescribed {
        /// The concept.
        concept: u32,
        /// Its definition and its synonyms before.
        before: (String, Vec<String>),
        /// The new ones.
        after: (String, Vec<String>),
    },
    /// What stands before the name of a concept was chosen.
    ArticleSet {
        /// The concept.
        concept: u32,
        /// What stood there before.
        before: Article,
        /// What stands there now.
        after: Article,
    },
    /// A concept was removed.
    Removed {
        /// The concept.
        concept: u32,
    },
    /// Two concepts were merged.
    Merged {
        /// The one that is gone.
        gone: u32,
        /// The one that was kept.
        kept: u32,
    },
    /// A concept that was removed is there again.
    Restored {
        /// The concept.
        concept: u32,
    },
    /// Two concepts that were merged are two again.
    Unmerged {
        /// The one that was gone.
        gone: u32,
        /// The one that was kept.
        kept: u32,
    },
    /// A correction was made.
    Corrected {
        /// Its id.
        id: CorrectionId,
        /// What it says.
        correction: Correction,
        /// The corrections that it replaced.
        replaced: Vec<Correction>,
    },
    /// A correction was undone.
    CorrectionUndone {
        /// What it said.
        correction: Correction,
    },
    /// The settings were changed.
    SettingsChanged {
        /// The old ones.
        before: Box<Settings>,
        /// The new ones.
        after: Box<Settings>,
    },
    /// The campaign was paused, resumed or stopped.
    StatusChanged {
        /// The status and its reason before.
        before: (Status, String),
        /// The new status.
        after: Status,
    },
    /// The votes of a worker or of a link were excluded.
    Excluded {
        /// The worker or link whose votes they are.
        source: VoteSource,
    },
    /// Votes that were excluded were included again.
    Included {
        /// The worker or link whose votes they are.
        source: VoteSource,
    },
    /// A worker was replaced by an anonymous stand-in.
    WorkerErased {
        /// The stand-in.
        stand_in: WorkerId,
    },
}

impl State {
    /// The edits of the past, the oldest first.
    #[must_use]
    pub fn history(&self) -> &[PastEdit] {
        &self.history
    }

    /// An edit of the past by its position.
    #[must_use]
    pub fn past_edit(&self, position: Position) -> Option<&PastEdit> {
        let found = self.history.binary_search_by_key(&position, |edit| edit.position);
        found.ok().map(|at| &self.history[at])
    }

    /// Whether an edit can still be undone: nothing has been done since that it would undo too.
    #[must_use]
    pub fn can_undo(&self, edit: &PastEdit) -> bool {
        let present = |number: u32| self.concepts.get(number).filter(|concept| concept.fate == Fate::Present);
        match &edit.what {
            Edited::Created { .. } | Edited::WorkerErased { .. } => false,
            Edited::Added { first, last } => (*first..=*last).any(|number| present(number).is_some()),
            Edited::Renamed { concept, after, .. } => present(*concept).is_some_and(|now| now.name == *after),
            Edited::Redescribed { concept, after, .. } => {
                present(*concept).is_some_and(|now| (&now.definition, &now.synonyms) == (&after.0, &after.1))
            }
            Edited::ArticleSet { concept, after, .. } => {
                present(*concept).is_some_and(|now| now.article == *after)
            }
            Edited::Removed { concept } => {
                self.concepts.get(*concept).is_some_and(|now| now.fate == Fate::Removed { at: edit.position })
            }
            Edited::Merged { gone, kept } => self
                .concepts
                .get(*gone)
                .is_some_and(|now| now.fate == Fate::Merged { into: *kept, at: edit.position }),
            Edited::Restored { concept } => present(*concept).is_some(),
            Edited::Unmerged { gone, kept } => present(*gone).is_some() && present(*kept).is_some(),
            Edited::Corrected { id, .. } => self.corrections.get(id).is_some_and(|one| one.undone.is_none()),
            Edited::CorrectionUndone { correction } => {
                let stands = self
                    .corrections
                    .values()
                    .any(|one| one.undone.is_none() && one.correction == *correction);
                !stands && self.correction(*correction).is_ok()
            }
            Edited::Excluded { source } => self.excluded.contains(source),
            Edited::Included { source } => !self.excluded.contains(source),
            Edited::SettingsChanged { after, .. } => self.settings == **after,
            Edited::StatusChanged { after, .. } => {
                let is_last = |last: &PastEdit| last.position == edit.position;
                let changes = |past: &&PastEdit| matches!(past.what, Edited::StatusChanged { .. });
                self.status == *after && self.history.iter().rfind(changes).is_some_and(is_last)
            }
        }
    }

    /// What an entry is about to change, as an edit.
    pub(super) fn edit_of(&self, event: &Event) -> Option<Edited> {
        let concept = |number: u32| self.concepts.get(number);
        Some(match event {
            Event::ConceptAdded { concept, .. } => Edited::Added { first: *concept, last: *concept },
            Event::ConceptRenamed { concept: number, name } => {
                let known = concept(*number)?;
                let before = (known.name.clone(), known.article.clone());
                Edited::Renamed { concept: *number, before, after: name.clone() }
            }
            Event::ConceptRedescribed { concept: number, definition, synonyms } => {
                let known = concept(*number)?;
                let before = (known.definition.clone(), known.synonyms.clone());
                Edited::Redescribed {
                    concept: *number,
                    before,
                    after: (definition.clone(), synonyms.clone()),
                }
            }
            Event::ConceptArticleSet { concept: number, article } => Edited::ArticleSet {
                concept: *number,
                before: concept(*number)?.article.clone(),
                after: Article::parse(article).ok()?,
            },
            Event::ConceptRemoved { concept } => Edited::Removed { concept: *concept },
            Event::ConceptsMerged { gone, kept } => Edited::Merged { gone: *gone, kept: *kept },
            Event::ConceptRestored { concept: number } => match concept(*number)?.fate {
                Fate::Merged { into, .. } => Edited::Unmerged { gone: *number, kept: into },
                _ => Edited::Restored { concept: *number },
            },
            Event::CorrectionMade { id, correction } => {
                Edited::Corrected { id: *id, correction: *correction, replaced: Vec::new() }
            }
            Event::CorrectionTakenBack { correction } => {
                let known = self.corrections.get(correction).filter(|known| known.undone.is_none())?;
                Edited::CorrectionUndone { correction: known.correction }
            }
            Event::SettingsChanged { settings } => {
                let after = Box::new(Settings::from_json(settings).ok()?);
                Edited::SettingsChanged { before: Box::new(self.settings.clone()), after }
            }
            Event::Excluded { source } => Edited::Excluded { source: source.clone() },
            Event::Included { source } => Edited::Included { source: source.clone() },
            Event::Paused { .. } => self.status_change(Status::Paused),
            Event::Resumed { .. } => self.status_change(Status::Asking),
            Event::Stopped { .. } => self.status_change(Status::Stopped),
            Event::WorkerErased { stand_in, .. } => Edited::WorkerErased { stand_in: stand_in.clone() },
            _ => return None,
        })
    }

    fn status_change(&self, after: Status) -> Edited {
        Edited::StatusChanged { before: (self.status, self.reason.clone()), after }
    }

    /// Notes an edit. Entries that were written together are one edit.
    pub(super) fn note(&mut self, entry: &Entry, what: Edited) {
        let Entry { position, at, actor, .. } = entry;
        let together =
            |last: &PastEdit| last.position.0 + 1 == position.0 && (last.at, &last.actor) == (*at, actor);
        let mut what = what;
        if self.history.is_empty() {
            what = match what {
                Edited::SettingsChanged { .. } => Edited::Created { concepts: 0 },
                other => other,
            };
        }
        if let Some(last) = self.history.last_mut().filter(|last| together(last)) {
            match (&mut last.what, &mut what) {
                (Edited::Added { last: so_far, .. }, Edited::Added { last: new, .. }) => {
                    (*so_far, last.position) = (*new, *position);
                    return;
                }
                (Edited::Created { concepts }, Edited::Added { .. }) => {
                    (*concepts, last.position) = (*concepts + 1, *position);
                    return;
                }
                (
                    Edited::CorrectionUndone { correction: gone },
                    Edited::Corrected { correction, replaced, .. },
                ) if gone.subject() == correction.subject() => {
                    replaced.push(*gone);
                    self.history.pop();
                }
                _ => {}
            }
        }
        self.history.push(PastEdit { position: *position, at: *at, actor: actor.clone(), what });
    }
}
