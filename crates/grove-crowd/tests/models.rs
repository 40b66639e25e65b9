//! The client of models against a scripted one that misbehaves.

#![expect(clippy::unwrap_used, reason = "in a test, a panic says where it failed")]

use std::time::Duration;

use grove_crowd::{
    Answered, Asking, Backoff, Cents, Endpoint, Error, ModelClient, Prompt, Secret, Spending, SpendingLimit,
    TokenPrice, Usage,
};
use grove_sandbox::{ModelFault, ModelScript, ScriptedModel};
use grove_vocabulary::{Question, Reply};

const KEY: &str = "sk-never-to-be-seen";

fn script(fault: ModelFault) -> ModelScript {
    let parents = [("fruit", "food"), ("lime", "fruit"), ("cheese", "food"), ("brie", "cheese")];
    ModelScript {
        parents: parents.into_iter().map(|(lower, upper)| (lower.to_owned(), upper.to_owned())).collect(),
        top_error: 0.0,
        leaf_error: 0.0,
        temperature: 0.2,
        key: Some(KEY.to_owned()),
        fault,
        seed: 1,
    }
}

fn prompt(lower: &str, upper: &str) -> Prompt {
    Prompt::new(&Asking {
        screen: Question::path(1, 2).unwrap().into(),
        text: format!("Is {lower} a kind of {upper}?"),
        options: Vec::new(),
        definitions: Vec::new(),
        title: "Food".into(),
    })
}

async fn client(fault: ModelFault, limit: SpendingLimit) -> (ScriptedModel, ModelClient) {
    let model = ScriptedModel::start(script(fault)).await.unwrap();
    let mut endpoint = Endpoint::new("scripted", &model.base_url(), "scripted");
    endpoint.key = Some(Secret::new(KEY, "the test").unwrap());
    endpoint.price = TokenPrice::per_million(1.0, 4.0).unwrap();
    let spending = Spending::new(limit, endpoint.price, Usage::default());
    let quick = Backoff { first: Duration::from_millis(1), longest: Duration::from_millis(50), attempts: 4 };
    let client = ModelClient::new(endpoint, spending).with_patience(quick, Duration::from_millis(400));
    (model, client)
}

async fn ask(fault: ModelFault) -> (ScriptedModel, ModelClient, Result<[Answered; 2], Error>) {
    let (model, client) = client(fault, SpendingLimit::default()).await;
    let both = async {
        let yes = client.ask(&prompt("lime", "fruit")).await?;
        Ok([yes, client.ask(&prompt("lime", "cheese")).await?])
    };
    let both = both.await;
    (model, client, both)
}

#[tokio::test]
async fn probabilities_come_from_tokens() {
    let (_model, client, both) = ask(ModelFault::None).await;
    let [yes, no] = both.unwrap();
    assert_eq!((&yes.reply, &no.reply), (&Reply::Yes, &Reply::No));
    // Certain to one in a million, told with a temperature of 1/5: logit 13.8 / 5.
    assert!((yes.yes.unwrap() - 0.940_6).abs() < 1e-3, "{:?}", yes.yes);
    assert!((no.yes.unwrap() - 0.059_4).abs() < 1e-3, "{:?}", no.yes);
    assert_eq!((yes.model.as_str(), yes.mode), ("scripted-1", "logprobs"));
    assert_eq!(yes.cost, yes.usage.input * 100 + yes.usage.output * 400);
    assert_eq!(client.spending().used(), yes.usage.plus(no.usage));
    assert_ne!(client.key(&prompt("lime", "fruit")), client.key(&prompt("lime", "cheese")));
}

#[tokio::test]
async fn what_a_model_refuses_is_left_out_and_remembered() {
    for (fault, mode, refused) in
        [(ModelFault::NoLogprobs, "structured", 1), (ModelFault::OnlyPlain, "plain", 6)]
    {
        let (model, _client, both) = ask(fault).await;
        let [yes, no] = both.unwrap();
        assert_eq!((yes.reply, yes.yes, yes.mode), (Reply::Yes, None, mode));
        assert_eq!((no.reply, no.mode), (Reply::No, mode));
        let (came, answered) = model.counts();
        assert_eq!((came - answered, answered), (refused, 2), "{fault:?}");
    }
}

#[tokio::test]
async fn several_samples_stand_in_for_probabilities() {
    let (_model, client) = client(ModelFault::OnlyPlain, SpendingLimit::default()).await;
    let sampled = client.sample(&prompt("lime", "fruit"), 5).await.unwrap();
    assert_eq!((sampled.reply, sampled.yes, sampled.mode), (Reply::Yes, Some(5.5 / 6.0), "samples"));
}

#[tokio::test]
async fn busy_and_broken_answers_are_asked_for_again() {
    for fault in [ModelFault::Busy, ModelFault::Broken] {
        let (model, _client, both) = ask(fault).await;
        let [yes, no] = both.unwrap();
        assert_eq!((yes.reply, no.reply), (Reply::Yes, Reply::No), "{fault:?}");
        assert_eq!(model.counts(), (4, 2));
    }
}

#[tokio::test]
async fn odd_words_are_no_answer() {
    let (_model, _client, both) = ask(ModelFault::OddWords).await;
    let [one, other] = both.unwrap();
    assert_eq!((one.reply, one.yes, other.reply), (Reply::CantSay, None, Reply::CantSay));
}

#[tokio::test]
async fn slow_and_gone_models_give_a_clear_error_and_no_key() {
    for (fault, words) in [(ModelFault::Slow(2_000), "does not answer"), (ModelFault::Gone, "says 500")] {
        let (_model, client, both) = ask(fault).await;
        let error = both.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(!format!("{error:?} {:?}", client.endpoint()).contains(KEY));
        // What came to nothing may have been computed, and is counted.
        assert!(client.spending().used().tokens() > 0);
    }
    let (model, client) = client(ModelFault::None, SpendingLimit::default()).await;
    model.change(|script| script.key = Some("another".into()));
    let error = client.ask(&prompt("lime", "fruit")).await.unwrap_err();
    assert!(matches!(error, Error::Refused { status: 401, .. }));
    assert!(!error.to_string().contains(KEY), "{error}");
}

#[tokio::test]
async fn sixty_four_at_once_stay_within_the_budget() {
    let limit = SpendingLimit { money: Some(Cents(1)), tokens: Some(3_000) };
    let (model, client) = client(ModelFault::None, limit).await;
    let client = std::sync::Arc::new(client);
    let asking = (0..64).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.ask(&prompt("lime", "fruit")).await })
    });
    let asking: Vec<_> = asking.collect();
    let mut refused = 0;
    for one in asking {
        match one.await.unwrap() {
            Ok(_) => {}
            Err(Error::OverBudget(message)) => {
                assert!(message.contains("raise"), "{message}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0 && model.counts().1 > 0);
    assert!(client.spending().used().tokens() <= 3_000 && client.spending().cost() <= 1_000_000);
}
