use grove_belief::{
    Asking, Dissent, EngineSettings, EnsembleSettings, Form, KNOWN_TO_OWNER, LEAST_GAIN_PER_SECOND, Money,
    Noise, Prior, PseudoWorker, Rates, Seconds, StopRules, Strategy, Target, WeightsSettings, Worker,
    WorkerPrior,
};
use grove_formats::{Heading, Origin, Relation};
use grove_store::Screen;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, Wording};

/// The largest seed: JSON in some languages cannot hold every integer above it.
const LARGEST_SEED: u64 = 1 << 53;

/// Everything that an owner decides about a campaign, as the log holds it. Fields that are missing have defaults that
/// keep the meaning of logs written before the fields existed; a new campaign begins with [`Settings::new`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The title, for people; the root's name if empty.
    pub title: String,
    /// The name of the root, above all concepts.
    pub root: String,
    /// The language of the names, as a BCP 47 tag; `und` if it is not known.
    pub language: String,
    /// `is-a`, `part-of`, `look-under`, or a question with `{child}` and `{parent}` in it.
    pub relation: String,
    /// What workers are told before their first question, and agree to by answering; may be empty.
    pub consent: String,
    /// How workers err.
    pub noise: NoiseSetting,
    /// The chance that people place a concept differently; 0 if they all place it alike.
    pub divided: f64,
    /// What is believed before the first vote.
    pub prior: PriorSetting,
    /// What a vote costs, in hundredths of the currency.
    pub price_cents: f64,
    /// The currency as a code of three letters, such as EUR; empty if none was chosen.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub currency: String,
    /// What may be spent.
    pub budget: Budget,
    /// How certain the hierarchy has to be before asking ends; if none, certainty does not end it.
    pub target: Option<TargetSetting>,
    /// Asking ends when the best question gains fewer than this many bits.
    pub least_gain: Option<f64>,
    /// Asking ends when the best screen gains fewer than this many bits per second.
    pub least_gain_per_second: Option<f64>,
    /// A concept whose place is at least this certain is no longer asked about; if none, all concepts are.
    pub known_from: Option<f64>,
    /// The forms in which people are asked.
    pub forms: Vec<Form>,
    /// The most options on a screen; no form shows more than it can.
    pub most_options: u32,
    /// Whether names are evidence: a leather jacket is probably a jacket. They are trusted only as far as people's
    /// answers confirm them.
    pub names_as_evidence: bool,
    /// Whether a hierarchy that the concepts came with is evidence: a starting point that people check.
    pub hierarchy_as_evidence: bool,
    /// How many workers are asked the same question: 1 asks by gain alone, k is the paper's bundle.
    pub votes_per_question: u32,
    /// How many questions a worker gets at a time; the paper's tasks had 5.
    pub questions_per_task: u32,
    /// For how many seconds a question is reserved for the worker who got it.
    pub lease_seconds: u32,
    /// How the next question is chosen.
    pub strategy: StrategySetting,
    /// What computes the belief.
    pub engine: EngineSetting,
    /// The seed of all random numbers.
    pub seed: u64,
    /// What the source file says about the concept scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<Origin>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            title: String::new(),
            root: "everything".to_owned(),
            language: "und".to_owned(),
            relation: "is-a".to_owned(),
            consent: String::new(),
            noise: NoiseSetting::Learn,
            divided: 0.05,
            prior: PriorSetting::Taxonomy,
            price_cents: 0.0,
            currency: String::new(),
            budget: Budget::default(),
            target: None,
            least_gain: None,
            least_gain_per_second: None,
            known_from: None,
            forms: vec![Form::YesNo],
            most_options: *Form::Tick.options().end() as u32,
            names_as_evidence: false,
            hierarchy_as_evidence: false,
            votes_per_question: 1,
            questions_per_task: 1,
            lease_seconds: 120,
            strategy: StrategySetting::Gain,
            engine: EngineSetting::default(),
            seed: 0,
            origin: None,
        }
    }
}

