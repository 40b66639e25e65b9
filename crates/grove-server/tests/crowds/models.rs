//! Language models as workers of a campaign, against a scripted one that misbehaves.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use grove_campaign::operations::{Access, Caller, Workspace};
use grove_campaign::{EngineSetting, NewConcept, Settings, SystemClock};
use grove_crowd::{Backoff, Crowds, Endpoint, ModelClient, Secret, TokenPrice};
use grove_sandbox::{ModelFault, ScriptedModel};
use grove_store::Store;
use grove_vocabulary::{Form, Reply, Screen};

use crate::world::{FOOD, KEY, is_above, model, new_database};

struct Setting {
    model: ScriptedModel,
    workspace: Workspace,
    access: Access,
    database: PathBuf,
}

impl Drop for Setting {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.database.display()));
        }
    }
}

impl Setting {
    async fn new(fault: ModelFault, most_tokens: Option<u64>) -> Self {
        Self::asking(Form::YesNo, fault, most_tokens).await
    }

    async fn asking(form: Form, fault: ModelFault, most_tokens: Option<u64>) -> Self {
        let model = model(fault).await;
        let endpoints = ["one", "two"].map(|name| {
            let mut endpoint = Endpoint::new(name, &model.base_url(), "scripted");
            endpoint.key = Some(Secret::new(KEY, "the test").unwrap());
            endpoint.price = TokenPrice::per_million(1.0, 4.0).unwrap();
            endpoint.most_tokens = most_tokens;
            endpoint
        });
        let crowds = endpoints.into_iter().fold(Crowds::default(), Crowds::with_model);
        let database = new_database();
        let store = Store::open(database.to_str().unwrap()).await.unwrap();
        let workspace = Workspace::new(store, Arc::new(SystemClock)).with_crowds(crowds);
        let settings = Settings {
            engine: EngineSetting::Ensemble { trees: Some(32), moves: None },
            language: "en".to_owned(),
            forms: vec![form],
            seed: 1,
            ..Settings::default()
        };
        let concepts: Vec<NewConcept> = FOOD.iter().map(|(name, _)| NewConcept::named(name)).collect();
        let campaign =
            workspace.create_campaign(&Caller::local(), "food", settings, &concepts).await.unwrap();
        let access = workspace.campaign(Caller::local(), campaign).await.unwrap();
        Self { model, workspace, access, database }
    }

    async fn client(&self, name: &str) -> Arc<ModelClient> {
        let quick =
            Backoff { first: Duration::from_millis(1), longest: Duration::from_millis(50), attempts: 12 };
        let client = self.access.model_client(name, None).await.unwrap();
        Arc::new(client.with_patience(quick, Duration::from_secs(20)))
    }

    /// What the first model has used.
    async fn tokens(&self) -> u64 {
        let campaign = self.access.campaign().unwrap().id();
        self.workspace.store().model_spending(campaign, "one").await.unwrap().tokens.unsigned_abs()
    }

    /// The same campaign in another program.
    async fn elsewhere(&self) -> (Workspace, Access) {
        let store = Store::open(self.database.to_str().unwrap()).await.unwrap();
        let workspace =
            Workspace::new(store, Arc::new(SystemClock)).with_crowds(self.workspace.crowds().clone());
        let id = self.access.campaign().unwrap().id();
        let access = workspace.open(Caller::local(), id).await.unwrap();
        (workspace, access)
    }

