//! How an edit of the past is undone: by another edit, so that the log only grows.

use grove_store::{Actor, Correction, CorrectionId, Entry, Event, Moment, Position};
use uuid::Uuid;

use crate::{Edit, Edited, Error, Fate, PastEdit, State, Status};

impl State {
    /// The edits that undo one of the past.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`] if there is none at the position; [`Error::UndoneAlready`] if it was undone, or changed again since.
    pub(crate) fn undoing(&self, position: Position) -> Result<Vec<Edit>, Error> {
        let past = self.past_edit(position).ok_or(Error::NothingToUndo)?;
        if !self.can_undo(past) {
            return Err(Error::UndoneAlready);
        }
        let PastEdit { what, .. } = past;
        Ok(match what.clone() {
            Edited::Created { .. } | Edited::WorkerErased { .. } => return Err(Error::UndoneAlready),
            Edited::Added { first, last } => {
                let present = |number: &u32| {
                    self.concepts().get(*number).is_some_and(|concept| concept.fate == Fate::Present)
                };
                (first..=last).filter(present).map(|concept| Edit::Remove { concept }).collect()
            }
            Edited::Renamed { concept, before: (name, article), .. } => {
                vec![
                    Edit::Rename { concept, name },
                    Edit::SetArticle { concept, article: article.to_string() },
                ]
            }
            Edited::Redescribed { concept, before: (definition, synonyms), .. } => {
                vec![Edit::Redescribe { concept, definition, synonyms }]
            }
            Edited::ArticleSet { concept, before, .. } => {
                vec![Edit::SetArticle { concept, article: before.to_string() }]
            }
            Edited::Removed { concept } | Edited::Merged { gone: concept, .. } => {
                vec![Edit::Restore { concept }]
            }
            Edited::Restored { concept } => vec![Edit::Remove { concept }],
            Edited::Unmerged { gone, kept } => vec![Edit::Merge { gone, kept }],
            Edited::Corrected { id, replaced, .. } => {
                let undone = std::iter::once(Edit::UndoCorrection { correction: id });
                undone.chain(replaced.into_iter().map(again)).collect()
            }
            Edited::CorrectionUndone { correction } => vec![again(correction)],
            Edited::Excluded { source } => vec![Edit::Include { source }],
            Edited::Included { source } => vec![Edit::Exclude { source }],
            Edited::SettingsChanged { before, .. } => vec![Edit::Set(before)],
            Edited::StatusChanged { before: (status, reason), .. } => vec![match status {
                Status::Asking => Edit::Resume,
                Status::Paused => Edit::Pause { reason },
                Status::Stopped => Edit::Stop { reason },
            }],
        })
    }

    /// Plans the edits that undo one of the past, each on the state that those before it leave.
    pub(crate) fn plan_undo(&self, position: Position) -> Result<Vec<Event>, Error> {
        let edits = self.undoing(position)?;
        // Removing concepts one by one needs no intermediate states, and there may be many.
        let alone = edits.iter().all(|edit| matches!(edit, Edit::Remove { .. }));
        let mut after = std::borrow::Cow::Borrowed(self);
        let mut planned = Vec::new();
        for edit in edits {
            let events = after.plan(edit)?;
            if !alone {
                for event in events.clone() {
                    let next = Position(after.position().0 + 1);
                    after.to_mut().read(&Entry { position: next, at: Moment(0), actor: Actor::Grove, event });
                }
            }
            planned.extend(events);
        }
        Ok(planned)
    }
}

/// The edit that makes a correction again.
fn again(correction: Correction) -> Edit {
    Edit::Correct { id: CorrectionId(Uuid::now_v7()), correction }
}
