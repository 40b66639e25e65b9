use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::journal::Patience;
use crate::{Cents, Error, Secret, SpendingLimit};

/// The panels and models that the operator of a server has set up, by name, and who may use them.
///
/// Owners choose by name and can give neither an address nor a token: an address would let them reach into the operator's network, and one token for
/// all would let every owner spend. The file is TOML:
///
/// ```toml
/// poll_seconds = 30                   # how often panels are asked about their studies (the default)
///
/// [panels.prolific]
/// token_env = "PROLIFIC_TOKEN"        # or token_file = "/etc/grove/prolific-token"
/// workspace = "64ec2bb4f4b5ff6bc3b9bd0d"
/// webhook_secret_file = "/etc/grove/prolific-hooks"
/// owners = ["anna"]                   # "*" for every account
/// most_cents = 50000                  # for each study
/// bonus_patience_seconds = 3600       # how long the panel may take to pay a bonus (the default)
///
/// [models.small]
/// base_url = "http://127.0.0.1:8080/v1"
/// model = "qwen3-8b"
/// key_env = "MODEL_KEY"               # left out for servers without keys
/// owners = ["*"]
/// most_cents = 500                    # for each campaign
/// most_tokens = 2000000
/// input_price = 0.15                  # per million tokens, in the main currency
/// output_price = 0.60
/// samples = 5                         # how often a yes/no question is asked if the model states no probability (1 by default)
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Crowds {
    panels: BTreeMap<String, PanelConnection>,
    models: BTreeMap<String, Endpoint>,
    poll: Duration,
}

impl Default for Crowds {
    /// Without any panel or model.
    fn default() -> Self {
        Self { panels: BTreeMap::new(), models: BTreeMap::new(), poll: POLL }
    }
}

/// How often panels are asked about their studies, unless the operator says otherwise.
const POLL: Duration = Duration::from_secs(30);

/// An account at Prolific.
#[derive(Clone, PartialEq, Debug)]
pub struct PanelConnection {
    /// The name that owners choose it by.
    pub name: String,
    /// The address of the API.
    pub base_url: String,
    /// The token of the account.
    pub token: Secret,
    /// The workspace that pays.
    pub workspace: String,
    /// The project for new studies, if not the first of the workspace.
    pub project: Option<String>,
    /// The secret of the signatures of webhooks; without it there is only polling.
    pub webhook_secret: Option<Secret>,
    /// The most that a study may cost, with fees.
    pub most: Cents,
    /// How long the panel may take to pay a bonus that it was asked for.
    pub patience: Patience,
    owners: Vec<String>,
}

/// A language model behind an OpenAI-style endpoint.
#[derive(Clone, PartialEq, Debug)]
pub struct Endpoint {
    /// The name that owners choose it by, and the name of the worker.
    pub name: String,
    /// The address up to `/chat/completions`.
    pub base_url: String,
    /// The model.
    pub model: String,
    /// The key, if the server wants one.
    pub key: Option<Secret>,
    /// The most money for each campaign.
    pub most: Option<Cents>,
    /// The most tokens for each campaign.
    pub most_tokens: Option<u64>,
    /// What tokens cost.
    pub price: TokenPrice,
    /// How many requests may be under way at once.
    pub parallel: usize,
    /// How often a yes/no question is asked, at the cost of as many, if the model does not state the probability of its answer: the share of yes
    /// is taken for it.
    pub samples: u32,
    owners: Vec<String>,
}

/// What a model's tokens cost, in millionths of a cent each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TokenPrice {
    /// For a token of the prompt.
    pub input: u64,
    /// For a token of the answer.
    pub output: u64,
}

impl Crowds {
    /// Reads the operator's file, and the tokens that it names.
    ///
    /// # Errors
    /// [`Error::Config`] for what cannot be read or is invalid.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::Config(format!("{} cannot be read: {error}", path.display())))?;
        Self::parse(&text).map_err(|error| match error {
            Error::Config(problem) => Error::Config(format!("{}: {problem}", path.display())),
            other => other,
        })
    }

    /// Reads the text of such a file.
    ///
    /// # Errors
    /// As [`Crowds::read`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        let file: FileFields =
            basic_toml::from_str(text).map_err(|error| Error::Config(error.to_string()))?;
        let panels = file.panels.into_iter().map(|(name, fields)| Ok((name.clone(), fields.read(name)?)));
        let models = file.models.into_iter().map(|(name, fields)| Ok((name.clone(), fields.read(name)?)));
        let poll = match file.poll_seconds {
            None => POLL,
            Some(seconds) if (0.01..=86_400.0).contains(&seconds) => Duration::from_secs_f64(seconds),
            Some(seconds) => {
                return Err(Error::Config(format!("poll_seconds must be 0.01 to 86400, not {seconds}")));
            }
        };
        Ok(Self {
            poll,
            panels: panels.collect::<Result<_, Error>>()?,
            models: models.collect::<Result<_, Error>>()?,
        })
    }

    /// The same with one more panel, for programs that bring their own.
    #[must_use]
    pub fn with_panel(mut self, panel: PanelConnection) -> Self {
        self.panels.insert(panel.name.clone(), panel);
        self
    }

    /// The same with one more model.
    #[must_use]
    pub fn with_model(mut self, model: Endpoint) -> Self {
        self.models.insert(model.name.clone(), model);
        self
    }

    /// How often panels are asked about their studies.
    #[must_use]
    pub fn poll(&self) -> Duration {
        self.poll
    }

    /// The panel with this name, whoever may use it: for studies that were set up already.
    #[must_use]
    pub fn panel(&self, name: &str) -> Option<&PanelConnection> {
        self.panels.get(name)
    }

    /// The panels that an account may use; all of them for the operator.
    pub fn panels_for<'a>(&'a self, owner: Option<&'a str>) -> impl Iterator<Item = &'a PanelConnection> {
        self.panels.values().filter(move |panel| may_use(&panel.owners, owner))
    }

    /// The models that an account may use; all of them for the operator.
    pub fn models_for<'a>(&'a self, owner: Option<&'a str>) -> impl Iterator<Item = &'a Endpoint> {
        self.models.values().filter(move |model| may_use(&model.owners, owner))
    }
}