    /// The votes that count, and on how many different screens they are.
    fn votes(&self) -> (usize, usize) {
        let state = self.access.state().unwrap();
        let screens: Vec<_> = state.votes().alive().map(|vote| vote.response.screen.clone()).collect();
        (screens.len(), screens.into_iter().collect::<HashSet<_>>().len())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_is_lost_or_doubled_whatever_the_endpoint_does() {
    for fault in [
        ModelFault::None,
        ModelFault::NoLogprobs,
        ModelFault::OnlyPlain,
        ModelFault::Busy,
        ModelFault::Broken,
        ModelFault::Slow(50),
    ] {
        let setting = Setting::new(fault, None).await;
        let run = setting.access.ask_model(setting.client("one").await, 12).await.unwrap();
        assert_eq!((run.asked, run.cached), (12, 0), "{fault:?}: {}", run.ended);
        assert_eq!(setting.votes(), (12, 12), "{fault:?}");
        // Later, other questions; none of the first again.
        let run = setting.access.ask_model(setting.client("one").await, 5).await.unwrap();
        assert_eq!((run.asked, setting.votes()), (5, (17, 17)), "{fault:?}");
        let calls =
            setting.workspace.store().calls_of(setting.access.campaign().unwrap().id()).await.unwrap();
        assert_eq!((calls.len(), setting.model.counts().1), (17, 17), "{fault:?}");
        let used: i64 = calls.iter().map(|call| call.input + call.output).sum();
        // Attempts that came to nothing are paid for too.
        assert_eq!(u64::try_from(used).unwrap(), run.tokens, "{fault:?}");
        setting.workspace.stop_all().await;
    }
}

/// Whether a reply is the right one, by the hierarchy.
fn is_right(screen: &Screen<String>, reply: &Reply<String>) -> bool {
    match (screen, reply) {
        (Screen::Pick { lower, options }, Reply::Picked(picked)) => {
            let is_nearer = |other: &String| is_above(other, lower) && is_above(picked, other);
            is_above(picked, lower) && !options.iter().any(is_nearer)
        }
        (Screen::Pick { lower, options }, Reply::None) => !options.iter().any(|upper| is_above(upper, lower)),
        (Screen::Tick { upper, options }, Reply::Ticked(ticked)) => {
            options.iter().all(|lower| is_above(upper, lower) == ticked.contains(lower))
        }
        (Screen::Tick { upper, options }, Reply::None) => !options.iter().any(|lower| is_above(upper, lower)),
        (Screen::Place { lower }, Reply::Under(upper)) => {
            FOOD.contains(&(lower.as_str(), Some(upper.as_str())))
        }
        (Screen::Place { lower }, Reply::Top) => FOOD.contains(&(lower.as_str(), None)),
        _ => false,
    }
}

/// A model that knows everything gives the right answer in every form, in whatever way it can be asked, and its answers become votes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_answers_every_form() {
    for form in [Form::Pick, Form::Tick, Form::Place] {
        for (fault, mode) in [(ModelFault::None, "structured"), (ModelFault::OnlyPlain, "plain")] {
            let setting = Setting::asking(form, fault, None).await;
            setting.model.change(|script| (script.top_error, script.leaf_error) = (0.0, 0.0));
            let run = setting.access.ask_model(setting.client("one").await, 8).await.unwrap();
            assert_eq!((run.asked, run.cached), (8, 0), "{form:?}, {fault:?}: {}", run.ended);
            let calls = setting.access.model_calls().await.unwrap();
            assert!(calls.len() == 8 && calls.iter().all(|call| call.mode == mode), "{calls:?}");
            let state = setting.access.state().unwrap();
            for call in &calls {
                let name = |number: u32| state.name_of(number).to_owned();
                let screen = serde_json::from_str::<Screen<u32>>(&call.screen).unwrap().map(name);
                let reply = serde_json::from_str::<Reply<u32>>(&call.reply).unwrap().map(name);
                assert!(screen.form() == form && is_right(&screen, &reply), "{screen:?}: {reply:?}");
            }
            drop(state);
            assert_eq!(setting.votes(), (8, 8), "{form:?}, {fault:?}");
            setting.workspace.stop_all().await;
        }
    }
}

/// Fewer questions than there are pairs are chosen by what they tell; they are no part of a list in order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_asked_about_every_pair_where_that_is_allowed() {
    let setting = Setting::new(ModelFault::None, None).await;
    setting.model.change(|script| (script.top_error, script.leaf_error) = (0.02, 0.02));
    let pairs = FOOD.len() * (FOOD.len() - 1);
    setting.access.ask_model(setting.client("one").await, pairs as u64 / 2).await.unwrap();
    assert_eq!(setting.votes(), (pairs / 2, pairs / 2));
    let run = setting.access.ask_model(setting.client("one").await, 10_000).await.unwrap();
    assert_eq!((run.asked as usize, setting.votes()), (pairs - pairs / 2, (pairs, pairs)));
    assert!(run.ended.contains("everything that is worth asking"), "{}", run.ended);
    // The hierarchy is built from all of them.
    let follower = setting.access.campaign().unwrap().follower().await.unwrap();
    let belief = follower.belief().unwrap();
    let right = FOOD.iter().zip(1..).filter(|&(&(_, parent), child)| {
        let held = belief.parents(grove_tree::Concept::new(child))[0].0;
        FOOD.iter().position(|(name, _)| Some(*name) == parent).map_or(0, |at| at + 1) == held.index()
    });
    assert!(right.count() * 10 >= FOOD.len() * 8);
    drop(follower);
    setting.workspace.stop_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_of_a_model_is_no_second_voice_and_costs_nothing() {
    let setting = Setting::new(ModelFault::None, None).await;
    setting.access.ask_model(setting.client("one").await, 12).await.unwrap();
    let asked = setting.model.counts().1;
    let run = setting.access.ask_model(setting.client("two").await, 12).await.unwrap();
    // The belief has moved on, so some of the best questions are others now.
    assert_eq!(run.asked + run.cached, 12);
    assert_eq!(setting.model.counts().1, asked + run.asked);
    let (votes, screens) = setting.votes();
    assert_eq!(votes, screens);
    let state = setting.access.state().unwrap();
    assert!(state.votes().alive().all(|vote| vote.response.worker.as_str().starts_with("models, ")));
    drop(state);
    let reports = setting.access.model_reports().await.unwrap();
    assert_eq!(reports.iter().map(|one| one.answers).collect::<Vec<_>>(), [12, 12]);
    assert!(
        reports.iter().all(|one| one.models == ["scripted-1"] && one.yes + one.no == 12 && one.changed <= 12)
    );
    setting.workspace.stop_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn budgets_and_broken_endpoints_end_it_with_a_clear_message() {
    let setting = Setting::new(ModelFault::None, Some(2_000)).await;
    let run = setting.access.ask_model(setting.client("one").await, 1_000).await.unwrap();
    assert!(run.ended.contains("budget of 2000 tokens"), "{}", run.ended);
    assert!(run.tokens <= 2_000 && run.asked > 0);
    // What was spent is remembered, and there is soon room for not even one question more.
    let mut rounds = 0;
    loop {
        let again = setting.access.ask_model(setting.client("one").await, 1_000).await.unwrap();
        assert!((run.tokens..=2_000).contains(&again.tokens));
        if again.asked == 0 {
            break;
        }
        rounds += 1;
        assert!(rounds < 20);
    }
    setting.workspace.stop_all().await;

    let setting = Setting::new(ModelFault::Gone, None).await;
    let gone = setting.access.ask_model(setting.client("one").await, 10).await.unwrap_err().to_string();
    assert!(gone.contains("says 500") && !gone.contains(KEY), "{gone}");
    assert_eq!(setting.votes(), (0, 0));
    // What may have been computed is counted, also by a program that starts later.
    let used = setting.tokens().await;
    assert!(used > 0);
    let reports = setting.access.model_reports().await.unwrap();
    assert_eq!((reports[0].answers, reports[0].tokens), (0, used));
    let unknown = setting.access.model_client("three", None).await.map(drop).unwrap_err().to_string();
    assert!(unknown.contains("three"), "{unknown}");

    let copy = setting.database.with_extension("copy");
    setting.model.change(|script| script.fault = ModelFault::None);
    setting.access.ask_model(setting.client("one").await, 3).await.unwrap();
    setting.workspace.store().backup(&copy).await.unwrap();
    let bytes = std::fs::read(&copy).unwrap();
    std::fs::remove_file(&copy).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("scripted-1") && !holds(KEY));
    setting.workspace.stop_all().await;
}

/// Two programs ask the same model at the same time, and one of them is killed again and again. What the model charges for is never more than the budget.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_holds_over_programs_and_restarts() {
    // Less than all pairs need.
    const MOST: u64 = 4_000;
    let setting = Setting::new(ModelFault::Slow(20), Some(MOST)).await;
    let (_other, elsewhere) = setting.elsewhere().await;
    for round in 0..30 {
        let ask = async |access: &Access| {
            let client = Arc::new(access.model_client("one", None).await.unwrap());
            access.ask_model(client, 1_000).await
        };
        // The first is left in the middle of its questions.
        let patience = Duration::from_millis(30 + 7 * round % 50);
        let (killed, other) = tokio::join!(
            tokio::time::timeout(patience, ask(&setting.access)),
            tokio::time::timeout(Duration::from_secs(20), ask(&elsewhere)),
        );
        let is_over = other.unwrap().unwrap();
        assert!(is_over.ended.contains("budget of 4000 tokens"), "{}", is_over.ended);
        let (charged, used) = (setting.model.tokens(), setting.tokens().await);
        assert!(charged <= used && used <= MOST, "{charged} {used}");
        if killed.is_ok() {
            break;
        }
    }
    assert!(setting.model.tokens() > 200, "{}", setting.model.tokens());
    assert_eq!(setting.workspace.store().doctor().await.unwrap(), []);
    setting.workspace.stop_all().await;
}

