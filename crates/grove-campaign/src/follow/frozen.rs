//! A belief as bytes, so that opening a campaign need not make all the moves again: the log after them leads to the same bits.

use std::sync::Arc;

use grove_belief::{Ensemble, EnsembleSettings};
use grove_store::{Entry, Position};

use super::{Digest, Engine, Follower};
use crate::State;

/// The kind under which the store keeps them.
pub(crate) const KIND: &str = "belief";

/// How many of them are kept.
pub(crate) const KEEP: u32 = 2;

/// The form of the bytes.
const VERSION: u64 = 1;

/// The numbers before the engine's own bytes: version, the last record, digest, trees and moves.
const HEAD: usize = 5 * 8;

impl Follower {
    /// The version in the bytes: the form, and above it by how much the engine's revision exceeds the first.
    fn version(&self) -> u64 {
        VERSION | u64::from(self.revision.wrapping_sub(1)) << 32
    }

    /// The belief as bytes; none where they would save nothing.
    pub(crate) fn freeze(&self) -> Option<Vec<u8>> {
        let Some(Engine::Ensemble(ensemble)) = self.engine.as_deref() else { return None };
        let EnsembleSettings { trees, moves, .. } = ensemble.settings();
        let head = [self.version(), self.written.0.unsigned_abs(), self.digest().0, trees as u64, moves as u64];
        let mut bytes: Vec<u8> = head.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(ensemble.freeze());
        Some(bytes)
    }

    /// Continues from bytes that were frozen at a position of this log by the same revision. None if they do not fit, whatever the reason:
    /// then the log has to be replayed.
    pub(crate) fn thaw(mut self, entries: &[Entry], position: Position, bytes: &[u8]) -> Option<Self> {
        let (head, trees) = bytes.split_at_checked(HEAD)?;
        let numbers: Vec<u64> =
            head.chunks_exact(8).filter_map(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes).collect();
        let [version, written, digest, tree_count, moves] = numbers[..] else { return None };
        let taken = entries.iter().take_while(|entry| entry.position <= position).count();
        let state = State::after(&entries[..taken]);
        let settings = EnsembleSettings {
            trees: usize::try_from(tree_count).ok()?,
            moves: usize::try_from(moves).ok()?,
            seed: state.settings().seed,
        };
        let ensemble = Ensemble::thaw(state.evidence()?.clone(), settings, trees).ok()?;
        self.engine = Some(Arc::new(Engine::Ensemble(Box::new(ensemble))));
        (self.state, self.written) = (state, Position(i64::try_from(written).ok()?));
        if (version, self.state.position(), self.digest()) != (self.version(), position, Digest(digest)) {
            return None;
        }
        self.read_all(&entries[taken..]).ok()?;
        Some(self)
    }
}