/// Who is asked, which decides about the forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// One person who owns the hierarchy: all forms.
    Owner,
    /// Many people, who do not know all concepts: yes/no, pick and tick.
    Crowd,
    /// The paper's questions alone: yes/no.
    Paper,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Crowd, Self::Paper];

    /// The word for it on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Crowd => "crowd",
            Self::Paper => "paper",
        }
    }

    /// The forms that it allows.
    #[must_use]
    pub fn forms(self) -> Vec<Form> {
        match self {
            Self::Owner => Asking::owner().forms,
            Self::Crowd => Asking::crowd().forms,
            Self::Paper => Asking::paper().forms,
        }
    }
}

/// How workers err.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case", deny_unknown_fields)]
pub enum NoiseSetting {
    /// Every worker's rates are learnt together with the hierarchy.
    Learn,
    /// The same for careful people: initially one answer in a hundred is assumed to be wrong. For an owner who
    /// answers alone.
    Careful,
    /// All workers err at these rates.
    Given {
        /// How often a worker says yes where no is right.
        false_yes: f64,
        /// How often a worker says no where yes is right.
        false_no: f64,
    },
    /// The paper's: the majority of a question's votes is its answer.
    Majority,
}

/// What is believed before the first vote.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case", deny_unknown_fields)]
pub enum PriorSetting {
    /// Every hierarchy alike.
    Uniform,
    /// Most concepts have nothing below them, as in hierarchies that people make.
    Taxonomy,
    /// Every pair of which one is above the other makes a hierarchy less likely, by e to this power.
    Shallow {
        /// The power; larger values favour shallower hierarchies.
        penalty: f64,
    },
}

/// What may be spent; unlimited if neither is set.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// The most votes.
    pub votes: Option<u64>,
    /// The most money, in hundredths of the currency.
    pub cents: Option<f64>,
}

/// How certain the hierarchy has to be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSetting {
    /// The certainty of every concept's likeliest parent, above 0 and not above 1.
    pub certainty: f64,
    /// Whether it is enough that the mean is this certain.
    #[serde(default)]
    pub mean: bool,
}

/// How the next question is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrategySetting {
    /// By expected gain, and for many workers at once by joint gain.
    Gain,
    /// The paper's: by the less informative answer.
    WorstCase,
    /// At random, all questions equally likely.
    Random,
}

/// What computes the belief.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum EngineSetting {
    /// Independent chains; the default.
    Ensemble {
        /// How many trees; by the number of concepts if none.
        #[serde(default)]
        trees: Option<u32>,
        /// Moves of each tree after a vote; by the number of concepts if none.
        #[serde(default)]
        moves: Option<u32>,
    },
    /// The exact posterior, up to 16 concepts and with given rates. Past that the campaign goes on with the ensemble.
    Exact,
    /// The paper's edge weights, up to 500 concepts and with given rates.
    Weights,
}

impl Default for EngineSetting {
    fn default() -> Self {
        Self::Ensemble { trees: None, moves: None }
    }
}

impl Settings {
    /// The settings with which a new campaign begins: the forms of the preset, and an end when nothing worth asking
    /// is left. An owner who answers alone is assumed to be careful and never divided. Names, and a hierarchy that
    /// the concepts come with, are evidence, except in the paper's preset.
    #[must_use]
    pub fn new(preset: Preset) -> Self {
        let crowd = Self {
            forms: preset.forms(),
            least_gain_per_second: Some(LEAST_GAIN_PER_SECOND),
            names_as_evidence: preset != Preset::Paper,
            hierarchy_as_evidence: preset != Preset::Paper,
            ..Self::default()
        };
        match preset {
            Preset::Owner => {
                Self { noise: NoiseSetting::Careful, divided: 0.0, known_from: Some(KNOWN_TO_OWNER), ..crowd }
            }
            Preset::Crowd | Preset::Paper => crowd,
        }
    }