/// What an endpoint does not support is found out once, by whichever program asks first, until somebody wants it found out again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_endpoint_supports_is_remembered() {
    let setting = Setting::new(ModelFault::OnlyPlain, None).await;
    let run = setting.access.ask_model(setting.client("one").await, 4).await.unwrap();
    assert_eq!(run.asked, 4, "{}", run.ended);
    let refused = || {
        let (came, answered) = setting.model.counts();
        came - answered
    };
    let found_out = refused();
    assert!(found_out >= 6);
    let (_other, elsewhere) = setting.elsewhere().await;
    let client = Arc::new(elsewhere.model_client("one", None).await.unwrap());
    let run = elsewhere.ask_model(client, 4).await.unwrap();
    assert_eq!((run.asked, refused()), (4, found_out), "{}", run.ended);
    // The other model is the same endpoint: it knows the answers too, since it is asked in the same way.
    let run = setting.access.ask_model(setting.client("two").await, 90).await.unwrap();
    assert_eq!((run.cached, refused()), (8, found_out), "{}", run.ended);
    // The endpoint has learnt to state probabilities.
    setting.model.change(|script| script.fault = ModelFault::None);
    let modes = async || -> HashSet<String> {
        let calls = setting.access.model_calls().await.unwrap();
        calls.into_iter().map(|call| call.mode).collect()
    };
    assert_eq!(modes().await, HashSet::from(["plain".to_owned()]));
    setting.access.probe_model_again("one").await.unwrap();
    setting.access.ask_model(setting.client("one").await, 2).await.unwrap();
    assert_eq!(modes().await, HashSet::from(["plain".to_owned(), "logprobs".to_owned()]));
    let unknown = setting.access.probe_model_again("three").await.unwrap_err().to_string();
    assert!(unknown.contains("three"), "{unknown}");
    setting.workspace.stop_all().await;
}

