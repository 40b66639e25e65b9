//! What callers can do, and who may do it.
//!
//! Each use case is one function: of [`Workspace`] if it is about campaigns and accounts, of [`Access`] if it is about one campaign.
//! Each asks [`allowed`] first. The API, the pages and the command line identify the caller, parse and render; they decide nothing.

mod access;
mod replays;
mod workspace;

use std::fmt;

use grove_store::{Actor, OwnerId, WorkerId};

use crate::{Edit, Error, Settings};
pub use access::{Access, CurvePoint, WorkerSummary};
pub use replays::View;
pub use workspace::Workspace;

/// What somebody is to a campaign.
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
    /// Whoever runs the program: the command line on the machine of the database.
    Administrator,
}

impl Role {
    /// All roles, in the order of the columns of the table.
    pub const ALL: [Self; 5] = [Self::Owner, Self::Editor, Self::Viewer, Self::Worker, Self::Administrator];
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
    /// Reading what is believed of each worker.
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
    /// Replacing a worker by an anonymous stand-in.
    EraseWorker,
    /// Making, listing and revoking invitations.
    Invite,
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
const TABLE: [(Operation, &str, [bool; 5]); 19] = [
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
    (Operation::EraseWorker,       "erase a worker",               [true,  false, false, false, true]),
    (Operation::Invite,            "manage invitations",           [true,  false, false, false, true]),
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

/// Somebody who calls an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// What they are to the campaign.
    pub role: Role,
    /// Who they are, as the log names them.
    pub actor: Actor,
}

impl Caller {
    /// An account, as the owner of its campaigns.
    #[must_use]
    pub fn account(owner: OwnerId) -> Self {
        Self { role: Role::Owner, actor: Actor::Owner(owner) }
    }

    /// A worker with an invitation. Whoever calls this has checked that.
    #[must_use]
    pub fn worker(worker: WorkerId) -> Self {
        Self { role: Role::Worker, actor: Actor::Worker(worker) }
    }

    /// The command line on the machine of the database.
    #[must_use]
    pub fn local() -> Self {
        Self { role: Role::Administrator, actor: Actor::Grove }
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
    /// The operations that an edit needs, given the present settings.
    fn operations(&self, present: &Settings) -> Vec<Operation> {
        match self {
            Self::Add(_)
            | Self::Rename { .. }
            | Self::Redescribe { .. }
            | Self::SetArticle { .. }
            | Self::Remove { .. }
            | Self::Merge { .. } => vec![Operation::EditConcepts],
            Self::Correct { .. } | Self::Move { .. } | Self::UndoCorrection { .. } | Self::Free { .. } => {
                vec![Operation::Correct]
            }
            Self::Pause { .. } | Self::Resume | Self::Stop { .. } => vec![Operation::Pause],
            Self::Set(settings) => {
                let money = |of: &Settings| (of.price_cents, of.budget);
                let money = (money(settings) != money(present)).then_some(Operation::ChangeMoney);
                std::iter::once(Operation::ChangeSettings).chain(money).collect()
            }
        }
    }
}
