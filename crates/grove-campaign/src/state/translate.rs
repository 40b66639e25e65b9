//! Between the log's numbers and words and the belief's.

use grove_belief::Correction;
use grove_store::{QuestionKind, Rule};

use super::State;

pub(super) fn answer(answer: grove_store::Answer) -> grove_belief::Answer {
    match answer {
        grove_store::Answer::Yes => grove_belief::Answer::Yes,
        grove_store::Answer::No => grove_belief::Answer::No,
        grove_store::Answer::CantSay => grove_belief::Answer::CantSay,
    }
}

impl State {
    /// What a question of the log asks the belief; none if it asks nothing any more.
    #[must_use]
    pub fn question(&self, question: grove_store::Question) -> Option<grove_belief::Question> {
        let upper = self.concepts.belief_number(question.upper)?;
        let lower = self.concepts.belief_number(question.lower)?;
        let kind = match question.kind {
            QuestionKind::Path => grove_belief::Kind::Path,
            QuestionKind::Edge => grove_belief::Kind::Edge,
        };
        grove_belief::Question::new(kind, upper, lower).ok()
    }

    /// A question of the belief, as the log names it.
    #[must_use]
    pub fn log_question(&self, question: grove_belief::Question) -> grove_store::Question {
        grove_store::Question {
            kind: match question.kind() {
                grove_belief::Kind::Path => QuestionKind::Path,
                grove_belief::Kind::Edge => QuestionKind::Edge,
            },
            upper: self.concepts.number(question.upper()),
            lower: self.concepts.number(question.lower()),
        }
    }

    /// What a rule asks of the belief; nothing if it goes without saying.
    pub(crate) fn correction(&self, rule: Rule) -> Result<Option<Correction>, String> {
        let find = |number: u32| {
            self.concepts.belief_number(number).ok_or_else(|| format!("concept {number} was gone already"))
        };
        Ok(match rule {
            Rule::DirectlyUnder { lower, upper: 0 } | Rule::TopLevel { concept: lower } => {
                Some(Correction::TopLevel(find(lower)?))
            }
            Rule::SomewhereUnder { upper: 0, .. } => None,
            Rule::NotUnder { upper: 0, .. } => {
                return Err("everything is under the root; forbid another concept".to_owned());
            }
            Rule::DirectlyUnder { lower, upper } => {
                Some(Correction::DirectlyUnder { lower: find(lower)?, upper: find(upper)? })
            }
            Rule::SomewhereUnder { lower, upper } => {
                Some(Correction::SomewhereUnder { lower: find(lower)?, upper: find(upper)? })
            }
            Rule::NotUnder { lower, upper } => {
                Some(Correction::NotUnder { lower: find(lower)?, upper: find(upper)? })
            }
        })
    }
}
