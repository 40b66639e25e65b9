//! Panels, the people who came from them, what services say and were paid, and what models were asked.
//!
//! All of it can be lost without losing a vote, except the journal of bonuses: from what is lost there, nobody could tell who was paid.

mod bonuses;
mod calls;
mod panels;
mod people;
mod submissions;

pub use bonuses::Bonus;
pub(crate) use bonuses::insert as insert_bonus;
pub use calls::ModelCall;
pub(crate) use calls::insert as insert_call;
pub use panels::Panel;
pub(crate) use panels::insert as insert_panel;
pub use people::PanelPerson;
pub(crate) use people::{insert as insert_person, replace as replace_person};
pub use submissions::StoredSubmission;
pub(crate) use submissions::insert as insert_submission;
