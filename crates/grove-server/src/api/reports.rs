use grove_belief::{PseudoWorker, Verdict};
use grove_campaign::{Hint, Reason, number};
use grove_store::{Reply, Response, Screen};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::hierarchy::PeoplesPlace;
use crate::auth::CampaignAccess;
use crate::extract::{Json, LastParam, QueryParams};
use crate::http_error::Result;

/// The quality of the hierarchy, as far as the belief itself can tell.
#[derive(Serialize, ToSchema)]
#[schema(as = Report)]
pub(crate) struct ReportInfo {
    /// The name of the inference engine.
    engine: &'static str,
    /// Whether the probabilities are final: converged, not_converged, unchecked or approximate.
    #[schema(value_type = String)]
    health: Verdict,
    /// The number of votes that count.
    votes: u64,
    /// The number of votes that were withdrawn.
    withdrawn: u64,
    /// The number of different questions that were answered.
    questions: usize,
    /// The expected number of concepts with the correct parent.
    expected_right: f64,
    /// The sum of the concepts' parent entropies, in bits.
    parent_entropies: f64,
    /// The numbers of the concepts with an uncertain parent, the least certain first.
    doubtful: Vec<u32>,
    /// The concepts whose place is not settled, and why, in the order of their numbers.
    unsettled: Vec<UnsettledConcept>,
    /// Pairs of concepts that people place above each other: possible duplicates.
    synonyms: Vec<[u32; 2]>,
}

/// A concept whose place is not settled.
#[derive(Serialize, ToSchema)]
pub(crate) struct UnsettledConcept {
    /// The number of the concept.
    number: u32,
    /// One or more of differ (people place it differently), open (the votes leave several places possible) and unasked (no vote tells the
    /// place from the likeliest other one).
    reason: Vec<grove_vocabulary::Reason>,
    /// Where people place it if they differ, the place that more of them hold first; empty otherwise.
    places: Vec<PeoplesPlace>,
}

/// A concept with an uncertain parent.
#[derive(Serialize, ToSchema)]
pub(crate) struct DoubtfulConcept {
    /// The number of the concept.
    number: u32,
    /// The name of the concept.
    name: String,
    /// The number of its most probable parent; 0 for the root.
    parent: u32,
    /// The probability of that parent.
    certainty: f64,
    /// Why it is uncertain: one or more of differ, open and unasked; settled if only the hierarchy as a whole needs this parent.
    reason: Vec<grove_vocabulary::Reason>,
    /// Where people place it if they differ, the place that more of them hold first; empty otherwise.
    places: Vec<PeoplesPlace>,
}

/// A parent to explain.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParentParam {
    /// The number of the parent, 0 for the root. The most probable parent by default.
    parent: Option<u32>,
}

/// A vote and its influence.
#[derive(Serialize, ToSchema)]
#[schema(as = Reason)]
pub(crate) struct ReasonInfo {
    /// The id of the worker.
    worker: String,
    /// The screen, with its options as shown.
    #[serde(flatten)]
    #[schema(value_type = grove_vocabulary::ScreenFields<u32>)]
    screen: Screen,
    /// The answer.
    #[schema(value_type = grove_vocabulary::Reply<u32>)]
    answer: Reply,
    /// By how much the vote raises the log-odds of the parent, in nats. Negative for a vote against it.
    influence: f64,
}

/// What a name says, or the hierarchy that the concepts came with, and its influence.
#[derive(Serialize, ToSchema)]
#[schema(as = Hint)]
pub(crate) struct HintInfo {
    /// Where it is from: `names` (the name of the upper concept is the head of the lower one's) or `hierarchy` (the hierarchy at the start has the lower
    /// concept directly under the upper one).
    #[schema(value_type = String, example = "names")]
    source: PseudoWorker,
    /// The number of the upper concept; 0 for the root.
    upper: u32,
    /// The number of the lower concept.
    lower: u32,
    /// By how much it raises the log-odds of the parent, in nats. Negative if it speaks against it.
    influence: f64,
}

