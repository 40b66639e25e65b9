use axum::Json;
use axum::extract::State;
use grove_campaign::{Asked, Next};
use grove_store::{Answer, Kind, Question, SubmittedVote, Vote, VoteId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::Invited;
use crate::fault::Fault;
use crate::read::Body;

/// A question in words.
#[derive(Serialize, ToSchema)]
pub(crate) struct QuestionBody {
    /// What it is about.
    /// What is asked about which concepts.
    #[serde(flatten)]
    question: Question,
    /// The whole question.
    text: String,
    /// The upper concept's name.
    upper_name: String,
    /// What it means; may be empty.
    upper_definition: String,
    /// The lower concept's name.
    lower_name: String,
    /// What it means; may be empty.
    lower_definition: String,
}

impl From<Asked> for QuestionBody {
    fn from(asked: Asked) -> Self {
        Self {
            question: asked.question,
            text: asked.text,
            upper_name: asked.parent.name,
            upper_definition: asked.parent.definition,
            lower_name: asked.child.name,
            lower_definition: asked.child.definition,
        }
    }
}

/// What a worker who comes gets.
#[derive(Serialize, ToSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub(crate) enum NextBody {
    /// Some questions: as many as the campaign puts into a task.
    Ask {
        /// Which.
        questions: Vec<QuestionBody>,
    },
    /// They have answered all that they could be asked.
    AllAnswered,
    /// All that may still be asked has been handed out to others. Some of it may come back.
    AllHandedOut,
    /// No questions are asked for now.
    Paused {
        /// Why; may be empty.
        reason: String,
    },
    /// No questions are asked any more.
    Stopped {
        /// Why; may be empty.
        reason: String,
    },
}

/// A vote to be cast.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewVote {
    /// Made by the client, so that a vote counts once however often it is sent.
    id: Uuid,
    /// What the question is about.
    kind: Kind,
    /// The upper concept.
    upper: u32,
    /// The lower concept.
    lower: u32,
    /// What the worker says.
    answer: Answer,
}

/// Where a vote stands.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReceiptBody {
    /// Its position in the log.
    position: i64,
}

/// What was taken back.
#[derive(Serialize, ToSchema)]
pub(crate) struct Undone {
    /// The vote's id.
    vote: Uuid,
    /// Its question.
    #[serde(flatten)]
    question: Question,
}

/// The next questions for a worker. They are theirs for a while; asking again gives them again.
#[utoipa::path(post, path = "/work/next", tag = "work", responses((status = 200, body = NextBody)))]
pub(super) async fn next(invited: Invited) -> Result<Json<NextBody>, Fault> {
    Ok(Json(match invited.campaign.next(&invited.worker).await? {
        Next::Questions(leased) => {
            NextBody::Ask { questions: leased.into_iter().map(|one| one.asked.into()).collect() }
        }
        Next::AllAnswered => NextBody::AllAnswered,
        Next::AllHandedOut => NextBody::AllHandedOut,
        Next::Paused { reason } => NextBody::Paused { reason },
        Next::Stopped { reason } => NextBody::Stopped { reason },
    }))
}

/// Casts a vote. When this is answered, the vote is on disk.
#[utoipa::path(post, path = "/work/votes", tag = "work", request_body = NewVote,
    responses((status = 200, body = ReceiptBody)))]
pub(super) async fn vote(
    State(app): State<App>,
    invited: Invited,
    Body(new): Body<NewVote>,
) -> Result<Json<ReceiptBody>, Fault> {
    app.votes().count(invited.worker.as_str(), app.now())?;
    let question = Question { kind: new.kind, upper: new.upper, lower: new.lower };
    let vote = Vote { worker: invited.worker, question, answer: new.answer };
    let receipt = invited.campaign.vote(SubmittedVote { id: VoteId(new.id), vote }).await?;
    Ok(Json(ReceiptBody { position: receipt.position.0 }))
}

/// Takes the worker's last vote back, so that they can answer again.
#[utoipa::path(post, path = "/work/undo", tag = "work", responses((status = 200, body = Undone)))]
pub(super) async fn undo(State(app): State<App>, invited: Invited) -> Result<Json<Undone>, Fault> {
    app.votes().count(invited.worker.as_str(), app.now())?;
    let vote = invited.campaign.undo(&invited.worker).await?;
    Ok(Json(Undone { vote: vote.id.0, question: vote.vote.question }))
}
