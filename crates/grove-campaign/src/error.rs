/// What can go wrong with a campaign. Messages say what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting that makes no sense.
    #[error("the setting {setting:?} is wrong: {problem}")]
    BadSetting {
        /// Its name.
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
        /// The name most like it.
        nearest: Option<String>,
    },
    /// A concept that is not there, or not any more.
    #[error("concept {0} is not there, or not any more; read the campaign again")]
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
    /// A correction that contradicts others, or a merger that makes corrections contradict each other.
    #[error("{0}")]
    Clash(String),
    /// The engine cannot hold what it is asked to.
    #[error("{0}")]
    Belief(#[from] grove_belief::Error),
    /// The hierarchy cannot be written down.
    #[error(transparent)]
    Formats(#[from] grove_formats::Error),
    /// No campaign of this name.
    #[error("there is no campaign called {0:?}; `list` shows those that are there")]
    UnknownCampaign(String),
    /// No vote with this id, or not one that counts.
    #[error("there is no vote to take back")]
    NothingToUndo,
    /// A vote or question while no questions are asked.
    #[error("the campaign takes no votes at present: {0}")]
    NotAsking(String),
    /// Votes come faster than they can be believed.
    #[error("too many votes wait to be taken in; try again in a minute")]
    Busy,
    /// The belief's thread is gone.
    #[error("the campaign's belief has stopped; start the program again")]
    Gone,
    /// Anything that the store says.
    #[error(transparent)]
    Store(#[from] grove_store::Error),
}
