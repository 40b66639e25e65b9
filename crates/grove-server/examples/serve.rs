//! Serves a database at an address: `cargo run -p grove-server --example serve -- [database] [listen] [sandbox]`.
//!
//! With `sandbox`, there is a local Prolific to recruit from, and a scripted language model that knows some food.

use std::error::Error;

use grove_crowd::{Cents, Crowds, Endpoint, PanelConnection, Secret};
use grove_sandbox::{ModelFault, ModelScript, Sandbox, SandboxOptions, ScriptedModel};
use grove_server::{Config, serve};
use grove_sim::Dataset;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let mut config = Config::default();
    let mut arguments = std::env::args().skip(1);
    if let Some(database) = arguments.next() {
        config.database = database;
    }
    if let Some(listen) = arguments.next().and_then(|text| text.parse().ok()) {
        config.listen = listen;
    }
    if arguments.next().is_none_or(|word| word != "sandbox") {
        return Ok(serve(config).await?);
    }
    let sandbox = Sandbox::start(SandboxOptions::default()).await?;
    let model = ScriptedModel::start(food()).await?;
    let token = Secret::new(&sandbox.token(), "the sandbox")?;
    let panel =
        PanelConnection::new("sandbox", &sandbox.url(), token, &sandbox.workspace(), Cents(1_000_000));
    let endpoint = Endpoint::new("scripted", &model.base_url(), "scripted");
    config.crowds = Crowds::default().with_panel(panel).with_model(endpoint);
    Ok(serve(config).await?)
}

fn food() -> ModelScript {
    let named = Dataset::Food.tree();
    let edges = named.tree().edges();
    let parents = edges.map(|(parent, child)| (named.name(child).to_owned(), named.name(parent).to_owned()));
    ModelScript {
        parents: parents.collect(),
        top_error: 0.05,
        leaf_error: 0.25,
        temperature: 2.0,
        key: None,
        fault: ModelFault::None,
        seed: 1,
    }
}
