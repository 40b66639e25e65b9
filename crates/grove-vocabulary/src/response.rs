use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{ConceptKey, Error, Reply, Screen, Vote};

/// One worker's reply to one screen of any form; `W` identifies the worker. A [`Vote`] is a response to a yes/no
/// screen.
///
/// In JSON it is one flat object: the worker, the fields of the [`Screen`], and the reply as `answer`. A vote looks the same as a response.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(bound(
    serialize = "C: Clone + Serialize, W: Serialize",
    deserialize = "C: Deserialize<'de>, W: Deserialize<'de>"
))]
pub struct Response<C, W> {
    /// The worker who answered.
    pub worker: W,
    /// What they were shown.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::screen::Fields<C>))]
    pub screen: Screen<C>,
    /// What they said.
    #[serde(rename = "answer")]
    pub reply: Reply<C>,
}

impl<C: ConceptKey, W> Response<C, W> {
    /// A reply that fits its screen.
    ///
    /// # Errors
    /// As [`Screen::check`] and [`Reply::check`].
    pub fn new(worker: W, screen: Screen<C>, reply: Reply<C>) -> Result<Self, Error> {
        let response = Self { worker, screen, reply };
        response.check().map(|()| response)
    }

    /// Checks what [`Response::new`] checks.
    ///
    /// # Errors
    /// As [`Response::new`].
    pub fn check(&self) -> Result<(), Error> {
        self.screen.check()?;
        self.reply.check(&self.screen)
    }
}

impl<C, W> Response<C, W> {
    /// The vote that it is, if it is one.
    pub fn vote(&self) -> Option<Vote<C, W>>
    where
        C: Clone,
        W: Clone,
    {
        let question = self.screen.question()?.clone();
        Some(Vote { worker: self.worker.clone(), question, answer: self.reply.answer()? })
    }

    /// The same response with its concepts named in another way.
    pub fn map<D>(self, mut name: impl FnMut(C) -> D) -> Response<D, W> {
        Response { worker: self.worker, screen: self.screen.map(&mut name), reply: self.reply.map(name) }
    }

    /// The same response with its concepts named in another way; `None` if that leaves nothing said.
    ///
    /// Options without such a name are left out, and options with the same name are one, which is ticked if one of
    /// them was: an empty box may have been overlooked, whereas a tick was meant. If the concept that was picked or
    /// placed under has no name, it is unknown what would have been said instead. A tick of which only empty boxes
    /// remain says none of these.
    pub fn try_map<D: ConceptKey>(self, mut name: impl FnMut(C) -> Option<D>) -> Option<Response<D, W>> {
        let screen = self.screen.try_map(&mut name)?;
        let reply = match self.reply {
            Reply::Picked(concept) => Reply::Picked(name(concept)?),
            Reply::Under(concept) => Reply::Under(name(concept)?),
            Reply::Ticked(concepts) => {
                let mut ticked = Vec::with_capacity(concepts.len());
                for concept in concepts.into_iter().filter_map(name) {
                    if screen.options().contains(&concept) && !ticked.contains(&concept) {
                        ticked.push(concept);
                    }
                }
                if ticked.is_empty() { Reply::None } else { Reply::Ticked(ticked) }
            }
            Reply::Yes => Reply::Yes,
            Reply::No => Reply::No,
            Reply::None => Reply::None,
            Reply::Top => Reply::Top,
            Reply::CantSay => Reply::CantSay,
        };
        Response::new(self.worker, screen, reply).ok()
    }
}

impl<C, W> From<Vote<C, W>> for Response<C, W> {
    fn from(vote: Vote<C, W>) -> Self {
        Self { worker: vote.worker, screen: vote.question.into(), reply: vote.answer.into() }
    }
}

impl<C: fmt::Display, W> fmt::Display for Response<C, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.screen, self.reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Question};

    fn response(screen: Screen<u32>, reply: Reply<u32>) -> Response<u32, String> {
        Response::new("ann".to_owned(), screen, reply).unwrap()
    }

    fn pick(reply: Reply<u32>) -> Response<u32, String> {
        response(Screen::pick(2, vec![5, 1, 3]).unwrap(), reply)
    }

    fn tick(reply: Reply<u32>) -> Response<u32, String> {
        response(Screen::tick(1, vec![4, 2]).unwrap(), reply)
    }

    fn place(reply: Reply<u32>) -> Response<u32, String> {
        response(Screen::place(2).unwrap(), reply)
    }

    #[test]
    fn is_one_flat_json_object() {
        let all = [
            (
                pick(Reply::Picked(1)),
                r#"{"worker":"ann","form":"pick","lower":2,"options":[5,1,3],"answer":{"picked":1}}"#,
            ),
            (
                tick(Reply::Ticked(vec![2])),
                r#"{"worker":"ann","form":"tick","upper":1,"options":[4,2],"answer":{"ticked":[2]}}"#,
            ),
            (
                tick(Reply::None),
                r#"{"worker":"ann","form":"tick","upper":1,"options":[4,2],"answer":"none"}"#,
            ),
            (place(Reply::Top), r#"{"worker":"ann","form":"place","lower":2,"answer":"top"}"#),
        ];
        for (response, text) in all {
            assert_eq!(serde_json::to_string(&response).unwrap(), text);
            assert_eq!(serde_json::from_str::<Response<u32, String>>(text).unwrap(), response);
        }
    }

    #[test]
    fn a_vote_looks_the_same() {
        let question = Question::path(1, 2).unwrap();
        let vote = Vote { worker: "ann".to_owned(), question, answer: Answer::No };
        let response = Response::from(vote.clone());
        assert_eq!(serde_json::to_string(&response).unwrap(), serde_json::to_string(&vote).unwrap());
        assert_eq!(response.vote(), Some(vote));
        assert_eq!(pick(Reply::CantSay).vote(), None);
    }

    #[test]
    fn keeps_what_is_still_said_when_concepts_leave() {
        let but = |gone: u32| move |number: u32| (number != gone).then_some(number);
        let fewer = |options| Screen::Pick { lower: 2, options };
        let left = pick(Reply::Picked(1)).try_map(but(5)).unwrap();
        assert_eq!((left.screen, left.reply), (fewer(vec![1, 3]), Reply::Picked(1)));
        assert_eq!(pick(Reply::Picked(1)).try_map(but(1)), None);
        assert_eq!(pick(Reply::None).try_map(but(1)).unwrap().screen, fewer(vec![5, 3]));
        let left = tick(Reply::Ticked(vec![2])).try_map(but(2)).unwrap();
        assert_eq!((left.screen, left.reply), (Screen::Tick { upper: 1, options: vec![4] }, Reply::None));
        assert_eq!(place(Reply::Under(1)).try_map(but(1)), None);
        assert_eq!(place(Reply::Top).try_map(but(1)), Some(place(Reply::Top)));
    }

    #[test]
    fn merged_options_are_one() {
        let merged =
            |gone: u32, kept: u32| move |number: u32| Some(if number == gone { kept } else { number });
        let left = pick(Reply::Picked(5)).try_map(merged(5, 1)).unwrap();
        assert_eq!(left.screen, Screen::Pick { lower: 2, options: vec![1, 3] });
        assert_eq!(left.reply, Reply::Picked(1));
        let left = tick(Reply::Ticked(vec![2])).try_map(merged(4, 2)).unwrap();
        assert_eq!(left.reply, Reply::Ticked(vec![2]));
        // The option is the concept asked about now.
        assert_eq!(pick(Reply::Picked(5)).try_map(merged(5, 2)), None);
        assert_eq!(place(Reply::Under(1)).try_map(merged(1, 2)), None);
    }
}
