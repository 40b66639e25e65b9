//! `grove new`: creates a campaign from a list of concepts.

use std::path::PathBuf;
use std::sync::Arc;

use grove_campaign::{
    Budget, Campaign, EngineSetting, NewConcept, NoiseSetting, Preset, PriorSetting, Settings, State,
    StrategySetting, SystemClock, TargetSetting,
};
use grove_formats::{ConceptList, Form, Heading, look_alikes, read_concepts};

use super::show;
use crate::context::{Context, release};
use crate::engine_options::{AssumedNoise, Engine, PriorShape, StrategyName, certainty, price};
use crate::error::bad_input;
use crate::files;
use crate::recorded_votes::root_name;
use crate::text::{count, time_left};

/// Create a campaign: concepts to arrange in a hierarchy, and how to ask about them.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove new food --concepts concepts.txt
  grove new food --concepts food.csv --root food --language en
  grove new food --concepts food.csv --for crowd
  grove new body --concepts parts.txt --relation part-of --root body
  grove new shop --concepts wares.tsv --relation 'Would you look for {child} among the {parent}?'
  grove new food --concepts food.ttl --price 0.8 --most-votes 2000 --until 0.9

concepts.txt holds one concept per line. food.csv has the columns concept, definition, synonyms (a|b|c), article (an, the, none, plural;
by the rules of the language if empty); .tsv, .json and SKOS (.ttl, .rdf, .jsonld) are read too. A hierarchy in the file, such as SKOS or
a table with the columns child and parent, is a start: it counts as the places of somebody whose errors are learnt, and people check it.
IRIs, labels in other languages and notes of SKOS come out again with `grove export --format skos`.
Next: grove ask food")]
pub(crate) struct New {
    /// The campaign's name.
    #[arg(value_parser = campaign_name)]
    name: String,
    /// The concepts.
    #[arg(long, value_name = "FILE")]
    concepts: PathBuf,
    /// What is asked: is-a, part-of, look-under, or your own question with {child} and {parent} [default: as in the file, or is-a].
    #[arg(long)]
    relation: Option<String>,
    /// The language of the names, as a tag such as en, de or pt-BR [default: as in the file, or unknown].
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// The root's name [default: as in the file, or "everything"].
    #[arg(long, value_name = "NAME")]
    root: Option<String>,
    /// The title [default: the root's name].
    #[arg(long)]
    title: Option<String>,
    /// Who is asked: you alone, in all forms; many people, by yes/no, pick and tick; or as in the paper, by yes/no [default: owner; paper with --noise or
    /// another strategy than gain].
    #[arg(long = "for", value_enum)]
    who: Option<Who>,
    /// The forms in which people are asked, of yesno, pick, tick and place [default: by --for].
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = form)]
    forms: Vec<Form>,
    /// How people err: learn, majority, RATE, or FALSE_YES,FALSE_NO [default: learn; for an owner alone, starting from one error in a hundred].
    #[arg(long, allow_negative_numbers = true)]
    noise: Option<AssumedNoise>,
    /// Do not take names as evidence (a leather jacket is probably a jacket).
    #[arg(long)]
    ignore_names: bool,
    /// Do not take the hierarchy in the file as evidence.
    #[arg(long)]
    ignore_hierarchy: bool,
    /// What is believed before the first vote [default: taxonomy if noise is learnt, otherwise uniform, as in the paper].
    #[arg(long, value_enum)]
    prior: Option<PriorShape>,
    /// The engine.
    #[arg(long, value_enum, default_value_t = Engine::Ensemble)]
    engine: Engine,
    /// How questions are chosen.
    #[arg(long, value_enum, default_value_t = StrategyName::Gain)]
    strategy: StrategyName,
    /// The cost of a vote, in cents.
    #[arg(long, allow_negative_numbers = true, value_name = "CENTS", default_value_t = 0.0, value_parser = price)]
    price: f64,
    /// Stop after this many votes.
    #[arg(long, value_name = "VOTES", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    most_votes: Option<u64>,
    /// Stop as soon as every parent is this certain.
    #[arg(long, allow_negative_numbers = true, value_name = "CERTAINTY", value_parser = certainty)]
    until: Option<f64>,
    /// The random seed; the same votes and seed give the same hierarchy.
    #[arg(long, allow_negative_numbers = true, default_value_t = 0)]
    seed: u64,
}

/// Who is asked.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Who {
    /// You alone.
    Owner,
    /// Many people.
    Crowd,
    /// As in the paper.
    Paper,
}

impl From<Who> for Preset {
    fn from(who: Who) -> Self {
        match who {
            Who::Owner => Self::Owner,
            Who::Crowd => Self::Crowd,
            Who::Paper => Self::Paper,
        }
    }
}

fn form(word: &str) -> Result<Form, String> {
    Form::parse(word).ok_or_else(|| format!("choose from {}", Form::ALL.map(Form::as_str).join(", ")))
}

/// The share of questions that divide people, where their error rates are learnt.
const DIVIDED: f64 = 0.05;

/// The store would refuse it too, but only after it has created its file.
fn campaign_name(name: &str) -> Result<String, String> {
    match !name.trim().is_empty() && name.len() <= 200 && !name.chars().any(char::is_control) {
        true => Ok(name.to_owned()),
        false => Err("give a name of 1 to 200 bytes without control characters".to_owned()),
    }
}

