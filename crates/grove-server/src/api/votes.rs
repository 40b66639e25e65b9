use axum::Json;
use axum::extract::State;
use grove_campaign::VoteState;
use grove_formats::{RecordedVote, Source, read_votes};
use grove_store::{Vote, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::hierarchy::number;
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::{Asks, Body};
use crate::time::written;

/// A vote.
#[derive(Serialize, ToSchema)]
pub(crate) struct VoteBody {
    /// The id under which it was submitted.
    id: Uuid,
    /// Who answered what.
    #[serde(flatten)]
    #[schema(value_type = grove_vocabulary::Vote<u32, String>)]
    vote: Vote,
    /// When.
    at: String,
    /// Where it stands in the log.
    position: i64,
    /// Whether it was withdrawn.
    withdrawn: bool,
}

/// Which part of a long list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// Only what stands after this position of the log.
    #[serde(default)]
    #[param(minimum = 0, maximum = 4_294_967_295u32, value_type = u64)]
    pub(super) after: u32,
    /// At most so many.
    #[serde(default = "some")]
    #[param(minimum = 1, maximum = 1000)]
    pub(super) limit: u16,
}

fn some() -> u16 {
    200
}

impl Page {
    pub(super) fn checked(self) -> Result<Self, Fault> {
        if (1..=1_000).contains(&self.limit) {
            return Ok(self);
        }
        Err(Fault::Bad("a page holds 1 to 1000".to_owned()))
    }
}

/// Votes from elsewhere.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VoteFile {
    /// A file's name, whose ending says how it is read: .csv, .tsv or .jsonl.
    #[schema(example = "votes.csv")]
    name: String,
    /// The file's text.
    #[schema(example = "worker,upper,lower,answer\nann,cheese,brie,yes\n")]
    text: String,
}

/// What became of them.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportBody {
    /// How many were new.
    votes: usize,
    /// How many were left out, because the worker has answered that question already.
    repeated: usize,
}

/// The votes in the order of the log, withdrawn ones too.
#[utoipa::path(get, path = "/campaigns/{campaign}/votes", tag = "votes", params(("campaign" = Uuid, Path), Page),
    responses((status = 200, body = Vec<VoteBody>)))]
pub(super) async fn list(owned: Owned, Asks(page): Asks<Page>) -> Result<Json<Vec<VoteBody>>, Fault> {
    let page = page.checked()?;
    let body = |one: &VoteState| VoteBody {
        id: one.id.0,
        vote: one.vote.clone(),
        at: written(one.at),
        position: one.position.0,
        withdrawn: one.withdrawn.is_some(),
    };
    Ok(Json(owned.campaign.look(|state| {
        let all = state.votes().all();
        let first = all.partition_point(|vote| vote.position.0 <= i64::from(page.after));
        all[first..].iter().take(page.limit.into()).map(body).collect()
    })))
}

/// Takes votes in that were given elsewhere.
#[utoipa::path(post, path = "/campaigns/{campaign}/votes/import", tag = "votes", params(("campaign" = Uuid, Path)),
    request_body = VoteFile, responses((status = 200, body = ImportBody)))]
pub(super) async fn import(
    State(app): State<App>,
    owned: Owned,
    Body(file): Body<VoteFile>,
) -> Result<Json<ImportBody>, Fault> {
    let source = Source::new(file.name, file.text.as_bytes())?;
    let (index, numbers) = owned.campaign.look(|state| {
        (state.index(), state.concepts().present().map(|concept| concept.number).collect::<Vec<_>>())
    });
    let votes = read_votes(&source, &index)?.into_iter().map(|RecordedVote { vote, .. }| {
        Ok(Vote {
            worker: WorkerId::new(vote.worker)?,
            question: vote.question.map(|concept| number(&numbers, concept)),
            answer: vote.answer,
        })
    });
    let votes: Vec<Vote> = votes.collect::<Result<_, Fault>>()?;
    let imported = app.campaigns().import(owned.id, votes).await?;
    Ok(Json(ImportBody { votes: imported.votes, repeated: imported.repeated }))
}
