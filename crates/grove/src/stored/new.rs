//! `grove new`: a campaign from a list of concepts.

use grove_campaign::{
    Budget, Campaign, EngineSetting, NewConcept, NoiseSetting, PriorSetting, Settings, StrategySetting,
    TargetSetting,
};
use grove_formats::{ConceptList, Heading, name_key, read_concepts};

use super::desk::{Desk, clock, put_down, refused};
use crate::args::{AssumedNoise, Engine, New, PriorShape, StrategyName};
use crate::failure::bad_input;
use crate::{engine, files, terminal};

/// The share of questions that divide people, where their rates are learnt.
const DIVIDED: f64 = 0.05;

/// Checks everything, and makes the campaign: all of it, or nothing.
pub(super) async fn run(options: &New, desk: &Desk) -> anyhow::Result<()> {
    let list = read_concepts(&files::read(&options.concepts)?).map_err(bad_input)?;
    let settings = settings(options, &list)?;
    settings.check().map_err(refused)?;
    engine::check(options.engine, list.concepts().len(), &settings.belief().map_err(refused)?.noise)?;
    let concepts: Vec<NewConcept> = list.concepts().iter().map(NewConcept::from).collect();
    let store = desk.store_made().await?;
    let campaign =
        Campaign::create(store, None, &options.name, &settings, &concepts, clock()).await.map_err(refused)?;
    let count = campaign.state().concepts().count();
    desk.remark(&format!(
        "{}: {} in {}; ask with `grove ask {}`",
        options.name,
        terminal::count(count, "concept"),
        store.place(),
        options.name
    ))?;
    put_down(campaign).await;
    Ok(())
}

fn settings(options: &New, list: &ConceptList) -> anyhow::Result<Settings> {
    let own = list.hierarchy().ok().flatten().map(|hierarchy| hierarchy.heading().clone());
    let default = Settings::default();
    let kept =
        |given: &Option<String>, of: fn(&Heading) -> String| given.clone().or_else(|| own.as_ref().map(of));
    let (noise, divided) = noise(options.noise)?;
    Ok(Settings {
        title: options.title.clone().unwrap_or_default(),
        root: root(options, list, own.as_ref())?,
        language: kept(&options.language, |own| own.language.clone()).unwrap_or(default.language),
        relation: kept(&options.relation, |own| own.relation.to_string()).unwrap_or(default.relation),
        noise,
        divided,
        prior: prior(options),
        price_cents: options.price,
        budget: Budget { votes: options.most_votes, cents: None },
        target: options.until.map(|certainty| TargetSetting { certainty, mean: false }),
        strategy: match options.strategy {
            StrategyName::Gain => StrategySetting::Gain,
            StrategyName::WorstCase => StrategySetting::WorstCase,
            StrategyName::Random => StrategySetting::Random,
        },
        engine: match options.engine {
            Engine::Ensemble => EngineSetting::Ensemble { trees: None, moves: None },
            Engine::Exact => EngineSetting::Exact,
            Engine::Weights => EngineSetting::Weights,
        },
        seed: options.seed,
        ..default
    })
}

/// Given rates are the paper's model, and its prior goes with them: one person's answers, each given once and taken to be wrong now and then, are
/// not enough to overrule a prior against parents with one child.
fn prior(options: &New) -> PriorSetting {
    let usual = if options.noise == AssumedNoise::Learn { PriorShape::Taxonomy } else { PriorShape::Uniform };
    match options.prior.unwrap_or(usual) {
        PriorShape::Uniform => PriorSetting::Uniform,
        PriorShape::Taxonomy => PriorSetting::Taxonomy,
    }
}

/// The root's name: as given, or as the file has it, or a usual one that no concept has.
fn root(options: &New, list: &ConceptList, own: Option<&Heading>) -> anyhow::Result<String> {
    let taken = |name: &str| list.names().any(|concept| name_key(concept) == name_key(name));
    if let Some(given) = &options.root {
        let refusal =
            || bad_input(format!("{given:?} is a concept already; give the root another name with --root"));
        return if taken(given) { Err(refusal()) } else { Ok(given.clone()) };
    }
    let usual = ["everything", "root", "the root of all"].map(str::to_owned);
    let free = own.map(|own| own.root.clone()).into_iter().chain(usual).find(|name| !taken(name));
    free.ok_or_else(|| bad_input("every usual name of a root is a concept; give the root a name with --root"))
}

/// How answers come about, and the share of questions that divide people: given rates take every question to have one honest answer, as
/// the paper does.
pub(super) fn noise(assumed: AssumedNoise) -> anyhow::Result<(NoiseSetting, f64)> {
    match assumed {
        AssumedNoise::Learn => Ok((NoiseSetting::Learn, DIVIDED)),
        AssumedNoise::Majority => Ok((NoiseSetting::Majority, 0.0)),
        AssumedNoise::One(rate) => Ok((NoiseSetting::Given { false_yes: rate, false_no: rate }, 0.0)),
        AssumedNoise::Two(false_yes, false_no) => Ok((NoiseSetting::Given { false_yes, false_no }, 0.0)),
        AssumedNoise::Three(..) => Err(bad_input(
            "a campaign takes one rate or FALSE_YES,FALSE_NO, not three; leave one out, or let it learn them",
        )),
    }
}
