use std::fmt;

/// A concept by its number: `1..=N` are the concepts themselves, `0` is the fixed root above them all.
///
/// Nobody is asked about the root; it has a number so that every concept has a parent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Concept(u32);

impl Concept {
    /// The root: above every concept, below nothing.
    pub const ROOT: Self = Self(0);

    /// The concept with this number.
    ///
    /// # Panics
    /// If the number does not fit 32 bits.
    #[must_use]
    pub const fn new(index: usize) -> Self {
        assert!(index <= u32::MAX as usize, "a concept's number must fit 32 bits");
        Self(index as u32)
    }

    /// The number, for indexing arrays with the root at 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the root.
    #[must_use]
    pub const fn is_root(self) -> bool {
        self.0 == 0
    }

    /// The first `count` concepts in order, without the root.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count).map(|index| Self::new(index + 1))
    }
}

impl grove_vocabulary::ConceptKey for Concept {
    fn is_root(&self) -> bool {
        Self::is_root(*self)
    }
}

impl fmt::Display for Concept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Concept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
