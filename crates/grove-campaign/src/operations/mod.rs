//! What callers can do, and who may do it.
//!
//! Each use case is one function: of [`Workspace`] if it is about campaigns and accounts, of [`Access`] if it is
//! about one campaign. Each checks [`allowed`] first. The API, the pages and the command line identify the caller,
//! parse and render; they decide nothing.

mod access;
mod links;
mod members;
mod models;
mod personal_data;
pub mod recruit;
mod replays;
mod workspace;

use std::fmt;

use grove_store::{Actor, CredentialId, MemberRole, OwnerId, WorkerId};

pub use crate::CurvePoint;
use crate::{Edit, Error, Settings, State};
pub use access::{Access, WorkerSummary};
pub use links::{LinkSummary, NewLink};
pub use members::MemberName;
pub(crate) use models::is_model;
pub use models::{MODEL_QUESTIONS, ModelReport, ModelRun, RunStatus};
pub use personal_data::{PersonAtPanel, PersonalAnswer, PersonalData};
pub use replays::View;
pub use workspace::Workspace;

/// The role of a caller in a campaign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The account that the campaign belongs to.
    Owner,
    /// Somebody who works on the hierarchy for the owner.
    Editor,
    /// Somebody who may look at everything but the payments.
    Viewer,
    /// Somebody with an invitation, who answers questions.
    Worker,
    /// The operator: the command line on the machine of the database.
    Administrator,
}

impl Role {
    /// All roles, in the order of the columns of the table.
    pub const ALL: [Self; 5] = [Self::Owner, Self::Editor, Self::Viewer, Self::Worker, Self::Administrator];
}

impl From<MemberRole> for Role {
    fn from(role: MemberRole) -> Self {
        match role {
            MemberRole::Editor => Self::Editor,
            MemberRole::Viewer => Self::Viewer,
        }
    }
}

/// What a caller can do. Each has one rule, and some are several functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// Getting the next questions, with the campaign's title and consent.
    NextQuestion,
    /// Casting a vote; workers only their own.
    CastVote,
    /// Withdrawing a vote; workers only their own.
    WithdrawVote,
    /// Reading concepts, corrections, settings, hierarchy, report and reasons, and exporting them.
    Read,
    /// Reading single votes, and the log, which holds them.
    ReadVotes,
    /// Reading what is believed about each worker.
    ReadWorkers,
    /// Reading what each worker has earned.
    ReadPayments,
    /// Adding, renaming, describing, removing and merging concepts.
    EditConcepts,
    /// Making, moving and undoing corrections.
    Correct,
    /// Importing votes.
    ImportVotes,
    /// Pausing, resuming and stopping.
    Pause,
    /// Changing settings other than those of money.
    ChangeSettings,
    /// Changing the price of a vote and the budget.
    ChangeMoney,
    /// Excluding the votes of workers and links from the evidence, and including them again.
    Exclude,
    /// Replacing a worker by an anonymous stand-in.
    EraseWorker,
    /// Reading everything that is stored about a worker; workers only about themselves.
    ReadPersonalData,
    /// Making, listing and revoking invitations.
    Invite,
    /// Sharing a campaign with other accounts, and handing it over.
    Share,
    /// Making panels, publishing studies, approving people and paying bonuses.
    Recruit,
    /// Letting language models answer, which costs money.
    AskModels,
    /// Creating a campaign, and listing one's own.
    CreateCampaign,
    /// Deleting a campaign.
    DeleteCampaign,
    /// Changing one's own password and API tokens.
    ManageOwnAccount,
    /// Managing all accounts, whose campaigns are whose, and checking the database.
    Administrate,
}

/// What each operation is called, and which role may do it.
#[rustfmt::skip]
const TABLE: [(Operation, &str, [bool; 5]); 24] = [
    //                                                              owner  editor viewer worker administrator
    (Operation::NextQuestion,      "get questions",                [true,  true,  false, true,  true]),
    (Operation::CastVote,          "cast this vote",               [true,  true,  false, true,  true]),
    (Operation::WithdrawVote,      "withdraw this vote",           [true,  true,  false, true,  true]),
    (Operation::Read,              "read the campaign",            [true,  true,  true,  false, true]),
    (Operation::ReadVotes,         "read the votes",               [true,  true,  true,  false, true]),
    (Operation::ReadWorkers,       "read about the workers",       [true,  true,  true,  false, true]),
    (Operation::ReadPayments,      "read the payments",            [true,  false, false, false, true]),
    (Operation::EditConcepts,      "edit the concepts",            [true,  true,  false, false, true]),
    (Operation::Correct,           "correct the hierarchy",        [true,  true,  false, false, true]),
    (Operation::ImportVotes,       "import votes",                 [true,  true,  false, false, true]),
    (Operation::Pause,             "pause or resume the campaign", [true,  true,  false, false, true]),
    (Operation::ChangeSettings,    "change the settings",          [true,  true,  false, false, true]),
    (Operation::ChangeMoney,       "change prices and budgets",    [true,  false, false, false, true]),
    (Operation::Exclude,           "exclude votes",                [true,  true,  false, false, true]),
    (Operation::EraseWorker,       "erase a worker",               [true,  false, false, false, true]),
    (Operation::ReadPersonalData,  "read a worker's own data",     [true,  false, false, true,  true]),
    (Operation::Invite,            "manage invitations",           [true,  false, false, false, true]),
    (Operation::Share,             "share the campaign",           [true,  false, false, false, true]),
    (Operation::Recruit,           "recruit and pay people",       [true,  false, false, false, true]),
    (Operation::AskModels,         "ask language models",          [true,  false, false, false, true]),
    (Operation::CreateCampaign,    "create campaigns",             [true,  true,  true,  false, true]),
    (Operation::DeleteCampaign,    "delete the campaign",          [true,  false, false, false, true]),
    (Operation::ManageOwnAccount,  "manage this account",          [true,  true,  true,  false, false]),
    (Operation::Administrate,      "manage all accounts",          [false, false, false, false, true]),
];

