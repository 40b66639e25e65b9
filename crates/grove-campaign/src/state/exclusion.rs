//! Workers and links whose votes are stored and are not evidence.

use grove_store::{CredentialId, Position, VoteSource, WorkerId};

use super::{Change, Edited, State, VoteState};

impl State {
    /// The workers and links whose votes are excluded.
    pub fn excluded(&self) -> impl Iterator<Item = &VoteSource> {
        self.excluded.iter()
    }

    /// Whether a worker, or the link that they came through, is excluded.
    #[must_use]
    pub fn is_excluded(&self, worker: &WorkerId, link: Option<CredentialId>) -> bool {
        self.excluded.contains(&VoteSource::Worker(worker.clone()))
            || link.is_some_and(|link| self.excluded.contains(&VoteSource::Link(link)))
    }

    /// Excludes votes, or includes them again. The evidence is collected again from the votes as they were cast, and is the same as if those that
    /// count were all there had ever been.
    pub(super) fn set_excluded(
        &mut self,
        source: &VoteSource,
        exclude: bool,
        at: Position,
    ) -> Result<Option<Change>, String> {
        let changed =
            if exclude { self.excluded.insert(source.clone()) } else { self.excluded.remove(source) };
        if !changed {
            return Err(format!("{source} was {} already", if exclude { "excluded" } else { "included" }));
        }
        let excluded = std::mem::take(&mut self.excluded);
        let is_excluded = |vote: &VoteState| {
            excluded.contains(&VoteSource::Worker(vote.response.worker.clone()))
                || vote.link.is_some_and(|link| excluded.contains(&VoteSource::Link(link)))
        };
        let changes = self.votes.exclude(is_excluded);
        self.excluded = excluded;
        if !changes || self.evidence.is_none() {
            return Ok(None);
        }
        self.collect_evidence(at)?;
        Ok(Some(Change::Rebuild))
    }

    /// Names an erased worker by the stand-in, as the log does.
    pub(super) fn rename_excluded(&mut self, gone: WorkerId, stand_in: &WorkerId) {
        let (gone, stand_in) = (VoteSource::Worker(gone), VoteSource::Worker(stand_in.clone()));
        if self.excluded.remove(&gone) {
            self.excluded.insert(stand_in.clone());
        }
        for past in &mut self.history {
            if let Edited::Excluded { source } | Edited::Included { source } = &mut past.what
                && *source == gone
            {
                source.clone_from(&stand_in);
            }
        }
    }
}
