use axum::Json;
use axum::extract::State;
use grove_campaign::{ImportedVote, VoteState};
use grove_formats::{Answer as ReadAnswer, QuestionKind as ReadKind, Source, read_votes};
use grove_store::{Answer, Question, QuestionKind, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::hierarchy::number;
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::{Asks, Body};
use crate::time::written;

/// What a worker says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnswerWord {
    /// It is so.
    Yes,
    /// It is not.
    No,
    /// They cannot say.
    CantSay,
}

impl From<AnswerWord> for Answer {
    fn from(word: AnswerWord) -> Self {
        match word {
            AnswerWord::Yes => Self::Yes,
            AnswerWord::No => Self::No,
            AnswerWord::CantSay => Self::CantSay,
        }
    }
}

impl From<Answer> for AnswerWord {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Yes => Self::Yes,
            Answer::No => Self::No,
            Answer::CantSay => Self::CantSay,
        }
    }
}

/// What a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KindWord {
    /// Whether the upper concept is above the lower one.
    Path,
    /// Whether it is its parent.
    Edge,
}

impl From<KindWord> for QuestionKind {
    fn from(word: KindWord) -> Self {
        match word {
            KindWord::Path => Self::Path,
            KindWord::Edge => Self::Edge,
        }
    }
}

impl From<QuestionKind> for KindWord {
    fn from(kind: QuestionKind) -> Self {
        match kind {
            QuestionKind::Path => Self::Path,
            QuestionKind::Edge => Self::Edge,
        }
    }
}

/// A vote.
#[derive(Serialize, ToSchema)]
pub(crate) struct VoteBody {
    /// Its id.
    id: Uuid,
    /// Who said it.
    worker: String,
    /// What the question was about.
    kind: KindWord,
    /// The upper concept.
    upper: u32,
    /// The lower concept.
    lower: u32,
    /// What they said.
    answer: AnswerWord,
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
        id: one.vote.id.0,
        worker: one.vote.worker.as_str().to_owned(),
        kind: one.vote.question.kind.into(),
        upper: one.vote.question.upper,
        lower: one.vote.question.lower,
        answer: one.vote.answer.into(),
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
    let votes = read_votes(&source, &index)?.into_iter().map(|vote| {
        let kind = match vote.kind {
            ReadKind::Path => QuestionKind::Path,
            ReadKind::Edge => QuestionKind::Edge,
        };
        let answer = match vote.answer {
            ReadAnswer::Yes => Answer::Yes,
            ReadAnswer::No => Answer::No,
            ReadAnswer::CantSay => Answer::CantSay,
        };
        let [upper, lower] = [vote.upper, vote.lower].map(|concept| number(&numbers, concept));
        Ok(ImportedVote {
            worker: WorkerId::new(vote.worker)?,
            question: Question { kind, upper, lower },
            answer,
        })
    });
    let votes: Vec<ImportedVote> = votes.collect::<Result<_, Fault>>()?;
    let imported = app.campaigns().import(owned.id, votes).await?;
    Ok(Json(ImportBody { votes: imported.votes, repeated: imported.repeated }))
}