impl New {
    /// Checks everything, then creates the campaign completely or not at all.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let list = read_concepts(&files::read(&self.concepts)?)?;
        let settings = self.settings(&list)?;
        settings.check()?;
        self.engine.check(list.concepts().len(), &settings.belief()?.noise)?;
        let concepts = self.concepts(&list, context)?;
        let store = context.store_or_new().await?;
        let campaign =
            Campaign::create(store, None, &self.name, &settings, &concepts, Arc::new(SystemClock)).await?;
        context.warn_of(&look_alikes([settings.root.as_str()], list.names()));
        let concepts = count(campaign.state().concepts().count(), "concept");
        let audit = audit(&campaign, context).await;
        release(campaign).await;
        let name = &self.name;
        context.remark(&format!(
            "{name}: {concepts} in {}; {}answer questions with `grove ask {name}`",
            store.place(),
            audit?
        ))
    }

    /// The concepts, with their places in the hierarchy of the file if that is evidence.
    fn concepts(&self, list: &ConceptList, context: &Context) -> anyhow::Result<Vec<NewConcept>> {
        if let Err(problem) = list.hierarchy()
            && !self.ignore_hierarchy
        {
            context.remark(&format!("the hierarchy in the file is not used: {problem}"))?;
        }
        Ok(NewConcept::listed(list))
    }

    fn settings(&self, list: &ConceptList) -> anyhow::Result<Settings> {
        let own = list.heading();
        let default = self.usual();
        let or_own =
            |given: &Option<String>, field: fn(&Heading) -> String| given.clone().or_else(|| own.map(field));
        let (noise, divided) = match self.noise {
            Some(assumed) => noise(assumed)?,
            None => (default.noise, default.divided),
        };
        let forms = if self.forms.is_empty() { default.forms.clone() } else { self.forms.clone() };
        Ok(Settings {
            title: self.title.clone().unwrap_or_default(),
            root: root_name(self.root.as_deref(), own.map(|own| own.root.as_str()), list)?,
            language: or_own(&self.language, |own| own.language.clone()).unwrap_or(default.language),
            relation: or_own(&self.relation, |own| own.relation.to_string()).unwrap_or(default.relation),
            forms,
            names_as_evidence: default.names_as_evidence && !self.ignore_names,
            hierarchy_as_evidence: default.hierarchy_as_evidence && !self.ignore_hierarchy,
            noise,
            divided,
            prior: self.prior(),
            price_cents: self.price,
            budget: Budget { votes: self.most_votes, cents: None },
            target: self.until.map(|certainty| TargetSetting { certainty, mean: false }),
            strategy: match self.strategy {
                StrategyName::Gain => StrategySetting::Gain,
                StrategyName::WorstCase => StrategySetting::WorstCase,
                StrategyName::Random => StrategySetting::Random,
            },
            engine: match self.engine {
                Engine::Ensemble => EngineSetting::Ensemble { trees: None, moves: None },
                Engine::Exact => EngineSetting::Exact,
                Engine::Weights => EngineSetting::Weights,
            },
            seed: self.seed,
            origin: own.and_then(|own| own.origin.clone()),
            ..default
        })
    }

    /// The settings that the options override. Given rates or another strategy imply the paper's model: yes/no
    /// questions, until every place is certain.
    fn usual(&self) -> Settings {
        let is_paper = self.strategy != StrategyName::Gain
            || self.noise.is_some_and(|noise| noise != AssumedNoise::Learn);
        match self.who {
            Some(who) => Settings::new(who.into()),
            None if is_paper => Settings::default(),
            None => Settings::new(Preset::Owner),
        }
    }

    /// Given rates are the paper's model, and its prior goes with them: the answers of one person, each given once and assumed to be wrong now
    /// and then, cannot overrule a prior against parents with one child.
    fn prior(&self) -> PriorSetting {
        match self.prior {
            Some(PriorShape::Taxonomy) => PriorSetting::Taxonomy,
            None if matches!(self.noise, None | Some(AssumedNoise::Learn)) => PriorSetting::Taxonomy,
            Some(PriorShape::Uniform) | None => PriorSetting::Uniform,
        }
    }
}

/// How doubtful the places are that the file gives the concepts, and how long it takes to check them; empty if it
/// gives none.
async fn audit(campaign: &Campaign, context: &Context) -> anyhow::Result<String> {
    if !campaign.with_state(State::starts_from_hierarchy) {
        return Ok(String::new());
    }
    campaign.advance().await?;
    let follower = campaign.follower().await?;
    let Some(named) = show::report(&follower, context)? else { return Ok(String::new()) };
    let (doubtful, all) = (named.report.doubtful.len(), named.report.concepts.len());
    let left = follower.effort_left()?.filter(|left| left.screens > 0.0);
    let left = left.map_or_else(String::new, |left| format!("; {}", time_left(left)));
    Ok(format!("{doubtful} of {all} places in its hierarchy are doubtful{left}; "))
}

/// The campaign's settings for assumed noise: the error rates, and the share of questions that divide people. Given rates assume that every
/// question has one honest answer, as the paper does.
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
