use axum::Json;
use grove_belief::Verdict;
use grove_campaign::Reason;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::hierarchy::number;
use crate::auth::Owned;
use crate::campaigns;
use crate::fault::Fault;
use crate::read::{Asks, Last};

/// How good the hierarchy is, as far as the belief itself can tell, and what deserves a look.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReportBody {
    /// What computed it.
    engine: String,
    /// Whether the probabilities may be shown as final: converged, not_converged, unchecked or approximate.
    health: String,
    /// Votes that count.
    votes: usize,
    /// Votes that were withdrawn, or lost their meaning.
    withdrawn: usize,
    /// Different questions that were answered.
    questions: usize,
    /// The expected number of concepts under their right parent.
    expected_right: f64,
    /// The sum of the concepts' parent entropies, in bits.
    parent_entropies: f64,
    /// The concepts whose parent is doubtful, the least certain first.
    doubtful: Vec<u32>,
    /// Pairs that most hold to be above each other: perhaps two names of one thing.
    synonyms: Vec<[u32; 2]>,
}

/// A doubtful concept.
#[derive(Serialize, ToSchema)]
pub(crate) struct DoubtfulBody {
    /// Which.
    number: u32,
    /// What it is called.
    name: String,
    /// The concept above it; 0 for the root.
    parent: u32,
    /// How probable that is.
    certainty: f64,
}

/// Which edge.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edge {
    /// The concept above; that in the hierarchy if it is left out.
    parent: Option<u32>,
}

/// A vote, and what it does.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReasonBody {
    /// Who said it.
    worker: String,
    /// The upper concept asked about.
    upper: u32,
    /// The lower one.
    lower: u32,
    /// What they said.
    answer: grove_vocabulary::Answer,
    /// By how many nats it raises the log-odds of the parent.
    influence: f64,
}

/// The votes behind a place in the hierarchy.
#[derive(Serialize, ToSchema)]
pub(crate) struct WhyBody {
    /// The concept below.
    child: u32,
    /// The concept above; 0 for the root.
    parent: u32,
    /// How probable it is that it is directly above.
    certainty: f64,
    /// How probable it is that it is somewhere above.
    above: f64,
    /// Votes on the two themselves.
    direct: Vec<ReasonBody>,
    /// Votes on other pairs, the weightiest first.
    indirect: Vec<ReasonBody>,
}

/// The word for how far probabilities may be trusted.
pub(crate) fn health(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Converged => "converged",
        Verdict::NotConverged => "not_converged",
        Verdict::Unchecked => "unchecked",
        Verdict::Approximate => "approximate",
    }
}

/// What the belief has to say.
#[utoipa::path(get, path = "/campaigns/{campaign}/report", tag = "hierarchy", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Option<ReportBody>)))]
pub(super) async fn report(owned: Owned) -> Json<Option<ReportBody>> {
    let snapshot = owned.campaign.snapshot();
    let body = snapshot.report.as_ref().map(|named| {
        let report = &named.report;
        ReportBody {
            engine: report.engine.to_owned(),
            health: health(report.health.verdict).to_owned(),
            votes: report.votes.total(),
            withdrawn: report.withdrawn,
            questions: report.questions,
            expected_right: report.expected_right,
            parent_entropies: report.parent_entropies,
            doubtful: report.doubtful.iter().map(|&concept| number(&named.numbers, concept)).collect(),
            synonyms: report
                .synonyms
                .iter()
                .map(|pair| pair.concepts.map(|one| number(&named.numbers, one)))
                .collect(),
        }
    });
    Json(body)
}

/// The concepts whose parent is doubtful, the least certain first.
#[utoipa::path(get, path = "/campaigns/{campaign}/doubtful", tag = "hierarchy", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<DoubtfulBody>)))]
pub(super) async fn doubtful(owned: Owned) -> Json<Vec<DoubtfulBody>> {
    let snapshot = owned.campaign.snapshot();
    let Some(named) = &snapshot.report else { return Json(Vec::new()) };
    let body = named.report.doubtful.iter().filter_map(|&concept| {
        let entry = named.hierarchy.entry(concept)?;
        Some(DoubtfulBody {
            number: number(&named.numbers, concept),
            name: entry.name.clone(),
            parent: number(&named.numbers, entry.parent),
            certainty: entry.certainty?,
        })
    });
    Json(body.collect())
}

/// Why a concept stands where it does.
#[utoipa::path(get, path = "/campaigns/{campaign}/why/{concept}", tag = "hierarchy",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path), Edge), responses((status = 200, body = WhyBody)))]
pub(super) async fn why(
    owned: Owned,
    Last(concept): Last<u32>,
    Asks(edge): Asks<Edge>,
) -> Result<Json<WhyBody>, Fault> {
    let why = campaigns::why(&owned.campaign, concept, edge.parent).await?;
    let reasons = |reasons: Vec<Reason>| reasons.into_iter().map(ReasonBody::from).collect();
    Ok(Json(WhyBody {
        child: why.child,
        parent: why.parent,
        certainty: why.certainty,
        above: why.above,
        direct: reasons(why.direct),
        indirect: reasons(why.indirect),
    }))
}

impl From<Reason> for ReasonBody {
    fn from(reason: Reason) -> Self {
        let vote = reason.vote.vote;
        Self {
            worker: vote.worker.as_str().to_owned(),
            upper: vote.question.upper,
            lower: vote.question.lower,
            answer: vote.answer,
            influence: reason.influence,
        }
    }
}
