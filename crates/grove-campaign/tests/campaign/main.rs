//! Campaigns in a real store.

mod bench;
mod edits;
mod live;
mod replay;
mod simulation;
