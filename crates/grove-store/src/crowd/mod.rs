//! Panels, the people who came from them, what services say and were paid, and what models were asked.
//!
//! All of it can be lost without losing a vote, except the journal of bonuses: from what is lost there, nobody could tell who was paid.

mod bonuses;
mod calls;
mod panels;
mod people;
mod submissions;

pub use bonuses::Bonus;
pub(crate) use calls::insert as insert_call;
pub use calls::{ModelCall, ModelCap, ModelSpending, Reserved};
pub use panels::Panel;
pub use people::PanelPerson;
pub(crate) use people::replace as replace_person;
pub use submissions::StoredSubmission;
