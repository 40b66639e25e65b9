use grove_campaign::{Imported, VoteState};
use grove_formats::Source;
use grove_store::{Position, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::history::Page;
use crate::auth::CampaignAccess;
use crate::extract::{Json, QueryParams};
use crate::http_error::Result;
use crate::time::rfc3339;

/// A vote.
#[derive(Serialize, ToSchema)]
#[schema(as = RecordedVote)]
pub(crate) struct VoteInfo {
    /// The id under which the vote was submitted.
    id: Uuid,
    /// The worker, the screen with its options as shown, and the answer.
    #[serde(flatten)]
    #[schema(value_type = grove_vocabulary::Response<u32, String>)]
    response: Response,
    /// How many milliseconds the worker took, if that is known.
    took_ms: Option<u32>,
    /// When it was cast (RFC 3339).
    at: String,
    /// Its position in the log.
    position: i64,
    /// Whether the worker withdrew it.
    withdrawn: bool,
    /// Whether its worker, or the invitation through which it came, is excluded: then it is not evidence.
    excluded: bool,
    /// The id of the invitation through which it came, if that is known.
    invitation: Option<Uuid>,
}

/// A file of votes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VoteFile {
    /// A file name. Its extension gives the format: .csv, .tsv or .jsonl.
    #[schema(example = "votes.csv")]
    name: String,
    /// The content of the file.
    #[schema(example = "worker,upper,lower,answer\nann,cheese,brie,yes\n")]
    text: String,
}

/// List the votes in the order of the log, including withdrawn ones
#[utoipa::path(get, path = "/campaigns/{campaign}/votes", tag = "votes", params(("campaign" = Uuid, Path), Page),
    responses((status = 200, body = Vec<VoteInfo>)))]
pub(super) async fn list(
    campaign: CampaignAccess,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<Vec<VoteInfo>>> {
    let page = page.check()?;
    let info = |one: VoteState| VoteInfo {
        id: one.id.0,
        response: one.response,
        took_ms: one.took_ms,
        at: rfc3339(one.at),
        position: one.position.0,
        withdrawn: one.withdrawn.is_some(),
        excluded: one.excluded,
        invitation: one.link.map(|link| link.0),
    };
    let votes = campaign.votes(Position(page.after.into()), page.limit.into())?;
    Ok(Json(votes.into_iter().map(info).collect()))
}

/// Import votes
///
/// Concepts are matched by name. A worker who occurs in the file need not have an invitation.
#[utoipa::path(post, path = "/campaigns/{campaign}/votes/import", tag = "votes", params(("campaign" = Uuid, Path)),
    request_body = VoteFile, responses((status = 200, body = Imported)))]
pub(super) async fn import(campaign: CampaignAccess, Json(file): Json<VoteFile>) -> Result<Json<Imported>> {
    Ok(Json(campaign.import(&Source::new(file.name, file.text.as_bytes())?).await?))
}
