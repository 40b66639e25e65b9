//! The vocabulary of Grove: [`Question`], [`Answer`], [`Vote`] and [`Correction`]; and, for other [`Form`]s of asking
//! than yes/no, [`Screen`], [`Reply`] and [`Response`].
//!
//! Every part of the program means the same thing by these words, but names concepts in its own way: the inference by
//! an index, the log of a campaign by a number that never changes, a file by a name. So the types are generic over what
//! names a concept, and `try_map` takes them from one naming to another.
//!
//! ```
//! use grove_vocabulary::{Answer, Question, Vote};
//!
//! let names = ["food", "fruit", "orange"];
//! let asked = Question::path(1, 2)?;
//! let vote = Vote { worker: "ann", question: asked, answer: Answer::Yes };
//! let named = vote.question.map(|number| names[number as usize]);
//! assert_eq!((named.upper, named.lower), ("fruit", "orange"));
//! # Ok::<(), grove_vocabulary::Error>(())
//! ```

mod correction;
mod error;
mod form;
mod question;
mod reply;
mod response;
mod screen;
mod standing;
mod vote;

pub use correction::Correction;
pub use error::Error;
pub use form::Form;
pub use question::{ConceptKey, Kind, Question};
pub use reply::Reply;
pub use response::Response;
pub use screen::{Fields as ScreenFields, Screen};
pub use standing::{Place, Reason};
pub use vote::{Answer, Vote};

/// The certainty below which a parent is doubtful. The paper (Sun, Singla, Fox and Krause 2015) draws such edges in red.
pub const DOUBTFUL_BELOW: f64 = 0.75;
