use crate::TicketProblem;
use crate::operations::{Operation, Role};

/// What can go wrong with a campaign. Messages say what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting with an invalid value.
    #[error("the setting {setting:?} is wrong: {problem}")]
    BadSetting {
        /// The field of the settings.
        setting: &'static str,
        /// What is wrong, and what it should be.
        problem: String,
    },
    /// Settings that cannot be read.
    #[error("the settings cannot be read: {0}")]
    UnreadableSettings(String),
    /// No concept of this name.
    #[error("there is no concept {name:?}{}", nearest.as_ref().map_or_else(String::new, |near| format!("; did you mean {near:?}?")))]
    UnknownConcept {
        /// The name that was given.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// A concept that does not exist, or not any more.
    #[error("there is no concept {0} any more; reload the campaign")]
    NoSuchConcept(u32),
    /// A name that another concept has, or the root.
    #[error("{0:?} is the name of another concept already; choose another name, or merge the two")]
    NameTaken(String),
    /// More concepts than a campaign can hold.
    #[error("a campaign has at most {0} concepts; divide them into several campaigns")]
    TooManyConcepts(usize),
    /// A question that cannot be asked.
    #[error("a question needs two different concepts, and neither may be the root")]
    BadQuestion,
    /// A screen that cannot be shown, or an answer that does not fit it.
    #[error("{0}")]
    BadAnswer(#[from] grove_vocabulary::Error),
    /// A correction that contradicts others, or a merger that makes corrections contradict each other.
    #[error("{0}")]
    Clash(String),
    /// The engine cannot hold what it is asked to.
    #[error("{0}")]
    Belief(#[from] grove_belief::Error),
    /// A vote of a file that cannot be imported.
    #[error("line {line}: {problem}")]
    BadVote {
        /// The line of the vote.
        line: usize,
        /// What is wrong with it.
        problem: grove_store::Error,
    },
    /// A file that cannot be read, or a hierarchy that cannot be written.
    #[error(transparent)]
    Formats(#[from] grove_formats::Error),
    /// There is no vote to withdraw.
    #[error("there is no vote to withdraw")]
    NothingToUndo,
    /// An edit that was undone already, or that later edits build on.
    #[error("this was undone already, or changed again since; undo what came after it first")]
    UndoneAlready,
    /// A concept to be restored that is still there.
    #[error("the concept was never removed; nothing was restored")]
    NotGone,
    /// There is no correction to undo.
    #[error("there is no correction to undo")]
    NoSuchCorrection,
    /// A vote or question while no questions are asked.
    #[error("the campaign takes no votes at present: {0}")]
    NotAsking(String),
    /// A vote of somebody whose votes are excluded.
    #[error("your answers are no longer accepted in this campaign; ask its owner why")]
    Excluded,
    /// A vote on a question that its worker was not asked, or too long ago.
    #[error("{0}")]
    BadTicket(TicketProblem),
    /// Votes come faster than the belief can take them in.
    #[error("too many votes are waiting to be processed; try again in a minute")]
    Busy,
    /// An export requested while the first hierarchy is still being computed.
    #[error("the hierarchy is being computed from the votes; try again in a minute")]
    Rebuilding,
    /// The thread that computed the belief has died.
    #[error("the campaign's belief has stopped; restart the program")]
    Gone,
    /// An operation that the caller's role does not allow.
    #[error("{role} may not {operation}; ask the owner of the campaign")]
    Forbidden {
        /// The caller's role.
        role: Role,
        /// The operation that was refused.
        operation: Operation,
    },
    /// No account of this name.
    #[error("there is no account {0:?} on this server; ask its operator to create one")]
    NoSuchAccount(String),
    /// An operation that a panel does not allow; the text says why.
    #[error("{0}")]
    Panel(String),
    /// An error of a panel or a model, or invalid settings of one.
    #[error(transparent)]
    Crowd(#[from] grove_crowd::Error),
    /// Anything that the store reports.
    #[error(transparent)]
    Store(#[from] grove_store::Error),
}
