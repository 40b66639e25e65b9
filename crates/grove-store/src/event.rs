use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::{CorrectionId, CredentialId, Error, Moment, OwnerId, Position, Result, VoteId, WorkerId};

/// The version of the format of events. Entries of earlier versions stay readable forever; those of later ones are refused.
const VERSION: u32 = 1;

/// A question about two concepts, named by their numbers in the campaign. Number 0 is the root.
pub type Question = grove_vocabulary::Question<u32>;

/// One worker's answer to one yes/no question.
pub type Vote = grove_vocabulary::Vote<u32, WorkerId>;

/// What a worker is shown, with its concepts named by their numbers in the campaign.
pub type Screen = grove_vocabulary::Screen<u32>;

/// What a worker said to a screen.
pub type Reply = grove_vocabulary::Reply<u32>;

/// One worker's reply to one screen, of whatever form.
pub type Response = grove_vocabulary::Response<u32, WorkerId>;

/// A statement by the owner about concepts of the campaign, which overrides all votes.
pub type Correction = grove_vocabulary::Correction<u32>;

/// A vote, the reply to one screen, with the id under which it was submitted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct SubmittedVote {
    /// Made by the client, so that submitting the same vote again changes nothing.
    #[serde(rename = "vote")]
    pub id: VoteId,
    /// Who was shown what, with the options in this order, and what they said.
    #[serde(flatten)]
    pub response: Response,
    /// How many milliseconds passed from showing the screen to answering it, as far as the client says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u32>,
    /// The invitation through which it came, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<CredentialId>,
}

impl SubmittedVote {
    /// A vote, or a response of any form, that says neither how long it took nor where it came from.
    #[must_use]
    pub fn new(id: VoteId, response: impl Into<Response>) -> Self {
        Self { id, response: response.into(), took_ms: None, link: None }
    }
}

/// Whose votes: a worker's, or those of everybody who came through an invitation link.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoteSource {
    /// The votes of a worker.
    Worker(WorkerId),
    /// The votes that came through a link.
    Link(CredentialId),
}

impl fmt::Display for VoteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worker(worker) => write!(f, "worker {worker}"),
            Self::Link(link) => write!(f, "link {link}"),
        }
    }
}

