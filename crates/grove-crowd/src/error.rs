/// What can go wrong with panels and models. No message holds a secret.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operator's file, or something it names, is wrong.
    #[error("{0}")]
    Config(String),
    /// Invalid settings of a panel.
    #[error("the panel's {field} is wrong: {problem}")]
    BadPanel {
        /// The field.
        field: &'static str,
        /// What is wrong, and what it should be.
        problem: String,
    },
    /// No answer came. The request may or may not have been carried out.
    #[error("{who} does not answer: {problem}; try again later")]
    NoAnswer {
        /// The service.
        who: String,
        /// What the network says.
        problem: String,
    },
    /// The service refused the request.
    #[error("{who} says {status}: {reason}")]
    Refused {
        /// The service.
        who: String,
        /// The HTTP status.
        status: u16,
        /// What it says in its answer, shortened; its title if that is not JSON.
        reason: String,
        /// After how many seconds the service asks us to try again.
        retry_after: Option<u64>,
    },
    /// An answer that is not what the service promises.
    #[error(
        "{who} sent a response that cannot be read: {problem}; the request may have been carried out anyway"
    )]
    Unreadable {
        /// The service.
        who: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Money or tokens have run out, by a limit that was set here.
    #[error("{0}")]
    OverBudget(String),
    /// What a question may use could not be written down, so it was not sent.
    #[error("what a question may cost could not be written down, so it was not sent: {0}")]
    NotReserved(String),
    /// A webhook that was not sent by the panel, or not now.
    #[error("the webhook is refused: {0}")]
    BadWebhook(&'static str),
}

impl Error {
    /// Whether the request may have been carried out although it failed. Only a clear refusal says that it was not.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        match self {
            Self::NoAnswer { .. } | Self::Unreadable { .. } => true,
            Self::Refused { status, .. } => *status >= 500 || *status == 408,
            _ => false,
        }
    }

    /// The HTTP status of a refusal.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }
}
