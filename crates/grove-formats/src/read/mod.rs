//! Readers. Each takes a [`Source`](crate::Source) and names the line of what is wrong.

mod assemble;
mod bounds;
mod card_sort;
mod concepts;
mod hierarchy;
pub(crate) mod json;
mod placements;
mod rdf;
mod skos;
pub(crate) mod table;
mod votes;

pub(crate) use assemble::{Placed, assemble, spare_root};
pub(crate) use card_sort::VOTE_LIMIT;
pub use card_sort::{read_card_sort, read_card_sort_concepts};
pub use concepts::read_concepts;
pub use hierarchy::read_hierarchy;
pub use placements::{Placement, read_placements};
pub(crate) use rdf::JSON_LD;
pub use votes::{RecordedVote, read_votes};
