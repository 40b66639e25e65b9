//! Between the log's numbers of concepts and the belief's.

use grove_belief::Worker;
use grove_store::{Correction, Reply, Screen};

use super::State;

impl State {
    /// A question of the log in the belief's numbers; none if one of its concepts is gone.
    #[must_use]
    pub fn question(&self, question: grove_store::Question) -> Option<grove_belief::Question> {
        question.try_map(|number| self.concepts.belief_number(number))
    }

    /// A question of the belief in the log's numbers.
    #[must_use]
    pub fn log_question(&self, question: grove_belief::Question) -> grove_store::Question {
        question.map(|concept| self.concepts.number(concept))
    }

    /// A screen of the log in the belief's numbers, without options that are gone; none if that leaves nothing to ask.
    #[must_use]
    pub fn screen(&self, screen: Screen) -> Option<grove_belief::Screen> {
        screen.try_map(|number| self.concepts.belief_number(number))
    }

    /// A screen of the belief in the log's numbers.
    #[must_use]
    pub fn log_screen(&self, screen: grove_belief::Screen) -> Screen {
        screen.map(|concept| self.concepts.number(concept))
    }

    /// What a worker said, in the belief's numbers; none if that leaves nothing said.
    pub(super) fn response(
        &self,
        worker: Worker,
        screen: Screen,
        reply: Reply,
    ) -> Option<grove_belief::Response> {
        let response = grove_vocabulary::Response { worker, screen, reply };
        response.try_map(|number| self.concepts.belief_number(number))
    }

    /// A correction of the log in the belief's numbers; none if it is always true.
    pub(crate) fn correction(
        &self,
        correction: Correction,
    ) -> Result<Option<grove_belief::Correction>, String> {
        let correction = match correction {
            Correction::DirectlyUnder { lower, upper: 0 } => Correction::TopLevel { concept: lower },
            Correction::SomewhereUnder { upper: 0, .. } => return Ok(None),
            Correction::NotUnder { upper: 0, .. } => {
                return Err("everything is under the root; forbid another concept".to_owned());
            }
            other => other,
        };
        let find = |number| {
            self.concepts.belief_number(number).ok_or_else(|| format!("concept {number} was gone already"))
        };
        correction.try_map(find).map(Some)
    }
}
