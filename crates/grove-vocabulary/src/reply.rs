use std::fmt;

use serde::{Deserialize, Serialize};

use crate::screen::List;
use crate::{Answer, ConceptKey, Error, Screen};

/// What a worker said to a [`Screen`]. Which replies there are depends on its [`Form`](crate::Form); "can't say" is
/// always possible.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reply<C> {
    /// To a yes/no screen: the lower concept is under the upper one.
    Yes,
    /// To a yes/no screen: it is not.
    No,
    /// To a pick: the concept is under this option, and under none that is more specific.
    Picked(C),
    /// To a tick: these options, one at least, are under the concept, and the others are not.
    Ticked(Vec<C>),
    /// To a pick or a tick: none of the options.
    None,
    /// To a place: directly under this concept.
    Under(C),
    /// To a place: at the top level.
    Top,
    /// The worker does not know. Counts as an answered screen, but not as evidence.
    CantSay,
}

impl<C> Reply<C> {
    /// The answer to a yes/no question, if it is one.
    pub const fn answer(&self) -> Option<Answer> {
        match self {
            Self::Yes => Some(Answer::Yes),
            Self::No => Some(Answer::No),
            Self::CantSay => Some(Answer::CantSay),
            _ => None,
        }
    }

    /// The concepts that the reply names.
    pub fn concepts(&self) -> &[C] {
        match self {
            Self::Picked(concept) | Self::Under(concept) => std::slice::from_ref(concept),
            Self::Ticked(concepts) => concepts,
            Self::Yes | Self::No | Self::None | Self::Top | Self::CantSay => &[],
        }
    }

    /// The same reply with its concepts named in another way.
    pub fn map<D>(self, mut name: impl FnMut(C) -> D) -> Reply<D> {
        match self {
            Self::Yes => Reply::Yes,
            Self::No => Reply::No,
            Self::Picked(concept) => Reply::Picked(name(concept)),
            Self::Ticked(concepts) => Reply::Ticked(concepts.into_iter().map(name).collect()),
            Self::None => Reply::None,
            Self::Under(concept) => Reply::Under(name(concept)),
            Self::Top => Reply::Top,
            Self::CantSay => Reply::CantSay,
        }
    }
}

impl<C: ConceptKey> Reply<C> {
    /// Checks that the reply is one to this screen.
    ///
    /// # Errors
    /// [`Error::WrongReply`] for the reply to another form; [`Error::NotAnOption`], [`Error::Twice`] or
    /// [`Error::NothingTicked`] for options that were not shown, are named twice, or are missing;
    /// [`Error::UnderRoot`] and [`Error::SameConcept`] for impossible places.
    pub fn check(&self, screen: &Screen<C>) -> Result<(), Error> {
        match (screen, self) {
            (_, Self::CantSay)
            | (Screen::YesNo(_), Self::Yes | Self::No)
            | (Screen::Pick { .. } | Screen::Tick { .. }, Self::None)
            | (Screen::Place { .. }, Self::Top) => Ok(()),
            (Screen::Tick { .. }, Self::Ticked(ticked)) if ticked.is_empty() => Err(Error::NothingTicked),
            (Screen::Pick { options, .. }, Self::Picked(_))
            | (Screen::Tick { options, .. }, Self::Ticked(_)) => {
                let named = self.concepts();
                if !named.iter().all(|concept| options.contains(concept)) {
                    return Err(Error::NotAnOption);
                }
                let twice = |at: usize| named[..at].contains(&named[at]);
                if (0..named.len()).any(twice) { Err(Error::Twice) } else { Ok(()) }
            }
            (Screen::Place { .. }, Self::Under(concept)) if concept.is_root() => Err(Error::UnderRoot),
            (Screen::Place { lower }, Self::Under(concept)) if concept == lower => Err(Error::SameConcept),
            (Screen::Place { .. }, Self::Under(_)) => Ok(()),
            (screen, _) => Err(Error::WrongReply { form: screen.form() }),
        }
    }
}

impl<C> From<Answer> for Reply<C> {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Yes => Self::Yes,
            Answer::No => Self::No,
            Answer::CantSay => Self::CantSay,
        }
    }
}

impl<C: fmt::Display> fmt::Display for Reply<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes => f.write_str("yes"),
            Self::No => f.write_str("no"),
            Self::Picked(concept) => write!(f, "{concept}"),
            Self::Ticked(concepts) => write!(f, "{}", List(concepts)),
            Self::None => f.write_str("none of these"),
            Self::Under(concept) => write!(f, "under {concept}"),
            Self::Top => f.write_str("at the top level"),
            Self::CantSay => f.write_str("can't say"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Question;

    #[test]
    fn fits_its_screen_or_is_refused() {
        let yes_no = Screen::from(Question::path(1, 2).unwrap());
        let pick = Screen::pick(2, vec![5, 1]).unwrap();
        let tick = Screen::tick(1, vec![4, 2]).unwrap();
        let place = Screen::place(2).unwrap();
        let screens = [&yes_no, &pick, &tick, &place];
        // Which of the screens each reply fits.
        let fits = [
            (Reply::Yes, [true, false, false, false]),
            (Reply::No, [true, false, false, false]),
            (Reply::Picked(1), [false, true, false, false]),
            (Reply::Ticked(vec![2]), [false, false, true, false]),
            (Reply::None, [false, true, true, false]),
            (Reply::Under(1), [false, false, false, true]),
            (Reply::Top, [false, false, false, true]),
            (Reply::CantSay, [true; 4]),
        ];
        for (reply, expected) in fits {
            for (screen, fits) in screens.into_iter().zip(expected) {
                let refused = Err(Error::WrongReply { form: screen.form() });
                assert_eq!(reply.check(screen), if fits { Ok(()) } else { refused }, "{screen} {reply}");
            }
        }
        assert_eq!(Reply::Picked(3).check(&pick), Err(Error::NotAnOption));
        assert_eq!(Reply::Ticked(vec![4, 3]).check(&tick), Err(Error::NotAnOption));
        assert_eq!(Reply::Ticked(vec![4, 4]).check(&tick), Err(Error::Twice));
        assert_eq!(Reply::Ticked(vec![]).check(&tick), Err(Error::NothingTicked));
        assert_eq!(Reply::Under(0).check(&place), Err(Error::UnderRoot));
        assert_eq!(Reply::Under(2).check(&place), Err(Error::SameConcept));
        let message = Reply::Yes.check(&pick).unwrap_err().to_string();
        assert_eq!(message, "this is no answer to a pick; a pick is answered by picked, none or cant_say");
    }

    #[test]
    fn speaks_as_yes_no_answers_do() {
        for answer in [Answer::Yes, Answer::No, Answer::CantSay] {
            let reply = Reply::<u32>::from(answer);
            assert_eq!(serde_json::to_value(&reply).unwrap(), answer.as_str());
            assert_eq!(reply.answer(), Some(answer));
        }
        let text = r#"["none",{"picked":3},{"ticked":[4,2]},{"under":1},"top"]"#;
        let replies = [Reply::None, Reply::Picked(3), Reply::Ticked(vec![4, 2]), Reply::Under(1), Reply::Top];
        assert_eq!(serde_json::to_string(&replies).unwrap(), text);
        assert_eq!(serde_json::from_str::<Vec<Reply<u32>>>(text).unwrap(), replies);
        let words = replies.map(|reply| reply.map(|number| format!("c{number}")).to_string());
        assert_eq!(words, ["none of these", "c3", "c4, c2", "under c1", "at the top level"]);
    }
}
