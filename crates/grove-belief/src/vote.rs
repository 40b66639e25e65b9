use grove_tree::Concept;

/// A yes/no question about two concepts of the belief.
pub type Question = grove_vocabulary::Question<Concept>;

/// One worker's answer to one question, by their indices in the belief.
pub type Vote = grove_vocabulary::Vote<Concept, Worker>;

/// What a worker is shown, about concepts of the belief.
pub type Screen = grove_vocabulary::Screen<Concept>;

/// What a worker says to a screen about concepts of the belief.
pub type Reply = grove_vocabulary::Reply<Concept>;

/// One worker's reply to one screen of any form, by their indices in the belief.
pub type Response = grove_vocabulary::Response<Concept, Worker>;

/// A statement by the owner about concepts of the belief, which overrides all votes.
pub type Correction = grove_vocabulary::Correction<Concept>;

/// A worker by number: 0, 1, 2, in the order in which the caller met them. Numbers index lists, so there should be no gaps;
/// [`MOST_WORKERS`] and higher numbers are refused.
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

    /// The first `count` workers in order.
    pub(crate) fn all(count: usize) -> impl Iterator<Item = Self> {
        (0..count as u32).map(Self)
    }
}

/// The largest number of workers.
pub const MOST_WORKERS: usize = 1_000_000;

/// The number of a vote, or of a response of another form, in the order of recording; stays valid when others are withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VoteId(pub(crate) u32);

impl VoteId {
    /// The number, counting from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
