//! Language models as workers, behind an OpenAI-style chat endpoint.

mod answer;
mod budget;
mod client;
mod follows;
mod probe;
mod prompt;

pub use answer::{Heard, heard};
pub use budget::{Budget, SpendingLimit, Usage};
pub use client::{Answered, CallKey, ModelClient};
pub use follows::{Agreement, follows};
pub use probe::Probe;
pub use prompt::{Asking, PROMPT_VERSION, Prompt};