/// The votes behind a placement.
#[derive(Serialize, ToSchema)]
#[schema(as = Why)]
pub(crate) struct WhyInfo {
    /// The number of the concept.
    child: u32,
    /// The number of the parent; 0 for the root.
    parent: u32,
    /// The probability that the parent is directly above the concept.
    certainty: f64,
    /// The probability that the parent is anywhere above the concept.
    above: f64,
    /// Why the place of the concept in the hierarchy is as certain as it is: settled, or one or more of differ, open and unasked.
    reason: Vec<grove_vocabulary::Reason>,
    /// Where people place the concept if they differ, the place that more of them hold first; empty otherwise.
    places: Vec<PeoplesPlace>,
    /// Votes on the two concepts themselves.
    direct: Vec<ReasonInfo>,
    /// Votes on other pairs of concepts, the most influential first.
    indirect: Vec<ReasonInfo>,
    /// What is nobody's vote, the most influential first.
    hints: Vec<HintInfo>,
}

/// Return the last report on the belief; null until there is one
#[utoipa::path(get, path = "/campaigns/{campaign}/report", tag = "hierarchy", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Option<ReportInfo>)))]
pub(super) async fn report(campaign: CampaignAccess) -> Result<Json<Option<ReportInfo>>> {
    let (snapshot, _) = campaign.snapshot()?;
    let votes = snapshot.spent.questions;
    Ok(Json(snapshot.report.as_ref().map(|named| {
        let (report, number) = (&named.report, |concept| number(&named.numbers, concept));
        let unsettled =
            report.concepts.iter().filter(|one| one.reasons != [grove_vocabulary::Reason::Settled]);
        let unsettled = unsettled.map(|one| UnsettledConcept {
            number: number(one.concept),
            reason: one.reasons.clone(),
            places: one.places.iter().map(|place| place.map(number).into()).collect(),
        });
        ReportInfo {
            engine: report.engine,
            health: report.health.verdict,
            votes,
            withdrawn: snapshot.votes_read as u64 - votes,
            questions: report.questions,
            expected_right: report.expected_right,
            parent_entropies: report.parent_entropies,
            doubtful: report.doubtful.iter().copied().map(number).collect(),
            unsettled: unsettled.collect(),
            synonyms: report.synonyms.iter().map(|pair| pair.concepts.map(number)).collect(),
        }
    })))
}

/// List the concepts with an uncertain parent, the least certain first
#[utoipa::path(get, path = "/campaigns/{campaign}/doubtful", tag = "hierarchy", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<DoubtfulConcept>)))]
pub(super) async fn doubtful(campaign: CampaignAccess) -> Result<Json<Vec<DoubtfulConcept>>> {
    let Some(named) = campaign.report()? else { return Ok(Json(Vec::new())) };
    let concepts = named.report.doubtful.iter().filter_map(|&concept| {
        let entry = named.hierarchy.entry(concept)?;
        Some(DoubtfulConcept {
            number: number(&named.numbers, concept),
            name: entry.name.clone(),
            parent: number(&named.numbers, entry.parent),
            certainty: entry.certainty?,
            reason: entry.reasons.clone(),
            places: entry
                .places
                .iter()
                .map(|place| place.map(|parent| number(&named.numbers, parent)).into())
                .collect(),
        })
    });
    Ok(Json(concepts.collect()))
}

/// Explain the placement of a concept: list the votes for and against a parent
#[utoipa::path(get, path = "/campaigns/{campaign}/why/{concept}", tag = "hierarchy",
    params(("campaign" = Uuid, Path), ("concept" = u32, Path), ParentParam), responses((status = 200, body = WhyInfo)))]
pub(super) async fn why(
    campaign: CampaignAccess,
    LastParam(concept): LastParam<u32>,
    QueryParams(param): QueryParams<ParentParam>,
) -> Result<Json<WhyInfo>> {
    let why = campaign.why(concept, param.parent).await?;
    let reasons = |reasons: Vec<Reason>| reasons.into_iter().map(ReasonInfo::from).collect();
    Ok(Json(WhyInfo {
        child: why.lower,
        parent: why.upper,
        certainty: why.certainty,
        above: why.above,
        reason: why.reasons,
        places: why.places.into_iter().map(PeoplesPlace::from).collect(),
        direct: reasons(why.direct),
        indirect: reasons(why.indirect),
        hints: why.hints.into_iter().map(HintInfo::from).collect(),
    }))
}

impl From<Hint> for HintInfo {
    fn from(Hint { source, upper, lower, influence }: Hint) -> Self {
        Self { source, upper, lower, influence }
    }
}

impl From<Reason> for ReasonInfo {
    fn from(reason: Reason) -> Self {
        let Response { worker, screen, reply } = reason.vote.response;
        Self { worker: worker.as_str().to_owned(), screen, answer: reply, influence: reason.influence }
    }
}
