use axum::extract::State;
use grove_campaign::Next;
use grove_store::{Answer, Kind, Question, SubmittedVote, Vote, VoteId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::InvitedWorker;
use crate::extract::Json;
use crate::http_error::Result;

/// A vote to cast.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewVote {
    /// An id that the client chooses. A vote that is sent several times with the same id counts once.
    id: Uuid,
    /// The kind of the question.
    kind: Kind,
    /// The number of the upper concept.
    upper: u32,
    /// The number of the lower concept.
    lower: u32,
    /// The worker's answer.
    answer: Answer,
}

/// A receipt for a vote.
#[derive(Serialize, ToSchema)]
#[schema(as = Receipt)]
pub(crate) struct ReceiptInfo {
    /// The position of the vote in the log.
    position: i64,
}

/// A vote that was withdrawn.
#[derive(Serialize, ToSchema)]
pub(crate) struct WithdrawnVote {
    /// The id of the vote.
    vote: Uuid,
    /// Its question, which the worker may answer again.
    #[serde(flatten)]
    question: Question,
}

/// Get the next questions
///
/// They are reserved for the worker for a while; asking again returns the same questions.
#[utoipa::path(post, path = "/work/next", tag = "work", responses((status = 200, body = Next)))]
pub(super) async fn next(invited: InvitedWorker) -> Result<Json<Next>> {
    Ok(Json(invited.access.next(&invited.worker).await?))
}

/// Cast a vote, which is on disk when the response arrives
#[utoipa::path(post, path = "/work/votes", tag = "work", request_body = NewVote,
    responses((status = 200, body = ReceiptInfo)))]
pub(super) async fn vote(
    State(app): State<App>,
    invited: InvitedWorker,
    Json(new): Json<NewVote>,
) -> Result<Json<ReceiptInfo>> {
    app.vote_rates.check(invited.worker.as_str())?;
    let question = Question { kind: new.kind, upper: new.upper, lower: new.lower };
    let vote = Vote { worker: invited.worker, question, answer: new.answer };
    let receipt = invited.access.cast(SubmittedVote { id: VoteId(new.id), vote }).await?;
    Ok(Json(ReceiptInfo { position: receipt.position.0 }))
}

/// Withdraw the worker's last vote, so that they can answer again
#[utoipa::path(post, path = "/work/undo", tag = "work", responses((status = 200, body = WithdrawnVote)))]
pub(super) async fn undo(State(app): State<App>, invited: InvitedWorker) -> Result<Json<WithdrawnVote>> {
    app.vote_rates.check(invited.worker.as_str())?;
    let vote = invited.access.undo(&invited.worker).await?;
    Ok(Json(WithdrawnVote { vote: vote.id.0, question: vote.vote.question }))
}