fn may_use(owners: &[String], owner: Option<&str>) -> bool {
    owner.is_none_or(|owner| owners.iter().any(|listed| listed == "*" || listed == owner))
}

impl PanelConnection {
    /// A connection that everybody may use.
    #[must_use]
    pub fn new(name: &str, base_url: &str, token: Secret, workspace: &str, most: Cents) -> Self {
        Self {
            name: name.to_owned(),
            base_url: base_url.trim_end_matches('/').to_owned(),
            token,
            workspace: workspace.to_owned(),
            project: None,
            webhook_secret: None,
            most,
            patience: Patience::default(),
            owners: vec!["*".to_owned()],
        }
    }
}

impl Endpoint {
    /// The most samples of one question.
    pub const MOST_SAMPLES: u32 = 20;

    /// An endpoint that everybody may use, without a key, a limit or a price.
    #[must_use]
    pub fn new(name: &str, base_url: &str, model: &str) -> Self {
        Self {
            name: name.to_owned(),
            base_url: base_url.trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            key: None,
            most: None,
            most_tokens: None,
            price: TokenPrice::default(),
            parallel: 4,
            samples: 1,
            owners: vec!["*".to_owned()],
        }
    }

    /// The same for an address that somebody has typed.
    ///
    /// # Errors
    /// [`Error::Config`] for an address that is not one of http(s), or has a password in it.
    pub fn checked(name: &str, address: &str, model: &str) -> Result<Self, Error> {
        Ok(Self::new(name, &base_url("the model", address)?, model))
    }

    /// What it may use in each campaign.
    #[must_use]
    pub fn limit(&self) -> SpendingLimit {
        SpendingLimit { money: self.most, tokens: self.most_tokens }
    }
}