/// Something that happened to a campaign. In the database it is a JSON object: `v` is the version of the format, `event`
/// the name of the variant in snake case, and the other members are the fields of the variant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A concept was added. Its number is one more than that of the concept added before it, and is never reused.
    ConceptAdded {
        /// The number, counted from 1.
        concept: u32,
        /// The name.
        name: String,
        /// The definition; may be empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        definition: String,
        /// Other names for it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        synonyms: Vec<String>,
        /// What stands before the name in a question; empty if the rules of the language decide.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        article: String,
        /// What the file that it came from says about it beyond that. The store does not read it.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        origin: Value,
    },
    /// A concept was renamed. What stood before its name goes with the name.
    ConceptRenamed {
        /// The concept.
        concept: u32,
        /// Its new name.
        name: String,
    },
    /// The definition and synonyms of a concept were replaced.
    ConceptRedescribed {
        /// The concept.
        concept: u32,
        /// Its new definition.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        definition: String,
        /// Its new synonyms.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        synonyms: Vec<String>,
    },
    /// The owner chose what stands before the name of a concept in a question.
    ConceptArticleSet {
        /// The concept.
        concept: u32,
        /// The article; empty if the rules of the language decide.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        article: String,
    },
    /// A concept was removed.
    ConceptRemoved {
        /// The concept.
        concept: u32,
    },
    /// Two concepts were merged.
    ConceptsMerged {
        /// The concept that is gone.
        gone: u32,
        /// The concept that takes its place.
        kept: u32,
    },
    /// A concept that was removed, or merged into another, is there again, with the votes and corrections that went with it.
    ConceptRestored {
        /// The concept.
        concept: u32,
    },
    /// Concepts came with places in a hierarchy, which is a start to be checked and no answer of anybody.
    HierarchyGiven {
        /// Where it has concepts: (concept, parent), with 0 for the root.
        places: Vec<(u32, u32)>,
    },
    /// A worker answered a question.
    VoteCast(SubmittedVote),
    /// A vote was withdrawn.
    VoteWithdrawn {
        /// The vote.
        vote: VoteId,
    },
    /// The owner made a correction.
    CorrectionMade {
        /// Made by the client, so that sending the same correction again changes nothing.
        #[serde(rename = "correction")]
        id: CorrectionId,
        /// The statement that holds from now on.
        #[serde(flatten)]
        correction: Correction,
    },
    /// The owner undid a correction.
    CorrectionTakenBack {
        /// The correction.
        correction: CorrectionId,
    },
    /// The votes of a worker or of a link were excluded: they are not evidence, neither those cast before nor those cast after.
    Excluded {
        /// Whose votes.
        #[serde(flatten)]
        source: VoteSource,
    },
    /// Votes that were excluded are evidence again.
    Included {
        /// Whose votes.
        #[serde(flatten)]
        source: VoteSource,
    },
    /// The campaign's settings were changed. The store does not read them.
    SettingsChanged {
        /// All settings. They must not contain names of workers, which could not be erased.
        settings: Value,
    },
    /// The campaign was paused: it asks no questions.
    Paused {
        /// The reason, for people to read.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The campaign was resumed.
    Resumed {
        /// The reason, for people to read.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The campaign was stopped.
    Stopped {
        /// The reason, for people to read.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The belief has read the log up to `votes_to` and done this work. Written only by [`Store::advance`](crate::Store::advance).
    Advanced {
        /// The last position that the belief has read.
        votes_to: Position,
        /// What the belief did, in its own format, for replay. The store does not read it, so it must not contain names of workers, which
        /// could not be erased.
        work: Value,
        /// How often the belief had changed hands; 0 before that was counted.
        #[serde(default, skip_serializing_if = "is_zero")]
        epoch: i64,
    },
    /// A worker was erased: their votes now belong to an anonymous stand-in. Written only by
    /// [`Store::erase_worker`](crate::Store::erase_worker). The worker's id is not stored any more; whoever has it in memory can find it by
    /// the position of the first vote.
    WorkerErased {
        /// The stand-in.
        stand_in: WorkerId,
        /// The position of the worker's first vote, if there is one.
        first_vote: Option<Position>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[derive(Serialize)]
struct Written<'e> {
    v: u32,
    #[serde(flatten)]
    event: &'e Event,
}

#[derive(Deserialize)]
struct Version {
    v: u32,
}

impl Event {
    /// Returns the variant's name in snake case, as in the log.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ConceptAdded { .. } => "concept_added",
            Self::ConceptRenamed { .. } => "concept_renamed",
            Self::ConceptRedescribed { .. } => "concept_redescribed",
            Self::ConceptArticleSet { .. } => "concept_article_set",
            Self::ConceptRemoved { .. } => "concept_removed",
            Self::ConceptsMerged { .. } => "concepts_merged",
            Self::ConceptRestored { .. } => "concept_restored",
            Self::HierarchyGiven { .. } => "hierarchy_given",
            Self::VoteCast(_) => "vote_cast",
            Self::VoteWithdrawn { .. } => "vote_withdrawn",
            Self::CorrectionMade { .. } => "correction_made",
            Self::CorrectionTakenBack { .. } => "correction_taken_back",
            Self::Excluded { .. } => "excluded",
            Self::Included { .. } => "included",
            Self::SettingsChanged { .. } => "settings_changed",
            Self::Paused { .. } => "paused",
            Self::Resumed { .. } => "resumed",
            Self::Stopped { .. } => "stopped",
            Self::Advanced { .. } => "advanced",
            Self::WorkerErased { .. } => "worker_erased",
        }
    }

    /// The concepts that have to exist for the event to be valid, including the root, 0.
    pub(crate) fn concepts(&self) -> Vec<u32> {
        match *self {
            Self::ConceptRenamed { concept, .. }
            | Self::ConceptRedescribed { concept, .. }
            | Self::ConceptArticleSet { concept, .. }
            | Self::ConceptRemoved { concept }
            | Self::ConceptRestored { concept } => vec![concept],
            Self::ConceptsMerged { gone, kept } => vec![gone, kept],
            Self::HierarchyGiven { ref places } => {
                places.iter().flat_map(|&(concept, parent)| [concept, parent]).collect()
            }
            Self::VoteCast(SubmittedVote { response: ref said, .. }) => {
                said.screen.concepts().chain(said.reply.concepts()).copied().collect()
            }
            Self::CorrectionMade { ref correction, .. } => {
                [Some(correction.subject()), correction.upper()].into_iter().flatten().copied().collect()
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(&Written { v: VERSION, event: self }).expect("events have text keys only")
    }

    pub(crate) fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        use serde::de::Error as _;
        let Version { v } = serde_json::from_str(text)?;
        if v > VERSION {
            return Err(serde_json::Error::custom(format!("version {v} of the event's format is too new")));
        }
        serde_json::from_str(text)
    }
}

/// Who made an entry of the log.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Actor {
    /// An owner of campaigns.
    Owner(OwnerId),
    /// A worker.
    Worker(WorkerId),
    /// Grove itself, or whoever uses its command line.
    Grove,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner(owner) => write!(f, "owner:{owner}"),
            Self::Worker(worker) => write!(f, "worker:{worker}"),
            Self::Grove => f.write_str("grove"),
        }
    }
}

