//! The Recruit page, as an owner uses it without scripts; and what must never be on it.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt as _;
use grove_crowd::{Crowds, Endpoint, Secret, TokenPrice};
use grove_sandbox::{Browser, ModelFault, Page, SandboxOptions};
use grove_server::add_owner;

use crate::world::{KEY, Knowing, World, model, seldom, until};

async fn logged_in(world: &World, name: &str) -> Browser {
    let mut browser = Browser::default();
    let page = browser.open(&format!("{}/login", world.url)).await.unwrap();
    let page = post(&mut browser, &page, "/login", &[("name", name), ("password", "a long password")]).await;
    assert_eq!(page.status, 200, "{}", page.html);
    browser
}

async fn post(browser: &mut Browser, from: &Page, action: &str, fields: &[(&str, &str)]) -> Page {
    let fields: Vec<(String, String)> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    browser.post(from, action, &fields).await.unwrap()
}

const STUDY: [(&str, &str); 8] = [
    ("connection", "local"),
    ("title", "Is a lime a fruit?"),
    ("description", "Short questions."),
    ("people", "6"),
    ("questions", "8"),
    ("minutes", "5"),
    ("reward", "1.01"),
    ("budget", "20.00"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_recruits_without_scripts() {
    let world = World::new(SandboxOptions::default(), None).await;
    let mut owner = logged_in(&world, "ann").await;
    let recruit = format!("{}/campaigns/{}/recruit", world.url, world.campaign);
    let page = owner.open(&recruit).await.unwrap();
    assert!(page.html.contains("Nobody is recruited yet") && page.html.contains("Draft the study"));

    // What makes no sense is named beside its field, and the rest is kept.
    let mut wrong = STUDY;
    wrong[3].1 = "many";
    let refused = post(&mut owner, &page, &format!("{recruit}/studies"), &wrong).await;
    assert_eq!(refused.status, 400);
    assert!(refused.html.contains("people-error") && refused.html.contains("Is a lime a fruit?"));
    let mut wrong = STUDY;
    wrong[0].1 = "another";
    let refused = post(&mut owner, &page, &format!("{recruit}/studies"), &wrong).await;
    assert!(refused.status == 400 && refused.html.contains("ask the operator"), "{}", refused.html);

    let draft = post(&mut owner, &page, &format!("{recruit}/studies"), &STUDY).await;
    // Rewards of 6.06, a fee of 2.02 (33.3 %), and a tax of 0.40 (20 % of that).
    assert!(draft.html.contains("8.48") && draft.html.contains("12.12"), "{}", draft.html);
    let own = draft.url.clone();
    let refused = post(&mut owner, &draft, &format!("{own}/study/publish"), &[]).await;
    assert!(refused.status == 400 && refused.html.contains("Agree to the price"), "{}", refused.html);
    let refused = post(&mut owner, &draft, &format!("{own}/study/publish"), &[("agreed", "8.47")]).await;
    assert!(refused.status == 409 && refused.html.contains("not 8.47"), "{}", refused.html);
    let page = post(&mut owner, &draft, &format!("{own}/study/publish"), &[("agreed", "8.48")]).await;
    assert!(page.status == 200 && page.html.contains("Published"), "{}", page.html);

    let access = world.access().await;
    let study = access.panels().await.unwrap()[0].panel.study.clone().unwrap();
    let people = (0..6).map(|_| world.sandbox.take_part(&study, &Knowing { errors: 5 }));
    let done: Vec<_> = futures_util::stream::iter(people).buffer_unordered(6).collect().await;
    assert!(done.into_iter().all(|one| one.unwrap().is_some()));
    let page = post(&mut owner, &page, &format!("{own}/sync"), &[]).await;
    assert!(page.html.contains("Waits for approval") && page.html.contains("Approve all who answered"));

    // Decisions are carried out in the background.
    post(&mut owner, &page, &format!("{own}/approve-all"), &[]).await;
    until("everybody is approved", async || world.sandbox.ledger().rewards.len() == 6).await;
    let nobody =
        post(&mut owner, &page, &format!("{own}/decide"), &[("do", "bonus"), ("amount", "0.25")]).await;
    assert!(nobody.status == 400 && nobody.html.contains("Tick somebody first"));
    let one = world.sandbox.submissions(&study)[0].id.clone();
    let bonus = [("submission", one.as_str()), ("do", "bonus"), ("amount", "0.25")];
    let page = post(&mut owner, &page, &format!("{own}/decide"), &bonus).await;
    assert_eq!(page.status, 200, "{}", page.html);
    until("the bonus is paid", async || world.sandbox.ledger().bonuses.contains_key(&one)).await;
    assert_eq!(world.sandbox.ledger().bonuses[&one], [25]);

    // Places are added within the budget.
    let refused = post(&mut owner, &page, &format!("{own}/study/grow"), &[("places", "60")]).await;
    assert!(refused.status == 409 && refused.html.contains("above its budget"), "{}", refused.html);
    let grown = post(&mut owner, &page, &format!("{own}/study/grow"), &[("places", "8")]).await;
    assert_eq!(grown.status, 200, "{}", grown.html);
    let limits = [("most_places", "8"), ("budget", "30.00"), ("approve", "yes")];
    let page = post(&mut owner, &grown, &format!("{own}/limits"), &limits).await;
    assert!(page.html.contains("30.00") && page.html.contains("checked"), "{}", page.html);
    let page = post(&mut owner, &page, &format!("{own}/study/pause"), &[]).await;
    assert!(page.html.contains("Paused"), "{}", page.html);
    let page = post(&mut owner, &page, &format!("{own}/study/resume"), &[]).await;
    let page = post(&mut owner, &page, &format!("{own}/study/stop"), &[]).await;
    assert!(!page.html.contains(">Stop<"), "{}", page.html);

    // The same through the API.
    let api = format!("{}/api/v1/campaigns/{}/panels", world.url, world.campaign);
    let listed: serde_json::Value = serde_json::from_str(&owner.open(&api).await.unwrap().html).unwrap();
    assert_eq!((listed[0]["approved"].as_u64(), listed[0]["finished"].as_u64()), (Some(6), Some(6)));
    assert_eq!(listed[0]["people"].as_array().unwrap().len(), 6);
    let quote = format!("{api}/{}/quote", listed[0]["id"].as_str().unwrap());
    let quote: serde_json::Value = serde_json::from_str(&owner.open(&quote).await.unwrap().html).unwrap();
    assert_eq!(quote["places"], 8);
    // What the page shows as spent is what the panel has charged, to the cent.
    assert_eq!(quote["spent_cents"].as_i64().unwrap(), world.sandbox.ledger().charged);

    // Somebody else sees nothing of it.
    add_owner(world.workspace.store(), "bob", "a long password").await.unwrap();
    let mut other = logged_in(&world, "bob").await;
    for hidden in [&recruit, &own, &api] {
        assert_eq!(other.open(hidden).await.unwrap().status, 404, "{hidden}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_adds_any_panel_and_people_get_their_data() {
    let world = World::new(SandboxOptions::default(), None).await;
    let mut owner = logged_in(&world, "ann").await;
    let recruit = format!("{}/campaigns/{}/recruit", world.url, world.campaign);
    let page = owner.open(&recruit).await.unwrap();
    let fields = [
        ("name", "Class <b>"),
        ("id_parameter", "participantId"),
        ("questions", "2"),
        ("code", "C0DE"),
        ("redirect", "javascript:alert('{code}')"),
        ("reward", "1,50"),
    ];
    let refused = post(&mut owner, &page, &format!("{recruit}/panels"), &fields).await;
    assert!(refused.status == 400 && refused.html.contains("redirect-error"), "{}", refused.html);
    let mut fields = fields;
    fields[4].1 = "http://panel.invalid/done?cc={code}";
    let page = post(&mut owner, &page, &format!("{recruit}/panels"), &fields).await;
    assert!(page.html.contains("Class &#60;b&#62;") && page.html.contains("participantId="), "{}", page.html);
    let id = page.url.rsplit('/').next().unwrap().to_owned();

    let visit = grove_sandbox::Visit {
        url: format!("{}/p/{id}?participantId=ada", world.url),
        submission: String::new(),
        participant: "ada".into(),
        study: String::new(),
    };
    let code = grove_sandbox::Participant::new(visit.clone()).answer(&Knowing { errors: 0 }).await.unwrap();
    assert_eq!(code, "C0DE");
    let shown = owner.open(&page.url).await.unwrap();
    assert!(shown.html.contains(">ada<") && shown.html.contains("1.50"), "{}", shown.html);

    // The person's own data, in their own browser and nobody else's.
    let mut browser = Browser::default();
    browser.open(&visit.url).await.unwrap();
    let data = browser.open(&format!("{}/w/{id}/data", world.url)).await.unwrap();
    let data: serde_json::Value = serde_json::from_str(&data.html).unwrap();
    assert_eq!(data["answers"].as_array().unwrap().len(), 2);
    assert_eq!(data["panels"][0]["person"], "ada");
    assert_eq!(Browser::default().open(&format!("{}/w/{id}/data", world.url)).await.unwrap().status, 403);
    // The owner can hand it out too, until the worker is erased.
    let worker = data["worker"].as_str().unwrap();
    let of_worker = format!("{}/campaigns/{}/workers/data?worker={worker}", world.url, world.campaign);
    assert!(owner.open(&of_worker).await.unwrap().html.contains("ada"));
    let access = world.access().await;
    access.erase_worker(&grove_store::WorkerId::new(worker).unwrap()).await.unwrap();
    assert!(!owner.open(&of_worker).await.unwrap().html.contains("ada"));

    // Somebody who came and did nothing can be erased as well.
    Browser::default().open(&visit.url.replace("ada", "ben")).await.unwrap();
    let panel = access.panels().await.unwrap().remove(0);
    let ben = panel.people.into_iter().find(|one| one.person.person == "ben").unwrap().person.worker;
    access.erase_worker(&ben).await.unwrap();
    assert!(!owner.open(&page.url).await.unwrap().html.contains(">ben<"));
}

/// The paragraph for a paper is on the page, and in the API. A service that does not answer leaves a gap in it, with the reason beside it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_methods_paragraph_can_be_copied() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let access = world.access().await;
    let mut owner = logged_in(&world, "ann").await;
    let recruit = format!("{}/campaigns/{}/recruit", world.url, world.campaign);
    assert!(
        !owner.open(&recruit).await.unwrap().html.contains("methods-text"),
        "there is nothing to tell yet"
    );
    let (id, study) = world.study(2, 2).await;
    world.people(&study, 2).await;
    for _ in 0..2 {
        access.sync_study(id).await.unwrap();
        access.approve_all(id).await.unwrap();
    }
    access.sync_study(id).await.unwrap();
    // 2.02 to people, a fee of 0.67 and a tax of 0.13.
    let cost = "Recruiting through local cost 2.82 GBP including fees.";
    let page = owner.open(&recruit).await.unwrap().html;
    assert!(
        page.contains("by 2 people recruited through local (up to 2 questions each") && page.contains(cost)
    );
    assert!(page.contains("data-copy=\"methods-text\"") && !page.contains("leaves out"), "{page}");
    let api = format!("{}/api/v1/campaigns/{}/methods", world.url, world.campaign);
    let methods = async |owner: &mut Browser| -> serde_json::Value {
        serde_json::from_str(&owner.open(&api).await.unwrap().html).unwrap()
    };
    let told = methods(&mut owner).await;
    assert!(told["text"].as_str().unwrap().contains(cost), "{told}");
    assert_eq!((&told["votes"], &told["model_votes"]), (&4.into(), &0.into()));
    assert_eq!((&told["panels"][0]["cost_cents"], &told["problems"]), (&282.into(), &serde_json::json!([])));
    assert!(told["certainty"].as_f64().is_some_and(|certainty| (0.0..=1.0).contains(&certainty)), "{told}");

    let (_, study) = world.study(2, 2).await;
    world.people(&study, 1).await;
    world.sandbox.change(|options| options.token = "another".to_owned());
    let page = owner.open(&recruit).await.unwrap();
    assert!(page.status == 200 && page.html.contains(cost), "{}", page.html);
    assert!(page.html.contains("says 401") && page.html.contains("leaves out what was spent there"));
    let told = methods(&mut owner).await;
    assert_eq!(
        (&told["panels"][1]["people"], &told["panels"][1]["cost_cents"]),
        (&1.into(), &serde_json::Value::Null)
    );
    assert_eq!(told["problems"].as_array().unwrap().len(), 1, "{told}");
}

/// What the program logs, all of it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_asked_from_the_page_and_no_key_is_anywhere() {
    let log = Log::default();
    let writer = log.clone();
    let logging =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone());
    tracing::subscriber::set_global_default(logging.finish()).unwrap();
    let model = model(ModelFault::None).await;
    let mut small = Endpoint::new("small", &model.base_url(), "scripted");
    small.key = Some(Secret::new(KEY, "the test").unwrap());
    small.price = TokenPrice::per_million(1.0, 4.0).unwrap();
    // The key is wrong here, and the endpoint repeats it in its refusal.
    let mut wrong = Endpoint::new("wrong", &model.base_url(), "another");
    wrong.key = Some(Secret::new(&format!("{KEY}-too"), "the test").unwrap());
    let crowds = Crowds::default().with_model(small).with_model(wrong);
    let world = World::with(SandboxOptions::default(), crowds, |_| {}).await;
    let mut owner = logged_in(&world, "ann").await;
    let campaign = format!("{}/campaigns/{}", world.url, world.campaign);
    let page = owner.open(&format!("{campaign}/recruit")).await.unwrap();
    let refused =
        post(&mut owner, &page, &format!("{campaign}/recruit/models"), &[("endpoint", "none")]).await;
    assert!(refused.status == 400 && refused.html.contains("ask the operator"), "{}", refused.html);
    let ask = [("endpoint", "small"), ("questions", "12"), ("budget", "0.50")];
    post(&mut owner, &page, &format!("{campaign}/recruit/models"), &ask).await;
    let access = world.access().await;
    let has_ended = async || access.model_run().unwrap().is_some_and(|run| run.ended.is_some());
    until("the model has answered", has_ended).await;
    let shown = owner.open(&format!("{campaign}/recruit")).await.unwrap();
    assert!(shown.html.contains("12 answered") && shown.html.contains("scripted-1"), "{}", shown.html);
    // People are paid by the vote, models are not.
    assert!(access.payments().await.unwrap().is_empty());
    post(&mut owner, &page, &format!("{campaign}/recruit/models"), &[("endpoint", "wrong")]).await;
    until("the model has refused", has_ended).await;
    let failed = owner.open(&format!("{campaign}/recruit")).await.unwrap();
    assert!(failed.html.contains("says 401"), "{}", failed.html);

    // A study from draft to approved; and then a token that the panel no longer takes, and repeats in its refusal.
    let token = world.sandbox.token();
    let draft = post(&mut owner, &page, &format!("{campaign}/recruit/studies"), &STUDY).await;
    let own = draft.url.clone();
    let published = post(&mut owner, &draft, &format!("{own}/study/publish"), &[("agreed", "8.48")]).await;
    assert!(published.html.contains("Published"), "{}", published.html);
    let study = access.panels().await.unwrap()[0].panel.study.clone().unwrap();
    world.people(&study, 2).await;
    post(&mut owner, &published, &format!("{own}/sync"), &[]).await;
    post(&mut owner, &published, &format!("{own}/approve-all"), &[]).await;
    until("both are approved", async || world.sandbox.ledger().rewards.len() == 2).await;
    world.sandbox.change(|options| options.token = "another".to_owned());
    let refused = post(&mut owner, &published, &format!("{own}/sync"), &[]).await;
    assert!(refused.html.contains("says 401"), "{}", refused.html);
    // The server finds out by itself too, and says so in the log.
    let logged = || String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    post(&mut owner, &published, &format!("{own}/approve-all"), &[]).await;
    until("the refusal is logged", async || logged().contains("could not be brought up to date")).await;

    let mut seen = vec![shown.html, failed.html, draft.html, published.html, refused.html];
    for path in ["", "/progress", "/workers", "/recruit", "/history", "/settings", "/export"] {
        seen.push(owner.open(&format!("{campaign}{path}")).await.unwrap().html);
    }
    let api = format!("{}/api/v1/campaigns/{}", world.url, world.campaign);
    for path in ["", "/models", "/panels", "/methods", "/workers", "/votes", "/history", "/export/csv"] {
        let page = owner.open(&format!("{api}{path}")).await.unwrap();
        assert_eq!(page.status, 200, "{path}: {}", page.html);
        seen.push(page.html);
    }
    let copy = world.database.with_extension("copy");
    world.workspace.store().backup(&copy).await.unwrap();
    seen.push(String::from_utf8_lossy(&std::fs::read(&copy).unwrap()).into_owned());
    std::fs::remove_file(&copy).unwrap();
    let logged = logged();
    assert!(logged.contains("says 401") && logged.contains("Invalid token: Token (hidden)"), "{logged}");
    seen.push(logged);
    for text in seen {
        for secret in [KEY, &token, &world.sandbox.hook_secret()] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}
