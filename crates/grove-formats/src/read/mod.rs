//! Readers. Each takes a [`Source`](crate::Source) and names the line of what is wrong.

mod assemble;
mod card_sort;
mod concepts;
mod hierarchy;
mod json;
pub(crate) mod nested;
mod paths;
mod rdf;
mod skos;
pub(crate) mod table;
mod votes;

pub use card_sort::{read_card_sort, read_card_sort_concepts};
pub use concepts::read_concepts;
pub use hierarchy::read_hierarchy;
pub use votes::read_votes;
