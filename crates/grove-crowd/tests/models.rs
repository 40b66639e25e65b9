//! The client of models against a scripted one that misbehaves.

#![expect(clippy::unwrap_used, reason = "in a test, a panic says where it failed")]

use std::sync::Mutex;
use std::time::Duration;

use grove_crowd::{
    Answered, Asking, Backoff, Budget, Endpoint, Error, ModelClient, Prompt, Secret, SpendingLimit,
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

/// Writes down what is reserved for a question, and stops it after so many times.
struct Noting {
    reserved: Mutex<Vec<Usage>>,
    most: usize,
}

impl Noting {
    fn up_to(most: usize) -> Self {
        Self { reserved: Mutex::default(), most }
    }
}

impl Budget for Noting {
    async fn reserve(&self, most: Usage, cost: u64) -> Result<(), Error> {
        assert_eq!(cost, most.input * 100 + most.output * 400);
        let mut reserved = self.reserved.lock().unwrap();
        if reserved.len() == self.most {
            return Err(Error::OverBudget("enough".into()));
        }
        reserved.push(most);
        Ok(())
    }
}

const NO_LIMIT: SpendingLimit = SpendingLimit { money: None, tokens: None };

async fn client(fault: ModelFault, samples: u32) -> (ScriptedModel, ModelClient) {
    let model = ScriptedModel::start(script(fault)).await.unwrap();
    let mut endpoint = Endpoint::new("scripted", &model.base_url(), "scripted");
    endpoint.key = Some(Secret::new(KEY, "the test").unwrap());
    endpoint.price = TokenPrice::per_million(1.0, 4.0).unwrap();
    endpoint.samples = samples;
    let quick = Backoff { first: Duration::from_millis(1), longest: Duration::from_millis(50), attempts: 4 };
    let client = ModelClient::new(endpoint).with_patience(quick, Duration::from_millis(400));
    (model, client)
}

async fn ask(fault: ModelFault) -> (ScriptedModel, ModelClient, Result<[Answered; 2], Error>) {
    let (model, client) = client(fault, 1).await;
    let both = async {
        let yes = client.ask(&prompt("lime", "fruit"), &NO_LIMIT).await?;
        Ok([yes, client.ask(&prompt("lime", "cheese"), &NO_LIMIT).await?])
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
    assert_eq!(yes.call, client.key(&prompt("lime", "fruit")));
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

/// What is found out is known to the next client; and a question that is refused whatever is left out says nothing about the endpoint.
#[tokio::test]
async fn what_was_found_out_is_carried_over() {
    let (model, first, both) = ask(ModelFault::OnlyPlain).await;
    let key = both.unwrap()[0].call.clone();
    assert_eq!(key, first.key(&prompt("lime", "fruit")), "by what it was found to support");
    let asked = model.counts();
    let next = ModelClient::new(first.endpoint().clone()).with_probe(first.probe());
    next.ask(&prompt("lime", "fruit"), &NO_LIMIT).await.unwrap();
    assert_eq!(model.counts(), (asked.0 + 1, asked.1 + 1));
    // The same endpoint with another model is another one.
    let other = ModelClient::new(Endpoint::new("scripted", &model.base_url(), "other"));
    assert_ne!(other.endpoint_key(), next.endpoint_key());
    assert_eq!(first.endpoint_key(), next.endpoint_key());

    let (_model, client) = client(ModelFault::None, 1).await;
    let refused = client.ask(&prompt("a thing", "nothing known"), &NO_LIMIT).await.unwrap_err();
    assert_eq!(refused.status(), Some(400), "{refused}");
    assert_eq!(client.ask(&prompt("lime", "fruit"), &NO_LIMIT).await.unwrap().mode, "logprobs");
}

#[tokio::test]
async fn several_samples_stand_in_for_probabilities() {
    for fault in [ModelFault::NoLogprobs, ModelFault::OnlyPlain] {
        let (model, client) = client(fault, 5).await;
        let unknown = client.key(&prompt("lime", "fruit"));
        // The first answer tells that there are no probabilities, and is no sample.
        for samples in [6, 5] {
            let before = model.counts().1;
            let sampled = client.ask(&prompt("lime", "fruit"), &NO_LIMIT).await.unwrap();
            assert_eq!((sampled.reply, sampled.yes, sampled.mode), (Reply::Yes, Some(5.5 / 6.0), "samples"));
            assert_eq!(model.counts().1 - before, samples, "{fault:?}");
            assert_eq!(sampled.cost, sampled.usage.input * 100 + sampled.usage.output * 400);
            assert!(sampled.call == client.key(&prompt("lime", "fruit")) && sampled.call != unknown);
        }
        // What was drawn when the budget ended is an answer.
        let some = client.ask(&prompt("lime", "cheese"), &Noting::up_to(3)).await.unwrap();
        assert_eq!((some.reply, some.yes), (Reply::No, Some(0.5 / 4.0)));
        assert_ne!(some.call, client.key(&prompt("lime", "cheese")), "it is not an answer of five samples");
        let none = client.ask(&prompt("lime", "cheese"), &Noting::up_to(0)).await.unwrap_err();
        assert!(matches!(none, Error::OverBudget(_)), "{none}");
    }
    // The answer by which it is found out that there are no probabilities stands where the budget ends with it; another error is an error.
    let (model, fresh) = client(ModelFault::SilentLogprobs, 5).await;
    let plain = fresh.ask(&prompt("lime", "fruit"), &Noting::up_to(1)).await.unwrap();
    assert_eq!((plain.reply, plain.yes, model.counts().1), (Reply::Yes, None, 1));
    assert_ne!(plain.call, fresh.key(&prompt("lime", "fruit")));
    let (model, gone) = client(ModelFault::NoLogprobs, 5).await;
    gone.ask(&prompt("lime", "fruit"), &NO_LIMIT).await.unwrap();
    let failing = async {
        while model.counts().1 < 8 {
            tokio::task::yield_now().await;
        }
        model.change(|script| script.fault = ModelFault::Gone);
    };
    let asked = prompt("lime", "cheese");
    let (failed, ()) = tokio::join!(gone.ask_counted(&asked, &NO_LIMIT), failing);
    assert_eq!(failed.1.unwrap_err().status(), Some(500));
    assert!(failed.0.tokens() > 0, "what was drawn is counted");
    // One that states probabilities is asked once.
    let (model, client) = client(ModelFault::None, 5).await;
    let answered = client.ask(&prompt("lime", "fruit"), &NO_LIMIT).await.unwrap();
    assert_eq!((answered.mode, model.counts().1), ("logprobs", 1));
}

/// Nothing is sent before the most that it can use, beside what earlier attempts have used, is written down.
#[tokio::test]
async fn every_attempt_is_reserved_before_it_is_sent() {
    let (model, client) = client(ModelFault::Broken, 1).await;
    let asked = prompt("lime", "fruit");
    let budget = Noting::up_to(1);
    let (used, stopped) = client.ask_counted(&asked, &budget).await;
    assert!(matches!(stopped, Err(Error::OverBudget(_))), "{stopped:?}");
    let first = budget.reserved.lock().unwrap()[0];
    // It may have been computed.
    assert_eq!((model.counts().0, used), (1, first));
    // The next request is answered, and the one after it is broken.
    client.ask(&asked, &NO_LIMIT).await.unwrap();
    let budget = Noting::up_to(5);
    let (used, answer) = client.ask_counted(&asked, &budget).await;
    let reserved = budget.reserved.lock().unwrap().clone();
    assert_eq!(reserved, [first, first.plus(first)]);
    assert!(used.tokens() > first.tokens() && used.tokens() < reserved[1].tokens());
    assert_eq!(answer.unwrap().usage, used);
}

/// An endpoint that reports nonsense does not use up a budget for ever; one that uses more than it was allowed is believed.
#[tokio::test]
async fn reported_usage_is_believed_within_reason() {
    let (model, client) = client(ModelFault::Reports(u64::MAX), 1).await;
    let budget = Noting::up_to(5);
    let (used, answer) = client.ask_counted(&prompt("lime", "fruit"), &budget).await;
    assert_eq!((used, answer.unwrap().reply), (budget.reserved.lock().unwrap()[0], Reply::Yes));
    model.change(|script| script.fault = ModelFault::Reports(5_000));
    let (used, answer) = client.ask_counted(&prompt("lime", "fruit"), &budget).await;
    assert_eq!((used.input, answer.unwrap().reply), (5_000, Reply::Yes));
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
        assert!(client.ask_counted(&prompt("lime", "fruit"), &NO_LIMIT).await.0.tokens() > 0);
    }
    let (model, client) = client(ModelFault::None, 1).await;
    model.change(|script| script.key = Some("another".into()));
    let error = client.ask(&prompt("lime", "fruit"), &NO_LIMIT).await.unwrap_err();
    assert!(matches!(error, Error::Refused { status: 401, .. }));
    assert!(!error.to_string().contains(KEY), "{error}");
}
