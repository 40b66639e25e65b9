use std::ops::{Index, IndexMut};

use grove_tree::Concept;

/// One value for every ordered pair (upper, lower) of concepts, the root included: (N+1)^2 values, so for small N only.
#[derive(Clone, Debug)]
pub(crate) struct PairTable<T> {
    width: usize,
    /// By lower concept, then by upper.
    values: Vec<T>,
}

impl<T: Clone> PairTable<T> {
    pub(crate) fn new(count: usize, value: T) -> Self {
        Self { width: count + 1, values: vec![value; (count + 1) * (count + 1)] }
    }

    pub(crate) fn map(self, of: impl Fn(T) -> T) -> Self {
        Self { values: self.values.into_iter().map(of).collect(), ..self }
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }
}

impl<T> Index<(Concept, Concept)> for PairTable<T> {
    type Output = T;

    fn index(&self, (upper, lower): (Concept, Concept)) -> &T {
        assert!(upper.index() < self.width, "no such concept");
        &self.values[lower.index() * self.width + upper.index()]
    }
}

impl<T> IndexMut<(Concept, Concept)> for PairTable<T> {
    fn index_mut(&mut self, (upper, lower): (Concept, Concept)) -> &mut T {
        &mut self.values[lower.index() * self.width + upper.index()]
    }
}
