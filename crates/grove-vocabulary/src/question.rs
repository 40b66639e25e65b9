use serde::{Deserialize, Serialize};

use crate::Error;

/// Something that identifies a concept.
pub trait ConceptKey: PartialEq {
    /// Whether it identifies the root above all concepts.
    fn is_root(&self) -> bool;
}

/// The number of a concept in the log of a campaign; 0 is the root.
impl ConceptKey for u32 {
    fn is_root(&self) -> bool {
        *self == 0
    }
}

/// What a question asks about its two concepts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// "Is the lower a kind of the upper?", at any depth. The answer does not depend on which other concepts there are,
    /// which is why people can give it.
    #[default]
    Path,
    /// "Is the lower directly under the upper?" The answer depends on which concepts were present when it was asked.
    Edge,
}

impl Kind {
    /// The word used in JSON and in database columns.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Edge => "edge",
        }
    }

    /// Parses what [`Kind::as_str`] returns.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Path, Self::Edge].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A yes/no question: is `upper` above `lower`?
///
/// [`Question::new`] refuses pairs that cannot be asked about. The fields are public all the same, because a log or a file holds
/// what was asked, sensible or not; the inference checks again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Question<C> {
    /// Whether `upper` is anywhere above `lower`, or directly above it.
    pub kind: Kind,
    /// The concept asked to be above.
    pub upper: C,
    /// The concept asked to be below.
    pub lower: C,
}

impl<C: ConceptKey> Question<C> {
    /// The question whether `upper` is above `lower`.
    ///
    /// # Errors
    /// [`Error::Root`] if one of them is the root, [`Error::SameConcept`] if they are the same.
    pub fn new(kind: Kind, upper: C, lower: C) -> Result<Self, Error> {
        let question = Self { kind, upper, lower };
        question.check().map(|()| question)
    }

    /// A path question.
    ///
    /// # Errors
    /// As [`Question::new`].
    pub fn path(upper: C, lower: C) -> Result<Self, Error> {
        Self::new(Kind::Path, upper, lower)
    }

    /// An edge question.
    ///
    /// # Errors
    /// As [`Question::new`].
    pub fn edge(upper: C, lower: C) -> Result<Self, Error> {
        Self::new(Kind::Edge, upper, lower)
    }

    /// Checks what [`Question::new`] checks.
    ///
    /// # Errors
    /// As [`Question::new`].
    pub fn check(&self) -> Result<(), Error> {
        check_pair(&self.upper, &self.lower)
    }
}

impl<C> Question<C> {
    /// The same question with its concepts named in another way.
    pub fn map<D>(self, mut name: impl FnMut(C) -> D) -> Question<D> {
        Question { kind: self.kind, upper: name(self.upper), lower: name(self.lower) }
    }

    /// The same question with its concepts named in another way; `None` if one has no such name or if that leaves no question.
    pub fn try_map<D: ConceptKey>(self, mut name: impl FnMut(C) -> Option<D>) -> Option<Question<D>> {
        Question::new(self.kind, name(self.upper)?, name(self.lower)?).ok()
    }
}

pub(crate) fn check_pair<C: ConceptKey>(upper: &C, lower: &C) -> Result<(), Error> {
    if upper.is_root() || lower.is_root() {
        Err(Error::Root)
    } else if upper == lower {
        Err(Error::SameConcept)
    } else {
        Ok(())
    }
}
