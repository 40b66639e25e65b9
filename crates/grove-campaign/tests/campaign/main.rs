//! Campaigns in a real store.

#[cfg(test)]
mod admission;
#[cfg(test)]
mod bench;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod edits;
#[cfg(test)]
mod exclusion;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod hints;
#[cfg(test)]
mod live;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod simulation;

mod undo;