impl TokenPrice {
    /// From prices per million tokens in the main currency, as they are published.
    ///
    /// # Errors
    /// [`Error::Config`] for anything that is not a price.
    pub fn per_million(input: f64, output: f64) -> Result<Self, Error> {
        let micros = |price: f64| {
            let is_price = (0.0..=1e6).contains(&price);
            // A price of 1 per million tokens is 100 cents per million, so 100 millionths of a cent per token.
            is_price.then_some((price * 100.0).round() as u64).ok_or_else(|| {
                Error::Config(format!("a price per million tokens is an amount of money, not {price}"))
            })
        };
        Ok(Self { input: micros(input)?, output: micros(output)? })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFields {
    poll_seconds: Option<f64>,
    #[serde(default)]
    panels: BTreeMap<String, PanelFields>,
    #[serde(default)]
    models: BTreeMap<String, ModelFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PanelFields {
    base_url: Option<String>,
    token_env: Option<String>,
    token_file: Option<PathBuf>,
    workspace: String,
    project: Option<String>,
    webhook_secret_env: Option<String>,
    webhook_secret_file: Option<PathBuf>,
    owners: Vec<String>,
    most_cents: u64,
    bonus_patience_seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFields {
    base_url: String,
    model: String,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    owners: Vec<String>,
    most_cents: Option<u64>,
    most_tokens: Option<u64>,
    #[serde(default)]
    input_price: f64,
    #[serde(default)]
    output_price: f64,
    parallel: Option<usize>,
    samples: Option<u32>,
}

impl PanelFields {
    fn read(self, name: String) -> Result<PanelConnection, Error> {
        let what = format!("the panel {name:?}");
        check_name(&what, &name)?;
        let token = secret(&what, "token", self.token_env.as_deref(), self.token_file.as_deref())?;
        let token = token.ok_or_else(|| Error::Config(format!("{what} needs token_env or token_file")))?;
        let hooks = (self.webhook_secret_env.as_deref(), self.webhook_secret_file.as_deref());
        Ok(PanelConnection {
            base_url: base_url(&what, self.base_url.as_deref().unwrap_or("https://api.prolific.com"))?,
            token,
            workspace: self.workspace,
            project: self.project,
            webhook_secret: secret(&what, "webhook_secret", hooks.0, hooks.1)?,
            most: Cents(self.most_cents),
            patience: self
                .bonus_patience_seconds
                .map(Duration::from_secs)
                .map_or_else(Patience::default, Patience),
            owners: self.owners,
            name,
        })
    }
}

impl ModelFields {
    fn read(self, name: String) -> Result<Endpoint, Error> {
        let what = format!("the model {name:?}");
        check_name(&what, &name)?;
        Ok(Endpoint {
            base_url: base_url(&what, &self.base_url)?,
            model: self.model,
            key: secret(&what, "key", self.key_env.as_deref(), self.key_file.as_deref())?,
            most: self.most_cents.map(Cents),
            most_tokens: self.most_tokens,
            price: TokenPrice::per_million(self.input_price, self.output_price)?,
            parallel: self.parallel.unwrap_or(4).clamp(1, 64),
            samples: match self.samples {
                None => 1,
                Some(samples) if (1..=Endpoint::MOST_SAMPLES).contains(&samples) => samples,
                Some(samples) => {
                    let most = Endpoint::MOST_SAMPLES;
                    return Err(Error::Config(format!("{what}: samples must be 1 to {most}, not {samples}")));
                }
            },
            owners: self.owners,
            name,
        })
    }
}

/// Names become parts of workers' ids and of log lines.
fn check_name(what: &str, name: &str) -> Result<(), Error> {
    let is_name = (1..=40).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if is_name {
        Ok(())
    } else {
        Err(Error::Config(format!("{what}: a name is up to 40 letters, digits, '-', '_' and '.'")))
    }
}

fn base_url(what: &str, url: &str) -> Result<String, Error> {
    let url = url.trim_end_matches('/');
    let is_url = url.parse::<hyper::Uri>().is_ok_and(|uri| {
        let authority = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
        // A password in the address would be shown wherever the address is.
        let has_password = authority.contains('@');
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some()
            && uri.query().is_none()
            && !has_password
    });
    if is_url {
        Ok(url.to_owned())
    } else {
        Err(Error::Config(format!(
            "{what}: base_url must be an http(s) address without name, password and query"
        )))
    }
}

fn secret(what: &str, field: &str, env: Option<&str>, file: Option<&Path>) -> Result<Option<Secret>, Error> {
    match (env, file) {
        (None, None) => Ok(None),
        (Some(name), None) => Secret::from_environment(name).map(Some),
        (None, Some(path)) => Secret::from_file(path).map(Some),
        (Some(_), Some(_)) => {
            Err(Error::Config(format!("{what}: give {field}_env or {field}_file and not both")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_get_what_the_operator_gave_them() {
        let text = r#"
            [models.small]
            base_url = "http://127.0.0.1:8080/v1/"
            model = "qwen3-8b"
            owners = ["*"]
            input_price = 0.15
            output_price = 0.60
            [models.large]
            base_url = "https://models.example/v1"
            model = "large"
            owners = ["anna"]
            most_cents = 500
        "#;
        let crowds = Crowds::parse(text).unwrap();
        let names = |owner| crowds.models_for(owner).map(|model| model.name.as_str()).collect::<Vec<_>>();
        assert_eq!(names(Some("anna")), ["large", "small"]);
        assert_eq!(names(Some("ben")), ["small"]);
        assert_eq!(names(None), ["large", "small"]);
        let small = crowds.models_for(Some("ben")).next().unwrap();
        assert_eq!(small.base_url, "http://127.0.0.1:8080/v1");
        assert_eq!(small.price, TokenPrice { input: 15, output: 60 });
    }

    #[test]
    fn what_makes_no_sense_is_refused_without_showing_secrets() {
        let model = |line: &str| {
            format!("[models.m]\nbase_url = \"http://h/v1\"\nmodel = \"x\"\nowners = []\n{line}\n")
        };
        let wrong = [
            model("key = \"sk-secret\""),
            model("input_price = -1.0"),
            model("samples = 0"),
            "[models.m]\nbase_url = \"http://me:sk-secret@h/v1\"\nmodel = \"x\"\nowners = []\n".to_owned(),
            model("key_env = \"A\"\nkey_file = \"b\""),
            model("key_env = \"GROVE_TEST_NO_SUCH_VARIABLE\""),
            "[models.m]\nbase_url = \"file:///etc/passwd\"\nmodel = \"x\"\nowners = []\n".to_owned(),
            "[models.\"a b\"]\nbase_url = \"http://h\"\nmodel = \"x\"\nowners = []\n".to_owned(),
            "[panels.p]\nworkspace = \"w\"\nowners = []\nmost_cents = 1\n".to_owned(),
        ];
        for text in wrong {
            let error = Crowds::parse(&text).unwrap_err();
            assert!(matches!(error, Error::Config(_)), "{text}");
            assert!(!error.to_string().contains("sk-secret"), "{error}");
        }
    }
}