/// A model without probabilities is asked several times where the operator wants it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn samples_are_taken_where_the_operator_wants_them() {
    let mut setting = Setting::new(ModelFault::NoLogprobs, None).await;
    let endpoints = setting.workspace.crowds().models_for(None).cloned().map(|mut endpoint| {
        endpoint.samples = 3;
        endpoint
    });
    let crowds = endpoints.fold(Crowds::default(), Crowds::with_model);
    let store = setting.workspace.store().clone();
    let id = setting.access.campaign().unwrap().id();
    setting.workspace.stop_all().await;
    setting.workspace = Workspace::new(store, Arc::new(SystemClock)).with_crowds(crowds);
    setting.access = setting.workspace.campaign(Caller::local(), id).await.unwrap();
    let run = setting.access.ask_model(setting.client("one").await, 10).await.unwrap();
    assert_eq!((run.asked, setting.votes()), (10, (10, 10)), "{}", run.ended);
    let calls = setting.access.model_calls().await.unwrap();
    assert!(calls.iter().all(|call| call.mode == "samples" && call.yes.is_some()), "{calls:?}");
    // What all samples have used is on record.
    assert_eq!(setting.model.tokens(), run.tokens);
    setting.workspace.stop_all().await;
}

/// An endpoint that goes away in the middle, and comes back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_broken_off_is_taken_up_again() {
    let setting = Setting::new(ModelFault::None, None).await;
    setting.access.ask_model(setting.client("one").await, 8).await.unwrap();
    for fault in [ModelFault::Gone, ModelFault::Slow(3_000)] {
        setting.model.change(|script| script.fault = fault);
        let quick =
            Backoff { first: Duration::from_millis(1), longest: Duration::from_millis(1), attempts: 2 };
        let client = setting.access.model_client("one", None).await.unwrap();
        let client = Arc::new(client.with_patience(quick, Duration::from_millis(300)));
        let before = setting.tokens().await;
        let error = setting.access.ask_model(client.clone(), 8).await.unwrap_err().to_string();
        assert!(error.contains("\"one\"") && !error.contains(KEY), "{error}");
        assert_eq!(setting.votes(), (8, 8), "{fault:?}");
        let after = setting.tokens().await;
        assert!(after > before, "{before} {after}");
    }
    setting.model.change(|script| script.fault = ModelFault::None);
    let run = setting.access.ask_model(setting.client("one").await, 8).await.unwrap();
    assert_eq!((run.asked, setting.votes()), (8, (16, 16)));
    // Words that are no answer are no vote, and are not asked for again.
    setting.model.change(|script| script.fault = ModelFault::OddWords);
    let run = setting.access.ask_model(setting.client("one").await, 4).await.unwrap();
    assert_eq!((run.asked, setting.votes()), (4, (16, 16)));
    // But a model that never says anything else is not asked, and paid, for ever.
    let run = setting.access.ask_model(setting.client("one").await, 1_000).await.unwrap();
    assert!(run.ended.contains("thinks before it answers"), "{}", run.ended);
    assert!((15..=30).contains(&run.asked) && setting.votes() == (16, 16), "{}", run.asked);
    setting.workspace.stop_all().await;
}