impl FromStr for Actor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::damaged(format!("an entry has the actor {text:?}"));
        match text.split_once(':') {
            Some(("owner", id)) => {
                Uuid::parse_str(id).map(|id| Self::Owner(OwnerId(id))).map_err(|_| unknown())
            }
            Some(("worker", id)) => WorkerId::new(id).map(Self::Worker),
            None if text == "grove" => Ok(Self::Grove),
            _ => Err(unknown()),
        }
    }
}

/// One entry of a campaign's log.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The position; there are no gaps.
    pub position: Position,
    /// The time, by the clock of whoever made the entry.
    pub at: Moment,
    /// The actor who made it.
    pub actor: Actor,
    /// The event.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use grove_vocabulary::{Answer, Kind};

    use super::*;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    /// The format never changes: logs are kept forever.
    #[test]
    fn events_are_written_so() {
        let question = Question { kind: Kind::Edge, upper: 0, lower: 7 };
        let worker = WorkerId::new("w").unwrap();
        let vote = Vote { worker: worker.clone(), question, answer: Answer::CantSay };
        let vote = SubmittedVote::new(VoteId(id(1)), vote);
        let said = |screen, reply, took_ms| {
            let response = Response { worker: worker.clone(), screen, reply };
            Event::VoteCast(SubmittedVote { id: VoteId(id(1)), response, took_ms, link: None })
        };
        let options = vec![3, 1, 2];
        let made = Correction::SomewhereUnder { lower: 1, upper: 2 };
        let correction = CorrectionId(id(2));
        let (definition, synonyms) = ("d".to_owned(), vec!["s".to_owned()]);
        let written = [
            (
                Event::ConceptAdded {
                    concept: 1,
                    name: "n".into(),
                    definition: String::new(),
                    synonyms: vec![],
                    article: String::new(),
                    origin: Value::Null,
                },
                r#"{"v":1,"event":"concept_added","concept":1,"name":"n"}"#,
            ),
            (
                Event::ConceptAdded {
                    concept: 1,
                    name: "n".into(),
                    definition: String::new(),
                    synonyms: vec![],
                    article: "an".into(),
                    origin: serde_json::json!({"iri": "http://x.org/n"}),
                },
                r#"{"v":1,"event":"concept_added","concept":1,"name":"n","article":"an","origin":{"iri":"http://x.org/n"}}"#,
            ),
            (
                Event::Excluded { source: VoteSource::Worker(worker.clone()) },
                r#"{"v":1,"event":"excluded","worker":"w"}"#,
            ),
            (
                Event::Included { source: VoteSource::Link(CredentialId(id(3))) },
                r#"{"v":1,"event":"included","link":"00000000-0000-0000-0000-000000000003"}"#,
            ),
            (
                Event::ConceptArticleSet { concept: 1, article: "none".into() },
                r#"{"v":1,"event":"concept_article_set","concept":1,"article":"none"}"#,
            ),
            (
                Event::ConceptRedescribed { concept: 1, definition, synonyms },
                r#"{"v":1,"event":"concept_redescribed","concept":1,"definition":"d","synonyms":["s"]}"#,
            ),
            (
                Event::ConceptRenamed { concept: 1, name: "m".into() },
                r#"{"v":1,"event":"concept_renamed","concept":1,"name":"m"}"#,
            ),
            (Event::ConceptRemoved { concept: 1 }, r#"{"v":1,"event":"concept_removed","concept":1}"#),
            (
                Event::ConceptsMerged { gone: 2, kept: 1 },
                r#"{"v":1,"event":"concepts_merged","gone":2,"kept":1}"#,
            ),
            (Event::ConceptRestored { concept: 2 }, r#"{"v":1,"event":"concept_restored","concept":2}"#),
            (
                Event::VoteCast(vote),
                r#"{"v":1,"event":"vote_cast","vote":"00000000-0000-0000-0000-000000000001","worker":"w","kind":"edge","upper":0,"lower":7,"answer":"cant_say"}"#,
            ),
            (
                said(Screen::YesNo(question), Reply::Yes, Some(2_345)),
                r#"{"v":1,"event":"vote_cast","vote":"00000000-0000-0000-0000-000000000001","worker":"w","kind":"edge","upper":0,"lower":7,"answer":"yes","took_ms":2345}"#,
            ),
            (
                said(Screen::Pick { lower: 7, options: options.clone() }, Reply::Picked(1), Some(9_000)),
                r#"{"v":1,"event":"vote_cast","vote":"00000000-0000-0000-0000-000000000001","worker":"w","form":"pick","lower":7,"options":[3,1,2],"answer":{"picked":1},"took_ms":9000}"#,
            ),
            (
                said(Screen::Tick { upper: 7, options }, Reply::Ticked(vec![2, 3]), None),
                r#"{"v":1,"event":"vote_cast","vote":"00000000-0000-0000-0000-000000000001","worker":"w","form":"tick","upper":7,"options":[3,1,2],"answer":{"ticked":[2,3]}}"#,
            ),
            (
                said(Screen::Place { lower: 7 }, Reply::Under(2), None),
                r#"{"v":1,"event":"vote_cast","vote":"00000000-0000-0000-0000-000000000001","worker":"w","form":"place","lower":7,"answer":{"under":2}}"#,
            ),
            (
                Event::VoteWithdrawn { vote: VoteId(id(1)) },
                r#"{"v":1,"event":"vote_withdrawn","vote":"00000000-0000-0000-0000-000000000001"}"#,
            ),
            (
                Event::CorrectionMade { id: correction, correction: made },
                r#"{"v":1,"event":"correction_made","correction":"00000000-0000-0000-0000-000000000002","rule":"somewhere_under","lower":1,"upper":2}"#,
            ),
            (
                Event::CorrectionTakenBack { correction },
                r#"{"v":1,"event":"correction_taken_back","correction":"00000000-0000-0000-0000-000000000002"}"#,
            ),
            (
                Event::SettingsChanged { settings: serde_json::json!({"k": 5}) },
                r#"{"v":1,"event":"settings_changed","settings":{"k":5}}"#,
            ),
            (Event::Paused { reason: "r".into() }, r#"{"v":1,"event":"paused","reason":"r"}"#),
            (Event::Resumed { reason: String::new() }, r#"{"v":1,"event":"resumed"}"#),
            (Event::Stopped { reason: "r".into() }, r#"{"v":1,"event":"stopped","reason":"r"}"#),
            (
                Event::Advanced { votes_to: Position(9), work: serde_json::json!([1]), epoch: 0 },
                r#"{"v":1,"event":"advanced","votes_to":9,"work":[1]}"#,
            ),
            (
                Event::WorkerErased { stand_in: worker, first_vote: Some(Position(3)) },
                r#"{"v":1,"event":"worker_erased","stand_in":"w","first_vote":3}"#,
            ),
        ];
        for (event, text) in written {
            assert_eq!(event.to_json(), text);
            assert_eq!(Event::from_json(text).unwrap(), event);
            assert!(text.contains(&format!(r#""event":"{}""#, event.name())));
        }
    }

    #[test]
    fn unknown_events_are_refused() {
        assert!(Event::from_json(r#"{"v":2,"event":"paused"}"#).unwrap_err().to_string().contains("too new"));
        for bad in [r#"{"event":"paused"}"#, r#"{"v":1,"event":"exploded"}"#, r#"{"v":1}"#, "", "[]"] {
            assert!(Event::from_json(bad).is_err(), "{bad}");
        }
        assert!(
            Event::from_json(r#"{"v":1,"event":"worker_erased","stand_in":"","first_vote":null}"#).is_err()
        );
    }

    #[test]
    fn actors_round_trip() {
        let worker = WorkerId::new("owner:x:y").unwrap();
        for actor in [Actor::Owner(OwnerId(id(5))), Actor::Worker(worker), Actor::Grove] {
            assert_eq!(actor.to_string().parse::<Actor>().unwrap(), actor);
        }
        for bad in ["", "owner:me", "worker:", "somebody"] {
            assert!(bad.parse::<Actor>().is_err(), "{bad}");
        }
    }
}
