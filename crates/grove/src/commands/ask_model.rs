//! `grove ask-model`: a language model answers first, so that people are asked what is left.

use std::path::PathBuf;
use std::sync::Arc;

use grove_campaign::State;
use grove_campaign::operations::MODEL_QUESTIONS;
use grove_crowd::{Cents, Crowds, Endpoint, Secret, TokenPrice};
use grove_store::{ModelCall, Reply, Screen};
use serde_json::json;

use super::recruit::open;
use crate::context::Context;
use crate::error::bad_input;
use crate::{files, text};

/// Let a language model answer questions of a campaign, within a budget. It votes like a worker whose errors are learnt.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove ask-model food --base-url http://127.0.0.1:8080/v1 --model qwen3-8b     a server on this machine
  grove ask-model food --base-url https://api.example.com/v1 --model small --key-env MODEL_KEY \\
      --input-price 0.15 --output-price 0.60 --most-cents 50
  grove ask-model food --crowds crowds.toml --endpoint small --questions 500
  grove ask-model food --report
  grove ask-model food --calls | jq -r '[.model, .question, .answer, .yes] | @tsv'

Any server with an OpenAI-style chat endpoint will do: llama.cpp, vLLM, Ollama or a hosted one. The key comes from the environment or from
a file that the operator names, never from the command line, and is written nowhere.")]
pub(crate) struct AskModel {
    /// The campaign.
    name: String,
    /// The address up to /chat/completions.
    #[arg(long, value_name = "URL", conflicts_with = "crowds", requires = "model")]
    base_url: Option<String>,
    /// The model.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The environment variable that holds the key, if the server wants one.
    #[arg(long, value_name = "VARIABLE", conflicts_with = "crowds")]
    key_env: Option<String>,
    /// The price of a million tokens of prompts, in the main currency.
    #[arg(long, value_name = "MONEY", default_value_t = 0.0, conflicts_with = "crowds")]
    input_price: f64,
    /// The price of a million tokens of answers.
    #[arg(long, value_name = "MONEY", default_value_t = 0.0, conflicts_with = "crowds")]
    output_price: f64,
    /// The most to spend on this campaign, in cents.
    #[arg(long, value_name = "CENTS", conflicts_with = "crowds")]
    most_cents: Option<u64>,
    /// The most tokens to use on this campaign.
    #[arg(long, value_name = "TOKENS", conflicts_with = "crowds")]
    most_tokens: Option<u64>,
    /// How often to ask a yes/no question, at the cost of as many, if the model does not state the probability of its answer: the share of yes is
    /// taken for it.
    #[arg(long, value_name = "TIMES", default_value_t = 1, conflicts_with = "crowds",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(Endpoint::MOST_SAMPLES)))]
    samples: u32,
    /// Find out anew what the endpoint supports, after a change there; it is remembered otherwise.
    #[arg(long)]
    probe_again: bool,
    /// The operator's file of panels and models.
    #[arg(long, value_name = "FILE", requires = "endpoint")]
    crowds: Option<PathBuf>,
    /// The model of that file.
    #[arg(long, value_name = "NAME")]
    endpoint: Option<String>,
    /// The most questions to ask now: about every pair of concepts if that is enough, the most informative ones otherwise.
    #[arg(long, value_name = "QUESTIONS", default_value_t = MODEL_QUESTIONS)]
    questions: u64,
    /// Ask nothing; report what models have said so far, what people changed, and what it cost.
    #[arg(long)]
    report: bool,
    /// Ask nothing; print every question that models were asked, one JSON object a line: the endpoint and model, how it was asked, the hash of the
    /// prompt, the answer, P(yes), tokens, cost and time.
    #[arg(long, conflicts_with_all = ["report", "json"])]
    calls: bool,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl AskModel {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        if self.report {
            return self.print_report(context).await;
        }
        if self.calls {
            return self.print_calls(context).await;
        }
        let (crowds, name) = self.endpoint()?;
        let access = open(context, &self.name, crowds).await?;
        if self.probe_again {
            access.probe_model_again(&name).await?;
        }
        let client = Arc::new(access.model_client(&name, None).await?);
        let spinner = context.spinner("asking the model");
        let run = access.ask_model(client, self.questions).await;
        drop(spinner);
        crate::context::release(access.campaign()?.clone()).await;
        let run = run?;
        if self.json {
            return files::print_json(&json!({
                "asked": run.asked, "cached": run.cached, "tokens": run.tokens, "cost_cents": cents(run.cost), "ended": run.ended,
            }));
        }
        files::print(&format!(
            "{} answered, {} known from before; {} tokens and {:.4} cents in this campaign so far; {}\n",
            run.asked,
            run.cached,
            run.tokens,
            cents(run.cost),
            run.ended
        ))
    }

