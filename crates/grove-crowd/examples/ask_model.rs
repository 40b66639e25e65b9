//! Asks a language model two questions and says what it cost. The model is a scripted one on this machine, so that the example needs no
//! key; any other OpenAI-style endpoint is asked in the same way.

use grove_crowd::{Asking, Cents, Endpoint, ModelClient, Prompt, SpendingLimit, TokenPrice, Usage};
use grove_sandbox::{ModelFault, ModelScript, ScriptedModel};
use grove_vocabulary::Question;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parents = [("fruit", "food"), ("lime", "fruit"), ("cheese", "food")];
    let model = ScriptedModel::start(ModelScript {
        parents: parents.map(|(lower, upper)| (lower.to_owned(), upper.to_owned())).into_iter().collect(),
        top_error: 0.02,
        leaf_error: 0.05,
        temperature: 1.0,
        key: None,
        fault: ModelFault::None,
        seed: 1,
    })
    .await?;

    let mut endpoint = Endpoint::new("scripted", &model.base_url(), "scripted");
    endpoint.price = TokenPrice::per_million(1.0, 4.0)?;
    // For each question.
    let limit = SpendingLimit { money: Some(Cents(5)), tokens: None };
    let (client, mut used, mut cost) = (ModelClient::new(endpoint), Usage::default(), 0);
    for upper in ["fruit", "cheese"] {
        let text = format!("Is lime a kind of {upper}?");
        let prompt = Prompt::new(&Asking {
            screen: Question::path(1, 2)?.into(),
            text: text.clone(),
            options: Vec::new(),
            definitions: Vec::new(),
            title: "Food".to_owned(),
        });
        let answer = client.ask(&prompt, &limit).await?;
        (used, cost) = (used.plus(answer.usage), cost + answer.cost);
        println!("{text} {:?}, P(yes) = {:.3}", answer.reply, answer.yes.unwrap_or(f64::NAN));
    }
    println!("{} tokens for {:.4} cents", used.tokens(), cost as f64 / 1e6);
    Ok(())
}
