//! Campaigns in a real store.

#[cfg(test)]
mod bench;
#[cfg(test)]
mod edits;
#[cfg(test)]
mod live;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod simulation;
