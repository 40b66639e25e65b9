use grove_belief::{Belief, Correction, CorrectionId, EdgeVotes, Error, Response, VoteId};
use grove_tree::Concept;

/// What an entry of the log means for a belief.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Change {
    Record(Response),
    Withdraw(VoteId),
    Correct(Correction),
    Undo(CorrectionId),
    Add,
    Remove(Concept),
    Merge {
        gone: Concept,
        kept: Concept,
    },
    /// The belief has to be built again from all the evidence.
    Rebuild,
}

/// Edge votes are about the concepts that existed when they were cast.
pub(crate) const EDGE_VOTES: EdgeVotes = EdgeVotes::Weaken;

impl Change {
    /// Applies the change to a belief. `Rebuild` is for the belief's owner to do.
    pub(crate) fn apply(self, belief: &mut dyn Belief) -> Result<(), Error> {
        match self {
            Self::Record(response) => belief.respond(response).map(drop),
            Self::Withdraw(vote) => belief.withdraw(vote).map(drop),
            Self::Correct(correction) => belief.correct(correction).map(drop),
            Self::Undo(correction) => belief.take_back(correction).map(drop),
            Self::Add => belief.add_concept(EDGE_VOTES).map(drop),
            Self::Remove(gone) => belief.remove_concept(gone, EDGE_VOTES),
            Self::Merge { gone, kept } => belief.merge(gone, kept),
            Self::Rebuild => Ok(()),
        }
    }
}