    fn endpoint(&self) -> anyhow::Result<(Crowds, String)> {
        if let (Some(path), Some(name)) = (&self.crowds, &self.endpoint) {
            return Ok((Crowds::read(path).map_err(bad_input)?, name.clone()));
        }
        let (Some(base), Some(model)) = (&self.base_url, &self.model) else {
            return Err(bad_input("give --base-url and --model, or --crowds and --endpoint"));
        };
        let mut endpoint = Endpoint::checked(model, base, model).map_err(bad_input)?;
        endpoint.key =
            self.key_env.as_deref().map(Secret::from_environment).transpose().map_err(bad_input)?;
        endpoint.price = TokenPrice::per_million(self.input_price, self.output_price).map_err(bad_input)?;
        endpoint.most = self.most_cents.map(Cents);
        endpoint.most_tokens = self.most_tokens;
        endpoint.samples = self.samples;
        Ok((Crowds::default().with_model(endpoint), model.clone()))
    }

    async fn print_calls(&self, context: &Context) -> anyhow::Result<()> {
        let access = open(context, &self.name, Crowds::default()).await?;
        let calls = access.model_calls().await?;
        let state = access.state()?;
        let lines = calls.iter().map(|call| format!("{}\n", object(&state, call)));
        files::print(&lines.collect::<String>())
    }

    async fn print_report(&self, context: &Context) -> anyhow::Result<()> {
        let access = open(context, &self.name, Crowds::default()).await?;
        access.campaign()?.step().await?;
        let reports = access.model_reports().await?;
        crate::context::release(access.campaign()?.clone()).await;
        if self.json {
            let reports: Vec<serde_json::Value> = reports
                .iter()
                .map(|one| {
                    json!({
                        "endpoint": one.endpoint, "models": one.models, "answers": one.answers, "yes": one.yes, "no": one.no,
                        "changed": one.changed, "tokens": one.tokens, "cost_cents": cents(one.cost),
                    })
                })
                .collect();
            return files::print_json(&json!({ "models": reports }));
        }
        if reports.is_empty() {
            return context.remark("no model has answered yet");
        }
        let line = |one: &grove_campaign::operations::ModelReport| {
            format!(
                "{} ({}): {} answers, {} yes and {} no, {} of which the hierarchy contradicts; {} tokens, {:.4} cents\n",
                one.endpoint,
                one.models.join(", "),
                one.answers,
                one.yes,
                one.no,
                one.changed,
                one.tokens,
                cents(one.cost)
            )
        };
        files::print(&reports.iter().map(line).collect::<String>())
    }
}

/// Field names are documented in docs/cli.md and do not change.
fn object(state: &State, call: &ModelCall) -> serde_json::Value {
    let screen: Option<Screen> = serde_json::from_str(&call.screen).ok();
    let reply: Option<Reply> = serde_json::from_str(&call.reply).ok();
    json!({
        "at": text::time(call.at),
        "endpoint": call.endpoint,
        "model": call.model,
        "worker": call.worker,
        "mode": call.mode,
        "prompt": call.prompt,
        "question": screen.map(|screen| text::question(state, &screen)),
        "answer": reply.map(|reply| text::answer(state, &reply)),
        "yes": call.yes.map(|billionths| billionths as f64 / 1e9),
        "input_tokens": call.input,
        "output_tokens": call.output,
        "cost_cents": cents(call.cost.unsigned_abs()),
        "milliseconds": call.milliseconds,
    })
}

/// Millionths of a cent in cents.
fn cents(micros: u64) -> f64 {
    micros as f64 / 1e6
}
