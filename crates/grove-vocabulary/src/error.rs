use crate::Form;

/// Why a question, a screen or a correction is not valid, or a reply does not fit its screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Both concepts are the same.
    #[error("upper and lower are the same concept; name two different ones")]
    SameConcept,
    /// The root, which is above every concept by definition.
    #[error("the root is above every concept, so there is nothing to ask or correct; name another concept")]
    Root,
    /// A concept that is asked about and is an option too.
    #[error("the concept asked about is among its own options; leave it out")]
    AmongOptions,
    /// An option, or a tick, that is there twice.
    #[error("a concept is named twice; name every option once")]
    Twice,
    /// More or fewer options than the form has.
    #[error("a {form} has {least} to {most} options, not {count}", least = form.options().start(), most = form.options().end())]
    OptionCount {
        /// The form of the screen.
        form: Form,
        /// How many options it was given.
        count: usize,
    },
    /// A reply that belongs to another form.
    #[error("this is no answer to a {form}; a {form} is answered by {answers}", answers = form.replies())]
    WrongReply {
        /// The form of the screen.
        form: Form,
    },
    /// A picked or ticked concept that was not shown.
    #[error("the answer names a concept that is not among the options; name only those that were shown")]
    NotAnOption,
    /// A reply of ticks without any tick.
    #[error("a tick without any box ticked must be answered by none")]
    NothingTicked,
    /// A place under the root.
    #[error("a place directly under the root is answered by top")]
    UnderRoot,
}