impl Operation {
    /// All operations, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }
}

/// Whether a role may do something.
#[must_use]
pub fn allowed(operation: Operation, role: Role) -> bool {
    TABLE.iter().any(|(listed, _, roles)| *listed == operation && roles[role as usize])
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Owner => "an owner",
            Self::Editor => "an editor",
            Self::Viewer => "a viewer",
            Self::Worker => "a worker",
            Self::Administrator => "an administrator",
        })
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TABLE.iter().find(|row| row.0 == *self).map_or("do this", |row| row.1))
    }
}

/// The caller of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// Their role in the campaign.
    pub role: Role,
    /// Their identity in the log.
    pub actor: Actor,
    /// The invitation that they came with, if they are a worker and it is known.
    pub link: Option<Link>,
}

/// An invitation that somebody came with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Its id.
    pub id: CredentialId,
    /// Whether it has limits, on people or votes.
    pub is_limited: bool,
}

impl Caller {
    /// An account. It is the owner of its campaigns; in those that are shared with it, [`Workspace::campaign`] gives it its role.
    #[must_use]
    pub fn account(owner: OwnerId) -> Self {
        Self { role: Role::Owner, actor: Actor::Owner(owner), link: None }
    }

    /// A worker whose invitation was checked.
    #[must_use]
    pub fn worker(worker: WorkerId) -> Self {
        Self { role: Role::Worker, actor: Actor::Worker(worker), link: None }
    }

    /// The same with the invitation that they came with.
    #[must_use]
    pub fn through(self, link: Link) -> Self {
        Self { link: Some(link), ..self }
    }

    /// A reader whose read-only link was checked.
    pub(crate) fn guest() -> Self {
        Self { role: Role::Viewer, actor: Actor::Grove, link: None }
    }

    /// The command line on the machine of the database.
    #[must_use]
    pub fn local() -> Self {
        Self { role: Role::Administrator, actor: Actor::Grove, link: None }
    }

    /// The account that they act for, if any.
    #[must_use]
    pub fn owner(&self) -> Option<OwnerId> {
        match self.actor {
            Actor::Owner(owner) => Some(owner),
            _ => None,
        }
    }

    /// Refuses what the caller's role does not allow.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn require(&self, operation: Operation) -> Result<(), Error> {
        if allowed(operation, self.role) { Ok(()) } else { Err(self.forbidden(operation)) }
    }

    fn forbidden(&self, operation: Operation) -> Error {
        Error::Forbidden { role: self.role, operation }
    }

    /// As [`Caller::require`], for what is done in the name of a worker: workers act for themselves alone.
    fn require_for(&self, operation: Operation, worker: &WorkerId) -> Result<(), Error> {
        match &self.actor {
            Actor::Worker(own) if own != worker => Err(self.forbidden(operation)),
            _ => self.require(operation),
        }
    }
}

impl Edit {
    /// The operations that an edit needs, given the present state.
    fn operations(&self, state: &State) -> Vec<Operation> {
        let present = state.settings();
        match self {
            Self::Add(_)
            | Self::Rename { .. }
            | Self::Redescribe { .. }
            | Self::SetArticle { .. }
            | Self::Remove { .. }
            | Self::Restore { .. }
            | Self::Merge { .. } => vec![Operation::EditConcepts],
            Self::Correct { .. } | Self::Move { .. } | Self::UndoCorrection { .. } | Self::Free { .. } => {
                vec![Operation::Correct]
            }
            Self::Exclude { .. } | Self::Include { .. } => vec![Operation::Exclude],
            Self::Pause { .. } | Self::Resume | Self::Stop { .. } => vec![Operation::Pause],
            // Undoing an edit needs the same permissions as the edit.
            Self::Undo { edit } => {
                let edits = state.undoing(*edit).unwrap_or_default();
                edits.iter().flat_map(|edit| edit.operations(state)).collect()
            }
            Self::Set(settings) => {
                let money = |of: &Settings| (of.price_cents, of.budget);
                let money = (money(settings) != money(present)).then_some(Operation::ChangeMoney);
                std::iter::once(Operation::ChangeSettings).chain(money).collect()
            }
        }
    }
}
