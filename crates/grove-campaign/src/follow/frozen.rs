//! A belief as bytes, so that opening a campaign need not repeat all moves: replaying the rest of the log from here
//! gives the same bits.

use std::sync::Arc;

use grove_belief::{Engine, Noise};
use grove_store::{Entry, Position};

use super::{Follower, Way, Work};
use crate::State;

/// The kind under which the store keeps them.
pub(crate) const KIND: &str = "belief";

/// How many of them are kept.
pub(crate) const KEEP: u32 = 2;

/// The form of the bytes.
const VERSION: u64 = 1;

impl Follower {
    /// The version in the bytes: the form, and above it by how much the engine's revision exceeds the first.
    fn version(&self) -> u64 {
        VERSION | u64::from(self.revision.wrapping_sub(1)) << 32
    }

    /// The engine as bytes, for [`Follower::with_head`]; none where they would save nothing. If rates are learnt, they are drawn anew for that, and the second
    /// value is what the caller writes into the log, as after [`Follower::advance`].
    pub(crate) fn freeze(&mut self) -> (Option<Vec<u8>>, Option<Work>) {
        let Some(engine) = &mut self.engine else { return (None, None) };
        let engine = Arc::make_mut(engine);
        let learns_rates = matches!(engine.evidence().settings().noise, Noise::Learnt(_));
        let bytes = engine.freeze_and_redraw();
        let is_redrawn = learns_rates && bytes.is_some();
        (bytes, is_redrawn.then(|| self.work_done(Way::Redraw, 0)))
    }

    /// What is stored of a frozen engine: before it the version and the last record.
    pub(crate) fn with_head(&self, engine: &[u8]) -> Vec<u8> {
        let head = [self.version(), self.written.0.unsigned_abs()].map(u64::to_le_bytes);
        [head.as_flattened(), engine].concat()
    }

    /// Continues from bytes that were frozen at a position of this log by the same revision. None if they do not fit, whatever the reason:
    /// then the log has to be replayed.
    pub(crate) fn thaw(mut self, entries: &[Entry], position: Position, bytes: &[u8]) -> Option<Self> {
        let (version, bytes) = bytes.split_first_chunk()?;
        let (written, engine) = bytes.split_first_chunk()?;
        let taken = entries.iter().take_while(|entry| entry.position <= position).count();
        self.state = State::after(&entries[..taken]);
        if u64::from_le_bytes(*version) != self.version() || self.state.position() != position {
            return None;
        }
        self.written = Position(i64::from_le_bytes(*written));
        // How many of them it took in together was not kept.
        self.built_from = self.state.votes().all().len();
        let evidence = self.state.evidence()?.clone();
        self.engine = Some(Arc::new(Engine::thaw(evidence, self.state.settings().seed, engine).ok()?));
        self.read_all(&entries[taken..]).ok()?;
        Some(self)
    }
}
