use grove_tree::Concept;

use crate::Error;

/// What a question asks about its two concepts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// "Is the lower a kind of the upper?": is it anywhere below. The answer does not depend on what other
    /// concepts there are, which is why people can give it.
    Path,
    /// "Is the lower directly under the upper?": the answer speaks of the concepts present when it was asked.
    Edge,
}

/// A yes/no question about two concepts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Question {
    kind: Kind,
    upper: Concept,
    lower: Concept,
}

impl Question {
    /// The question whether `upper` stands above `lower`, or directly above it.
    ///
    /// # Errors
    /// [`Error::SameConcept`] for a concept and itself, [`Error::AboutTheRoot`] for the root, which is above everything.
    pub fn new(kind: Kind, upper: Concept, lower: Concept) -> Result<Self, Error> {
        if upper.is_root() || lower.is_root() {
            return Err(Error::AboutTheRoot);
        }
        if upper == lower {
            return Err(Error::SameConcept(upper));
        }
        Ok(Self { kind, upper, lower })
    }

    /// A path question.
    ///
    /// # Errors
    /// As [`Question::new`].
    pub fn path(upper: Concept, lower: Concept) -> Result<Self, Error> {
        Self::new(Kind::Path, upper, lower)
    }

    /// An edge question.
    ///
    /// # Errors
    /// As [`Question::new`].
    pub fn edge(upper: Concept, lower: Concept) -> Result<Self, Error> {
        Self::new(Kind::Edge, upper, lower)
    }

    /// Path or edge.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// The concept asked to be above.
    #[must_use]
    pub fn upper(self) -> Concept {
        self.upper
    }

    /// The concept asked to be below.
    #[must_use]
    pub fn lower(self) -> Concept {
        self.lower
    }

    /// The same question with its concepts renamed; `None` where that leaves no question.
    pub(crate) fn renamed(self, rename: impl Fn(Concept) -> Option<Concept>) -> Option<Self> {
        Self::new(self.kind, rename(self.upper)?, rename(self.lower)?).ok()
    }
}

/// What a worker said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Answer {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// The worker does not know. Counts as an answered question, and as no evidence.
    CantSay,
}

/// A worker by number: 0, 1, 2, in the order in which the caller met them. Numbers are places in lists, so they should leave no gaps;
/// past [`MOST_WORKERS`] they are refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Worker(u32);

impl Worker {
    /// The worker with this number.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The most workers that evidence takes.
pub const MOST_WORKERS: usize = 1_000_000;

/// One worker's answer to one question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Vote {
    /// What was asked.
    pub question: Question,
    /// Who answered.
    pub worker: Worker,
    /// What they said.
    pub answer: Answer,
}

/// A vote's number in the order of recording; stays valid when other votes are withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VoteId(pub(crate) u32);

impl VoteId {
    /// The number, counting from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
