use axum::extract::State;
use grove_campaign::Next;
use grove_store::{Reply, Response, Screen, SubmittedVote, VoteId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::InvitedWorker;
use crate::extract::Json;
use crate::http_error::Result;

/// A vote to cast: the answer to one screen.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewVote {
    /// An id that the client chooses. A vote that is sent several times with the same id counts once.
    id: Uuid,
    /// The screen, with its options in the order in which they were shown.
    #[serde(flatten)]
    #[schema(value_type = grove_vocabulary::ScreenFields<u32>)]
    screen: Screen,
    /// The worker's answer. Everything can be answered by `cant_say`; yes/no by `yes` and `no`; a pick by `{"picked": 5}` and `none`; a tick by
    /// `{"ticked": [5, 7]}` and `none`; a place by `{"under": 5}` and `top`.
    #[schema(value_type = grove_vocabulary::Reply<u32>)]
    answer: Reply,
    /// How many milliseconds passed from showing the screen to answering it.
    #[serde(default)]
    took_ms: Option<u32>,
    /// The ticket that came with the screen. Without it the vote is refused.
    #[serde(default)]
    ticket: String,
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
    /// Its screen, which the worker may answer again.
    #[serde(flatten)]
    #[schema(value_type = grove_vocabulary::ScreenFields<u32>)]
    screen: Screen,
    /// The ticket for another answer.
    ticket: String,
}

/// Get the next screens
///
/// They are reserved for the worker for a while; asking again returns the same screens. Each carries a ticket, to be sent back with the answer.
#[utoipa::path(post, path = "/work/next", tag = "work", responses((status = 200, body = Next)))]
pub(super) async fn next(invited: InvitedWorker) -> Result<Json<Next>> {
    Ok(Json(invited.access.next(&invited.worker).await?))
}

/// Cast a vote, which is on disk when the response arrives
///
/// It has to be the answer to a screen that this worker was given, with the ticket that came with it, within a day. If the campaign has all the
/// answers that its budget has room for, the error is `full`.
#[utoipa::path(post, path = "/work/votes", tag = "work", request_body = NewVote,
    responses((status = 200, body = ReceiptInfo)))]
pub(super) async fn vote(
    State(app): State<App>,
    invited: InvitedWorker,
    Json(new): Json<NewVote>,
) -> Result<Json<ReceiptInfo>> {
    app.vote_rates.check(invited.worker.as_str())?;
    let response = Response { worker: invited.worker, screen: new.screen, reply: new.answer };
    let vote = SubmittedVote { took_ms: new.took_ms, ..SubmittedVote::new(VoteId(new.id), response) };
    let receipt = invited.access.cast(vote, &new.ticket).await?;
    Ok(Json(ReceiptInfo { position: receipt.position.0 }))
}

/// Withdraw the worker's last vote, so that they can answer again
#[utoipa::path(post, path = "/work/undo", tag = "work", responses((status = 200, body = WithdrawnVote)))]
pub(super) async fn undo(State(app): State<App>, invited: InvitedWorker) -> Result<Json<WithdrawnVote>> {
    app.vote_rates.check(invited.worker.as_str())?;
    let (vote, ticket) = invited.access.undo(&invited.worker).await?;
    Ok(Json(WithdrawnVote { vote: vote.id.0, screen: vote.response.screen, ticket }))
}
