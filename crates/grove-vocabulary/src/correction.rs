use std::convert::Infallible;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::question::check_pair;
use crate::{ConceptKey, Error};

/// A statement by the owner about the hierarchy, which overrides all votes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum Correction<C> {
    /// The parent of `lower` is `upper`.
    DirectlyUnder {
        /// The child.
        lower: C,
        /// Its parent.
        upper: C,
    },
    /// `upper` is above `lower`, with or without concepts between.
    SomewhereUnder {
        /// The concept below.
        lower: C,
        /// The concept above.
        upper: C,
    },
    /// `upper` is not above `lower`.
    NotUnder {
        /// The concept that is not below.
        lower: C,
        /// The concept that is not above.
        upper: C,
    },
    /// The concept is directly under the root.
    TopLevel {
        /// The concept that has no parent but the root.
        concept: C,
    },
}

impl<C> Correction<C> {
    /// The concept that is placed: the lower one, or the one at the top level.
    pub fn subject(&self) -> &C {
        match self {
            Self::DirectlyUnder { lower, .. }
            | Self::SomewhereUnder { lower, .. }
            | Self::NotUnder { lower, .. }
            | Self::TopLevel { concept: lower } => lower,
        }
    }

    /// The concept it is placed under or kept away from; none for the top level.
    pub fn upper(&self) -> Option<&C> {
        match self {
            Self::DirectlyUnder { upper, .. }
            | Self::SomewhereUnder { upper, .. }
            | Self::NotUnder { upper, .. } => Some(upper),
            Self::TopLevel { .. } => None,
        }
    }

    /// The same correction with its concepts named in another way.
    pub fn map<D>(self, mut name: impl FnMut(C) -> D) -> Correction<D> {
        match self.try_map(|concept| Ok::<D, Infallible>(name(concept))) {
            Ok(correction) => correction,
        }
    }

    /// The same correction with its concepts named in another way, if each has such a name.
    ///
    /// # Errors
    /// The first error of `name`.
    pub fn try_map<D, E>(self, mut name: impl FnMut(C) -> Result<D, E>) -> Result<Correction<D>, E> {
        Ok(match self {
            Self::DirectlyUnder { lower, upper } => {
                Correction::DirectlyUnder { lower: name(lower)?, upper: name(upper)? }
            }
            Self::SomewhereUnder { lower, upper } => {
                Correction::SomewhereUnder { lower: name(lower)?, upper: name(upper)? }
            }
            Self::NotUnder { lower, upper } => {
                Correction::NotUnder { lower: name(lower)?, upper: name(upper)? }
            }
            Self::TopLevel { concept } => Correction::TopLevel { concept: name(concept)? },
        })
    }
}

impl<C: ConceptKey> Correction<C> {
    /// Checks that the correction is about two different concepts, neither of them the root.
    ///
    /// # Errors
    /// [`Error::Root`] or [`Error::SameConcept`].
    pub fn check(&self) -> Result<(), Error> {
        match self.upper() {
            Some(upper) => check_pair(upper, self.subject()),
            None if self.subject().is_root() => Err(Error::Root),
            None => Ok(()),
        }
    }
}

impl<C: fmt::Display> fmt::Display for Correction<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DirectlyUnder { lower, upper } => write!(f, "{lower} directly under {upper}"),
            Self::SomewhereUnder { lower, upper } => write!(f, "{lower} somewhere under {upper}"),
            Self::NotUnder { lower, upper } => write!(f, "{lower} not under {upper}"),
            Self::TopLevel { concept } => write!(f, "{concept} at the top level"),
        }
    }
}