/// Who gives the model's answers with its errors is told from those who answer for themselves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_copies_a_model_is_pointed_out() {
    let setting = Setting::new(ModelFault::None, None).await;
    setting.model.change(|script| (script.top_error, script.leaf_error) = (0.25, 0.35));
    setting.access.ask_model(setting.client("one").await, 60).await.unwrap();
    let calls = setting.workspace.store().calls_of(setting.access.campaign().unwrap().id()).await.unwrap();
    let mut votes = String::from("worker,upper,lower,answer\n");
    for call in &calls {
        let screen: Screen<u32> = serde_json::from_str(&call.screen).unwrap();
        let question = screen.question().unwrap();
        let state = setting.access.state().unwrap();
        let [upper, lower] = [question.upper, question.lower].map(|number| state.name_of(number).to_owned());
        let truth = if is_above(&upper, &lower) { "yes" } else { "no" };
        let model = if call.reply.contains("yes") { "yes" } else { "no" };
        votes.push_str(&format!("copier,{upper},{lower},{model}\n"));
        for honest in 0..6 {
            votes.push_str(&format!("honest{honest},{upper},{lower},{truth}\n"));
        }
    }
    let file = grove_formats::Source::new("votes.csv", votes.as_bytes()).unwrap();
    setting.access.import(&file).await.unwrap();
    let campaign = setting.access.campaign().unwrap();
    while campaign.step().await.unwrap() {}
    campaign.check().await.unwrap();
    let workers = setting.access.workers().await.unwrap();
    let of = |name: &str| workers.iter().find(|one| one.worker.as_str() == name).unwrap().clone();
    assert!(of("copier").seems_copied(), "{:?}", of("copier"));
    for honest in (0..6).map(|honest| of(&format!("honest{honest}"))) {
        assert!(honest.copies_model.unwrap() < 0.1, "{honest:?}");
    }
    // The models themselves copy nobody.
    assert!(
        workers
            .iter()
            .filter(|one| one.worker.as_str().starts_with("models"))
            .all(|one| one.copies_model.is_none())
    );
    setting.workspace.stop_all().await;
}