    /// Reads settings; missing fields keep their values from `self`.
    ///
    /// # Errors
    /// As [`Settings::from_json`].
    pub fn over(&self, json: &Value) -> Result<Self, Error> {
        let mut merged = self.to_json();
        match (merged.as_object_mut(), json.as_object()) {
            (Some(fields), Some(given)) => fields.extend(given.clone()),
            _ => return Self::from_json(json),
        }
        Self::from_json(&merged)
    }

    /// Reads settings and checks them.
    ///
    /// # Errors
    /// [`Error::UnreadableSettings`] for unknown fields and values, and as [`Settings::check`].
    pub fn from_json(json: &Value) -> Result<Self, Error> {
        if !json.is_object() {
            // A list would be read as the settings in their order, and an empty one as all defaults.
            return Err(Error::UnreadableSettings(
                "expected an object, such as {\"root\": \"food\"}".to_owned(),
            ));
        }
        let settings =
            Self::deserialize(json).map_err(|error| Error::UnreadableSettings(error.to_string()))?;
        settings.check()?;
        Ok(settings)
    }

    /// The settings as the log holds them.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("settings have text keys only")
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::BadSetting`] with the name of the field.
    pub fn check(&self) -> Result<(), Error> {
        self.wording()?;
        grove_formats::Hierarchy::new(self.heading(), Vec::new())
            .map_err(|error| bad(blamed(&error), error.to_string()))?;
        self.belief()?;
        self.stop_rules()?;
        money(self.price_cents, "price_cents")?;
        let is_code = self.currency.len() == 3 && self.currency.bytes().all(|byte| byte.is_ascii_uppercase());
        if !self.currency.is_empty() && !is_code {
            let problem = format!("it must be a code of three letters such as EUR, not {:?}", self.currency);
            return Err(bad("currency", problem));
        }
        for (setting, number, most) in [
            ("votes_per_question", self.votes_per_question, 1_000),
            ("questions_per_task", self.questions_per_task, 1_000),
            ("lease_seconds", self.lease_seconds, 7 * 24 * 3600),
        ] {
            if !(1..=most).contains(&number) {
                return Err(bad(setting, format!("it must be between 1 and {most}, not {number}")));
            }
        }
        self.check_forms()?;
        if self.seed > LARGEST_SEED {
            return Err(bad("seed", format!("it must be at most {LARGEST_SEED}")));
        }
        self.check_engine()
    }

    fn check_forms(&self) -> Result<(), Error> {
        let is_twice = |at: usize| self.forms[..at].contains(&self.forms[at]);
        if self.forms.is_empty() || (0..self.forms.len()).any(is_twice) {
            return Err(bad(
                "forms",
                "name one form or more of yesno, pick, tick and place, each once".to_owned(),
            ));
        }
        if self.known_from.is_some_and(|known| !(known > 0.0 && known <= 1.0)) {
            return Err(bad("known_from", "it must be a certainty above 0 and not above 1".to_owned()));
        }
        let most = *Form::Tick.options().end() as u32;
        if !(2..=most).contains(&self.most_options) {
            let problem = format!("it must be between 2 and {most}, not {}", self.most_options);
            return Err(bad("most_options", problem));
        }
        if !self.is_yes_no_alone() && self.strategy != StrategySetting::Gain {
            let problem =
                "this strategy asks yes/no questions alone; set forms to yesno, or the strategy to gain";
            return Err(bad("strategy", problem.to_owned()));
        }
        if !self.is_yes_no_alone() && self.votes_per_question > 1 {
            let problem = "only yes/no questions are asked in bundles; set it to 1, or forms to yesno";
            return Err(bad("votes_per_question", problem.to_owned()));
        }
        Ok(())
    }

    /// Whether people are asked by yes and no alone, as in the paper.
    #[must_use]
    pub fn is_yes_no_alone(&self) -> bool {
        self.forms == [Form::YesNo]
    }

    /// Whether people may be shown a screen: one of a form that is allowed, with no more options than are.
    #[must_use]
    pub fn allows(&self, screen: &Screen) -> bool {
        self.forms.contains(&screen.form()) && screen.options().len() <= self.most_options as usize
    }

    /// How screens are chosen, given how long people take.
    #[must_use]
    pub fn asking(&self, seconds: Seconds) -> Asking {
        let most = self.most_options as usize;
        let known_from = self.known_from.unwrap_or(1.0);
        Asking { most_picks: most, most_ticks: most, seconds, known_from, ..Asking::with(&self.forms) }
    }

    fn check_engine(&self) -> Result<(), Error> {
        match self.engine {
            EngineSetting::Ensemble { trees, moves } => {
                let in_range = |number: Option<u32>, least, most| {
                    number.is_none_or(|number: u32| (least..=most).contains(&number))
                };
                if in_range(trees, 2, 100_000) && in_range(moves, 4, 10_000) {
                    Ok(())
                } else {
                    Err(bad("engine", "it needs 2 to 100000 trees and 4 to 10000 moves".to_owned()))
                }
            }
            EngineSetting::Exact | EngineSetting::Weights
                if matches!(self.noise, NoiseSetting::Learn | NoiseSetting::Careful) =>
            {
                Err(bad(
                    "engine",
                    "this engine needs given error rates; set the noise, or choose the ensemble".to_owned(),
                ))
            }
            EngineSetting::Exact | EngineSetting::Weights => Ok(()),
        }
    }

    /// The relation between a concept and what is above it.
    #[must_use]
    pub fn relation(&self) -> Relation {
        Relation::from_text(&self.relation)
    }

    /// How questions are asked.
    ///
    /// # Errors
    /// As [`Wording::new`].
    pub fn wording(&self) -> Result<Wording, Error> {
        Wording::new(&self.relation(), &self.language)
    }

    /// The title, language, relation and root of the hierarchy.
    #[must_use]
    pub fn heading(&self) -> Heading {
        let title = if self.title.trim().is_empty() { self.root.clone() } else { self.title.clone() };
        Heading {
            title,
            language: self.language.clone(),
            relation: self.relation(),
            root: self.root.clone(),
            origin: self.origin.clone(),
        }
    }

    /// What a vote costs.
    #[must_use]
    pub fn price(&self) -> Money {
        money(self.price_cents, "price_cents").unwrap_or_default()
    }

    /// How many votes the budget has room for; none if there is no budget. Whatever its form, each answered screen is one.
    #[must_use]
    pub fn most_votes(&self) -> Option<u64> {
        let by_money = self.budget.cents.filter(|_| self.price_cents > 0.0);
        let by_money = by_money.map(|cents| (cents / self.price_cents + 1e-9).floor() as u64);
        [self.budget.votes, by_money].into_iter().flatten().min()
    }

    /// How certain the hierarchy is to be: the target, or the paper's red line where there is none.
    #[must_use]
    pub fn aim(&self) -> Target {
        self.target.and_then(|target| target.read().ok()).unwrap_or_default()
    }

    /// When asking ends.
    ///
    /// # Errors
    /// [`Error::BadSetting`].
    pub fn stop_rules(&self) -> Result<StopRules, Error> {
        let mut rules = StopRules::none();
        if let Some(votes) = self.budget.votes {
            rules = rules.questions(votes);
        }
        if let Some(cents) = self.budget.cents {
            rules = rules.money(money(cents, "budget")?, self.price());
        }
        if let Some(target) = self.target {
            rules = rules.target(target.read()?);
        }
        if let Some(bits) = self.least_gain {
            rules = rules.least_gain(bits).map_err(|error| bad("least_gain", error.to_string()))?;
        }
        if let Some(rate) = self.least_gain_per_second {
            rules =
                rules.least_rate(rate).map_err(|error| bad("least_gain_per_second", error.to_string()))?;
        }
        Ok(rules)
    }

    /// How votes are read.
    ///
    /// # Errors
    /// [`Error::BadSetting`].
    pub fn belief(&self) -> Result<grove_belief::Settings, Error> {
        let noise = match self.noise {
            NoiseSetting::Learn => Noise::Learnt(WorkerPrior::default()),
            NoiseSetting::Careful => Noise::Learnt(WorkerPrior::careful()),
            NoiseSetting::Given { false_yes, false_no } => Noise::Given(
                Rates::two(false_yes, false_no).map_err(|error| bad("noise", error.to_string()))?,
            ),
            NoiseSetting::Majority => Noise::Majority,
        };
        let dissent = if self.divided == 0.0 {
            None
        } else {
            Some(Dissent::new(self.divided).map_err(|error| bad("divided", error.to_string()))?)
        };
        let prior = match self.prior {
            PriorSetting::Uniform => Prior::uniform(),
            PriorSetting::Taxonomy => Prior::taxonomy(),
            PriorSetting::Shallow { penalty } => {
                Prior::shallow(penalty).map_err(|error| bad("prior", error.to_string()))?
            }
        };
        Ok(grove_belief::Settings { noise, dissent, prior })
    }

    /// How the next question is chosen.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        match self.strategy {
            StrategySetting::Gain => Strategy::Gain,
            StrategySetting::WorstCase => Strategy::WorstCase,
            StrategySetting::Random => Strategy::Random,
        }
    }

    pub(crate) fn ensemble(&self, concepts: usize) -> EnsembleSettings {
        let usual = EnsembleSettings::for_concepts(concepts);
        let (trees, moves) = match self.engine {
            EngineSetting::Ensemble { trees, moves } => (trees, moves),
            _ => (None, None),
        };
        EnsembleSettings {
            trees: trees.map_or(usual.trees, |trees| trees as usize),
            moves: moves.map_or(usual.moves, |moves| moves as usize),
            seed: self.seed,
        }
    }

    /// The engine for a number of concepts.
    pub(crate) fn engine(&self, concepts: usize) -> EngineSettings {
        match self.engine {
            EngineSetting::Ensemble { .. } => EngineSettings::Ensemble(self.ensemble(concepts)),
            EngineSetting::Exact => EngineSettings::Exact,
            EngineSetting::Weights => {
                EngineSettings::Weights(WeightsSettings { seed: self.seed, ..WeightsSettings::default() })
            }
        }
    }

    /// Whether a belief under the other settings has to be built again under these.
    pub(crate) fn changes_belief(&self, other: &Self) -> bool {
        let what = |of: &Self| (of.noise, of.divided, of.prior, of.engine, of.seed, of.hierarchy_as_evidence);
        // What the head of a name is depends on the language.
        let names = |of: &Self| of.names_as_evidence.then(|| of.language.clone());
        what(self) != what(other) || names(self) != names(other)
    }

    /// The pseudo-workers, by the belief's numbers; those of people follow.
    pub(crate) fn pseudo_workers(&self) -> impl Iterator<Item = (Worker, PseudoWorker)> {
        let names = self.names_as_evidence.then_some(PseudoWorker::Names);
        let hierarchy = self.hierarchy_as_evidence.then_some(PseudoWorker::Hierarchy);
        (0..).map(Worker::new).zip(names.into_iter().chain(hierarchy))
    }
}

impl TargetSetting {
    fn read(self) -> Result<Target, Error> {
        let target = if self.mean { Target::mean(self.certainty) } else { Target::every(self.certainty) };
        target.map_err(|error| bad("target", error.to_string()))
    }
}

/// Which of the settings that make the heading is wrong.
fn blamed(error: &grove_formats::Error) -> &'static str {
    match error.kind {
        grove_formats::ErrorKind::NotALanguage(_) => "language",
        _ => "root",
    }
}

fn bad(setting: &'static str, problem: String) -> Error {
    Error::BadSetting { setting, problem }
}

/// Hundredths to money, rounded to a millionth of the currency.
fn money(cents: f64, setting: &'static str) -> Result<Money, Error> {
    if !(0.0..=1e12).contains(&cents) {
        return Err(bad(setting, format!("it must be an amount of money, not {cents}")));
    }
    Ok(Money::from_micros((cents * 1e4).round() as u64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_defaults_are_good_and_an_empty_object_means_them() {
        assert_eq!(Settings::from_json(&json!({})).unwrap(), Settings::default());
        let other = Settings {
            seed: 7,
            engine: EngineSetting::Exact,
            noise: NoiseSetting::Majority,
            ..Settings::default()
        };
        assert_eq!(Settings::from_json(&other.to_json()).unwrap(), other);
        assert!(Settings::from_json(&json!([])).is_err(), "a list is not read as settings in their order");
    }

    #[test]
    fn a_bad_setting_is_refused_by_name() {
        let wrong = [
            (json!({"relation": "eats"}), "relation"),
            (json!({"root": " "}), "root"),
            (json!({"noise": {"model": "given", "false_yes": 1.5, "false_no": 0.1}}), "noise"),
            (json!({"divided": 1.0}), "divided"),
            (json!({"prior": {"shape": "shallow", "penalty": 1e9}}), "prior"),
            (json!({"price_cents": -1.0}), "price_cents"),
            (json!({"currency": "euro"}), "currency"),
            (json!({"budget": {"cents": -1.0}}), "budget"),
            (json!({"target": {"certainty": 0.0}}), "target"),
            (json!({"least_gain": 0.0}), "least_gain"),
            (json!({"least_gain_per_second": -1.0}), "least_gain_per_second"),
            (json!({"known_from": 0.0}), "known_from"),
            (json!({"forms": []}), "forms"),
            (json!({"forms": ["pick", "pick"]}), "forms"),
            (json!({"most_options": 1}), "most_options"),
            (json!({"forms": ["pick"], "strategy": "random"}), "strategy"),
            (json!({"forms": ["yesno", "tick"], "votes_per_question": 3}), "votes_per_question"),
            (json!({"votes_per_question": 0}), "votes_per_question"),
            (json!({"questions_per_task": 0}), "questions_per_task"),
            (json!({"lease_seconds": 0}), "lease_seconds"),
            (json!({"engine": {"name": "exact"}}), "engine"),
            (json!({"engine": {"name": "ensemble", "trees": 1}}), "engine"),
            (json!({"seed": u64::MAX}), "seed"),
        ];
        for (json, name) in wrong {
            match Settings::from_json(&json) {
                Err(Error::BadSetting { setting, .. }) => assert_eq!(setting, name),
                other => panic!("{json} gives {other:?}"),
            }
        }
        assert!(matches!(Settings::from_json(&json!({"sead": 1})), Err(Error::UnreadableSettings(_))));
    }

    /// Fields that an old log does not have keep their old meaning.
    #[test]
    fn old_settings_ask_by_yes_and_no_and_new_ones_in_more_forms() {
        let old = Settings::from_json(&json!({"root": "food"})).unwrap();
        assert!(old.is_yes_no_alone() && old.least_gain_per_second.is_none() && old.known_from.is_none());
        assert!(!old.names_as_evidence && !old.hierarchy_as_evidence);
        for preset in Preset::ALL {
            let new = Settings::new(preset);
            new.check().unwrap();
            assert_eq!(new.forms, preset.forms());
            assert!(new.least_gain_per_second.is_some());
        }
        assert!(Settings::new(Preset::Paper).is_yes_no_alone());
        assert!(
            !Preset::Crowd.forms().contains(&Form::Place) && Preset::Owner.forms().contains(&Form::Place)
        );
        let named = Settings::new(Preset::Crowd).over(&json!({"root": "food"})).unwrap();
        assert_eq!((named.root.as_str(), named.forms), ("food", Preset::Crowd.forms()));
        assert!(Settings::default().over(&json!([1])).is_err());
    }

    #[test]
    fn prices_may_be_parts_of_a_cent() {
        let settings = Settings { price_cents: 0.125, ..Settings::default() };
        assert_eq!(settings.price(), Money::from_micros(1_250));
    }
}
