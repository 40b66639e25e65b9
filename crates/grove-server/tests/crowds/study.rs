//! From draft to approved.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use grove_campaign::operations::recruit::{Doubt, PanelSettings};
use grove_campaign::operations::{Caller, Workspace};
use grove_campaign::{Edit, Status, SystemClock, TargetSetting};
use grove_crowd::{Cents, GenericPanel};
use grove_sandbox::{Answerer, Browser, Filled, Informed, Page, Participant, SandboxOptions, Visit};
use grove_store::{Form, OwnerId, Reply};
use uuid::Uuid;

use crate::world::{FOOD, Knowing, World, seldom, settings, truth, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_people_from_draft_to_approved() {
    let world = World::new(SandboxOptions::default(), None).await;
    let access = world.access().await;
    let id = access.add_panel("first study", Some("local"), settings(8, 40)).await.unwrap();
    access.draft_study(id, &world.url).await.unwrap();
    // A second draft is not made.
    access.draft_study(id, &world.url).await.unwrap();
    let quote = access.quote(id).await.unwrap();
    // 4,040 to people, a fee of 1,345 (33.3 %), and a tax of 269 (20 % of that).
    assert_eq!(quote.cost, Cents(4_040 + 1_345 + 269));
    assert_eq!(
        (quote.hourly, quote.least_hourly, quote.recommended_hourly),
        (Cents(1_212), Cents(800), Cents(1_200))
    );
    assert_eq!((quote.seconds, quote.is_measured, quote.recommended_reward), (300, false, Cents(100)));
    access.publish_study(id, None).await.unwrap();
    access.publish_study(id, None).await.unwrap();
    let study = access.panel(id).await.unwrap().panel.study.unwrap();
    world.subscribe().await;

    let sandbox = &world.sandbox;
    let campaign = world.running().await;
    // Two at once, and then the belief catches up, as it does in the seconds that real people take for an answer.
    // Without that, simulated people put sixty votes before it has counted one, and every question gets asked equally often.
    for _ in 0..20 {
        let people = (0..2).map(|_| sandbox.take_part(&study, &Knowing { errors: 5 }));
        let done: Vec<_> = futures_util::stream::iter(people).buffer_unordered(2).collect().await;
        for one in done {
            assert!(one.unwrap().is_some());
        }
        campaign.settle().await.unwrap();
    }
    sandbox.settle_hooks().await;
    let synced = access.sync_study(id).await.unwrap();
    assert_eq!((synced.approved, synced.paid), (0, 0));
    let view = access.panel(id).await.unwrap();
    assert_eq!((view.tally.came, view.tally.finished, view.tally.to_review), (40, 40, 40));
    assert!(view.people.iter().all(|one| one.votes == 8 && one.person.verified == Some(1)));
    assert!(view.strangers.is_empty() && view.tally.median_seconds.is_some());

    let approved = access.approve_all(id).await.unwrap();
    let suspects: Vec<_> = view.people.iter().filter(|one| one.doubt.is_some()).collect();
    assert_eq!(approved + suspects.len(), 40);
    let rest = suspects.iter().filter_map(|one| one.person.session.clone()).collect();
    access.approve(id, rest).await.unwrap();
    assert_eq!(access.sync_study(id).await.unwrap().approved, 40);
    let theirs = sandbox.submissions(&study);
    assert!(theirs.iter().all(|one| one.status == "APPROVED"));
    let view = access.panel(id).await.unwrap();
    assert_eq!(view.tally.approved, 40);
    assert_eq!(sandbox.ledger().rewards.values().copied().collect::<Vec<_>>(), [1; 40]);
    let panel = crate::world::connection(&sandbox.url(), &sandbox.token(), &sandbox.workspace(), "unused");
    let cost = grove_crowd::Prolific::new(&panel).cost(&study).await.unwrap();
    // What was quoted, what the panel says it cost and what it took from the balance are the same to the cent.
    assert_eq!(cost, quote.cost);
    assert_eq!(sandbox.ledger().charged, 4_040 + 1_345 + 269);
    assert!(cost <= view.settings.study.unwrap().budget);

    let hierarchy = access.hierarchy(None).await.unwrap().hierarchy;
    for (name, parent) in FOOD {
        let entry = hierarchy.entries().iter().find(|entry| entry.name == name).unwrap();
        let above = hierarchy.name(entry.parent);
        assert_eq!(above, parent.unwrap_or("everything"), "{name}");
    }
}

/// The same person comes again: goes on where they were, with other cookies too, and leaves with the same code.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_who_comes_again_is_the_same_person() {
    let world = World::new(SandboxOptions::default(), None).await;
    let access = world.access().await;
    let entry = GenericPanel {
        id_parameter: "participantId".into(),
        kept: vec!["source".into()],
        redirect: Some("http://panel.invalid/done?cc={code}&who={worker}".into()),
        session_parameter: None,
        study_parameter: None,
        reward_cents: 150,
        most_people: Some(2),
        ..GenericPanel::prolific(3, "CODE-A".into(), "CODE-B".into())
    };
    let id = access.add_panel("class", None, PanelSettings { entry, study: None }).await.unwrap();
    let link = format!("{}/p/{}", world.url, id.0.simple());

    let mut browser = Browser::default();
    let lost = browser.open(&link).await.unwrap();
    assert_eq!(lost.status, 400, "{}", lost.html);
    let page = browser.open(&format!("{link}?participantId=ada%40x&source=mail")).await.unwrap();
    assert!(page.html.contains("/start") && page.html.contains("/decline"), "{}", page.html);
    // Votes before the consent do not count.
    let votes =
        || async { access.panel(id).await.unwrap().people.iter().map(|one| one.votes).collect::<Vec<_>>() };
    let visit = |id: &str| Visit {
        url: format!("{link}?participantId={id}&source=mail"),
        submission: String::new(),
        participant: id.into(),
        study: String::new(),
    };
    struct OneOnly(std::sync::atomic::AtomicU32);
    impl Answerer for OneOnly {
        fn answer(&self, person: &str, question: &Page, choices: &[(String, String)]) -> Filled {
            let nth = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if nth == 1 {
                "no such choice".into()
            } else {
                Knowing { errors: 0 }.answer(person, question, choices)
            }
        }
    }
    assert!(Participant::new(visit("ada%40x")).answer(&OneOnly(0.into())).await.is_err());
    assert_eq!(votes().await, [1]);
    // Another browser: no question is asked twice, and no consent.
    let code = Participant::new(visit("ada%40x")).answer(&Knowing { errors: 0 }).await.unwrap();
    assert_eq!((code.as_str(), votes().await), ("CODE-A", vec![3]));
    let again = Participant::new(visit("ada%40x")).answer(&Knowing { errors: 0 }).await.unwrap();
    assert_eq!((again.as_str(), votes().await), ("CODE-A", vec![3]));

    // Somebody does not consent.
    let mut browser = Browser::default();
    let page = browser.open(&visit("ben").url).await.unwrap();
    let page = browser.post(&page, &format!("/w/{}/decline", id.0.simple()), &[]).await.unwrap();
    assert_eq!(page.url, "http://panel.invalid/done?cc=CODE-B&who=ben");
    // A third person is one too many.
    let page = Browser::default().open(&visit("cleo").url).await.unwrap();
    assert_eq!(page.url, "http://panel.invalid/done?cc=CODE-B&who=cleo");
    // Nobody without an id.
    let page = Browser::default().open(&format!("{}/w/{}", world.url, id.0.simple())).await.unwrap();
    assert_eq!(page.status, 403);

    let view = access.panel(id).await.unwrap();
    assert_eq!((view.tally.came, view.tally.finished, view.tally.turned_away), (2, 1, 1));
    assert_eq!(view.tally.owed, Cents(150));
    assert_eq!(view.people[0].person.kept, r#"{"source":"mail"}"#);

    // Erasing the worker forgets who they were at the panel.
    access.erase_worker(&view.people[0].person.worker).await.unwrap();
    let view = access.panel(id).await.unwrap();
    assert_eq!(view.people[0].person.kept, "{}");
    assert!(!format!("{view:?}").contains("ada@x"), "{view:?}");
}

/// However many answer at once, while they are approved and the study may grow, the budgets hold, of votes and of money; and everybody leaves with
/// a code.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_budget_holds_with_sixty_four_at_once() {
    let world = Arc::new(World::new(SandboxOptions::default(), Some(100)).await);
    // 6,464 to people, a fee of 2,153 (33.3 %), and a tax of 431 (20 % of that): enough for 64 and nobody more.
    let budget = Cents(6_464 + 2_153 + 431);
    let mut wanted = settings(4, 64);
    let study = wanted.study.as_mut().unwrap();
    (study.most_places, study.budget, study.approve) = (200, budget, true);
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    let charged = || Cents(world.sandbox.ledger().charged.unsigned_abs());
    let people =
        futures_util::stream::iter(0..64).map(|_| world.sandbox.take_part(&study, &Knowing { errors: 5 }));
    let mut people = std::pin::pin!(people.buffer_unordered(64).collect::<Vec<_>>());
    let done = loop {
        tokio::select! {
            done = &mut people => break done,
            // As the server does, and as an owner may at the same time.
            synced = async { tokio::join!(access.sync_study(id), access.sync_study(id)) } => {
                assert!(synced.0.is_ok() && synced.1.is_ok(), "{synced:?}");
                assert!(charged() <= budget);
            }
        }
    };
    for one in done {
        assert!(one.unwrap().is_some());
    }
    let view = access.panel(id).await.unwrap();
    let votes: u64 = view.people.iter().map(|one| one.votes).sum();
    assert!(votes <= 100, "{votes}");
    assert_eq!(view.tally.finished + view.tally.turned_away, 64);
    let theirs = world.sandbox.submissions(&study);
    let is_known = |status: &str| matches!(status, "AWAITING REVIEW" | "APPROVED" | "RETURNED");
    assert!(theirs.iter().all(|one| is_known(&one.status)));

    // All who answered are paid, once each, for what the panel's calculator says.
    let all = theirs.iter().filter(|one| one.status != "RETURNED").map(|one| one.id.clone()).collect();
    access.sync_study(id).await.unwrap();
    access.approve(id, all).await.unwrap();
    access.sync_study(id).await.unwrap();
    let (ledger, quote) = (world.sandbox.ledger(), access.quote(id).await.unwrap());
    assert_eq!(ledger.rewards.len() as u64, view.tally.finished);
    assert_eq!((quote.cost, quote.places, quote.spent), (budget, 64, charged()));
    assert!(ledger.rewards.values().all(|paid| *paid == 1) && charged() <= budget, "{ledger:?}");

    // The places that are still open may be taken, so nothing is left for bonuses.
    let bonuses: Vec<_> = ledger.rewards.keys().map(|one| (one.clone(), Cents(50))).collect();
    access.give_bonuses(id, &bonuses).await.unwrap();
    let over = access.sync_study(id).await.unwrap_err().to_string();
    assert!(over.contains("above its budget"), "{over}");
    assert_eq!(world.sandbox.ledger(), ledger);
}

/// Sixty-four people at once take all that the budget pays for, and it is charged to the cent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_at_once_cost_what_was_quoted() {
    let world = World::new(SandboxOptions::default(), None).await;
    let mut wanted = settings(1, 64);
    wanted.study.as_mut().unwrap().budget = Cents(6_464 + 2_153 + 431);
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    // More come than there are places.
    let people =
        futures_util::stream::iter(0..80).map(|_| world.sandbox.take_part(&study, &Knowing { errors: 5 }));
    let done: Vec<_> = people.buffer_unordered(80).collect().await;
    assert_eq!(done.into_iter().filter(|one| one.as_ref().unwrap().is_some()).count(), 64);
    access.sync_study(id).await.unwrap();
    let all: Vec<String> = world.sandbox.submissions(&study).into_iter().map(|one| one.id).collect();
    access.approve(id, all).await.unwrap();
    assert_eq!(access.sync_study(id).await.unwrap().approved, 64);
    assert_eq!(world.sandbox.ledger().charged, 6_464 + 2_153 + 431);
}

/// Places are added while the forecast says that more answers are needed: as many as the budget pays for, and never more than the owner wants.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_study_grows_by_the_forecast_within_its_budget() {
    let target = Some(TargetSetting { certainty: 0.999, mean: false });
    let world = World::with(SandboxOptions::default(), seldom(), |settings| settings.target = target).await;
    let mut wanted = settings(2, 4);
    let study = wanted.study.as_mut().unwrap();
    // 909 to people, a fee of 303 and a tax of 61: enough for 9.
    (study.most_places, study.budget) = (40, Cents(909 + 303 + 61));
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    world.people(&study, 4).await;
    let synced = access.sync_study(id).await.unwrap();
    assert_eq!((synced.grown_to, synced.stopped), (Some(9), false));
    world.people(&study, 5).await;
    // The control: more answers are needed, and the money is not there.
    let forecast = world.running().await.snapshot().forecast.unwrap();
    assert!(forecast.questions.unwrap() > 2.0, "{forecast:?}");
    assert_eq!(access.sync_study(id).await.unwrap().grown_to, None);
    access.set_study_limits(id, 11, Cents(100_000), false).await.unwrap();
    assert_eq!(access.sync_study(id).await.unwrap().grown_to, Some(11));
    assert_eq!(world.sandbox.study(&study), Some(("ACTIVE".to_owned(), 11)));
    world.people(&study, 2).await;
    assert_eq!(access.sync_study(id).await.unwrap().grown_to, None);
}

/// When the campaign is certain enough, its study ends: nobody new can take part, and those who have are paid.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_study_ends_when_the_target_is_reached() {
    let target = Some(TargetSetting { certainty: 0.8, mean: true });
    let world = World::with(SandboxOptions::default(), seldom(), |settings| settings.target = target).await;
    let mut wanted = settings(10, 60);
    wanted.study.as_mut().unwrap().approve = true;
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    world.people(&study, 1).await;
    assert!(!access.sync_study(id).await.unwrap().stopped);
    let mut came = 1;
    while access.state().unwrap().status() != Status::Stopped {
        world.people(&study, 1).await;
        came += 1;
        assert!(came < 40, "the target is not reached");
    }
    assert_eq!(world.sandbox.study(&study).unwrap().0, "ACTIVE");
    let synced = access.sync_study(id).await.unwrap();
    assert!(synced.stopped && synced.grown_to.is_none(), "{synced:?}");
    assert_eq!(world.sandbox.study(&study).unwrap().0, "AWAITING REVIEW");
    assert!(world.sandbox.take_place(&study).is_none());
    assert!(!access.sync_study(id).await.unwrap().stopped);
    assert!(!world.sandbox.ledger().rewards.is_empty());
}

/// Anybody can make up an id in a link, or leave the session out: their answers are kept, and nobody pays for them unseen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_whom_the_panel_does_not_know_are_pointed_out() {
    let world = World::new(SandboxOptions::default(), None).await;
    let mut wanted = settings(2, 8);
    wanted.study.as_mut().unwrap().approve = true;
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    let honest = world.sandbox.take_place(&study).unwrap();
    let lent = world.sandbox.take_place(&study).unwrap();
    let link = honest.url.split('?').next().unwrap().to_owned();
    let visit = |person: &str, rest: &str| Visit {
        url: format!("{link}?PROLIFIC_PID={person}{rest}"),
        submission: String::new(),
        participant: person.into(),
        study: study.clone(),
    };
    let with_session = |session: &str| format!("&STUDY_ID={study}&SESSION_ID={session}");
    let visits = [
        honest.clone(),
        visit("aaaaaaaaaaaaaaaaaaaaaaaa", &with_session("bbbbbbbbbbbbbbbbbbbbbbbb")),
        visit("cccccccccccccccccccccccc", &with_session(&lent.submission)),
        visit("dddddddddddddddddddddddd", &with_session("..%2Fstudies")),
        visit("eeeeeeeeeeeeeeeeeeeeeeee", ""),
    ];
    for visit in visits {
        let code = Participant::new(visit).answer(&Knowing { errors: 0 }).await.unwrap();
        assert_eq!(code, "DONE1234");
    }
    for submission in [&honest.submission, &lent.submission] {
        world.sandbox.hand_in(submission, "DONE1234");
    }
    access.sync_study(id).await.unwrap();
    access.sync_study(id).await.unwrap();
    let view = access.panel(id).await.unwrap();
    let mut unknown: Vec<&str> = view
        .people
        .iter()
        .filter(|one| one.doubt == Some(Doubt::Unknown))
        .map(|one| &one.person.person[..1])
        .collect();
    unknown.sort_unstable();
    assert_eq!(unknown, ["a", "c", "d", "e"]);
    assert_eq!(world.sandbox.ledger().rewards.keys().collect::<Vec<_>>(), [&honest.submission]);
    assert_eq!(access.approve_all(id).await.unwrap(), 0);
    // Whoever comes again from the panel's own page, before they have finished, is known from then on.
    let late = world.sandbox.take_place(&study).unwrap();
    let mut browser = Browser::default();
    browser.open(late.url.split("&SESSION_ID").next().unwrap()).await.unwrap();
    let doubt = async || {
        access.sync_study(id).await.unwrap();
        let people = access.panel(id).await.unwrap().people;
        people.into_iter().find(|one| one.person.person == late.participant).unwrap().doubt
    };
    assert_eq!(doubt().await, Some(Doubt::Unknown));
    browser.open(&late.url).await.unwrap();
    assert_eq!(doubt().await, None);
}

/// A person whose link the panel has signed is known at once. What is signed for somebody else, too late or by nobody says nothing: the panel is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signed_link_says_who_comes() {
    let options = SandboxOptions { signed_links: Some(120), ..SandboxOptions::default() };
    let world = World::with(options, seldom(), |_| {}).await;
    let (id, study) = world.study(2, 8).await;
    let access = world.access().await;
    let verified = async |person: &str| {
        let people = access.panel(id).await.unwrap().people;
        people.into_iter().find(|one| one.person.person == person).unwrap().person.verified
    };
    let visits = [(), (), (), ()].map(|()| world.sandbox.take_place(&study).unwrap());
    let [honest, lent, forger, nobody] = &visits;
    let asked = world.sandbox.requests();
    Browser::default().open(&honest.url).await.unwrap();
    until("they are known", async || verified(&honest.participant).await == Some(1)).await;
    assert_eq!(world.sandbox.requests(), asked, "nobody had to be asked");

    world.sandbox.change(|options| options.signed_links = Some(-1));
    let late = world.sandbox.take_place(&study).unwrap();
    let token = |visit: &Visit| visit.url.split_once("&prolific_token=").unwrap().1.to_owned();
    let plain = |visit: &Visit| visit.url.split_once("&prolific_token=").unwrap().0.to_owned();
    let without_signature = token(nobody).rsplit_once('.').unwrap().0.to_owned();
    let urls = [
        // Another's token; another's session beside one's own token; a changed signature; one that came too late.
        format!("{}&prolific_token={}", plain(forger), token(lent)),
        format!(
            "{}&prolific_token={}",
            plain(lent).replace(&lent.submission, &forger.submission),
            token(lent)
        ),
        format!("{}&prolific_token={without_signature}.{}", plain(nobody), "A".repeat(342)),
        late.url.clone(),
    ];
    for url in &urls {
        Browser::default().open(url).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    for one in [forger, lent, nobody, &late] {
        assert_eq!(verified(&one.participant).await, None);
    }
    access.sync_study(id).await.unwrap();
    let known = [forger, nobody, &late, lent].map(|one| one.participant.clone());
    let mut now = Vec::new();
    for person in &known {
        now.push(verified(person).await);
    }
    assert_eq!(now, [Some(1), Some(1), Some(1), Some(0)]);
    assert_eq!(verified(&honest.participant).await, Some(1));
    // The token is kept nowhere.
    let copy = world.database.with_extension("copy");
    world.workspace.store().backup(&copy).await.unwrap();
    let bytes = std::fs::read(&copy).unwrap();
    std::fs::remove_file(&copy).unwrap();
    let start = &token(honest)[..40];
    assert!(!bytes.windows(start.len()).any(|part| part == start.as_bytes()));
}

/// A campaign of each form is answered to the end by people who tick, pick and type.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_answer_every_form() {
    for form in [Form::Pick, Form::Tick, Form::Place] {
        let world = World::with(SandboxOptions::default(), seldom(), |settings| {
            settings.forms = vec![form];
        })
        .await;
        let (id, study) = world.study(4, 12).await;
        let access = world.access().await;
        let informed = Informed { truth: truth(), error_rate: 0.02 };
        for _ in 0..12 {
            world.sandbox.take_part(&study, &informed).await.unwrap();
            world.running().await.settle().await.unwrap();
        }
        let view = access.panel(id).await.unwrap();
        assert_eq!(view.tally.finished, 12, "{form:?}");
        let replies: Vec<Reply> =
            access.state().unwrap().votes().alive().map(|vote| vote.response.reply.clone()).collect();
        let says = |reply: &Reply| match form {
            Form::Pick => matches!(reply, Reply::Picked(_)),
            Form::Tick => matches!(reply, Reply::Ticked(_)),
            _ => matches!(reply, Reply::Under(_)),
        };
        assert!(replies.iter().any(says) && !replies.contains(&Reply::CantSay), "{form:?}: {replies:?}");
        let hierarchy = access.hierarchy(None).await.unwrap().hierarchy;
        let right = FOOD.iter().filter(|(name, parent)| {
            let entry = hierarchy.entries().iter().find(|entry| entry.name == *name).unwrap();
            hierarchy.name(entry.parent) == parent.unwrap_or("everything")
        });
        assert!(right.count() >= 9, "{form:?}: {hierarchy:?}");
    }
}

/// An owner lowers the budget while the service is being asked: the answer does not bring the old one back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_that_change_during_a_sync_are_kept() {
    let world = World::new(SandboxOptions::default(), None).await;
    let (id, _) = world.study(2, 4).await;
    let access = world.access().await;
    let before = access.panel(id).await.unwrap().panel;
    access.set_study_limits(id, 4, Cents(900), true).await.unwrap();
    world.workspace.sync_panel(before).await.unwrap();
    let study = access.panel(id).await.unwrap().settings.study.unwrap();
    assert_eq!((study.budget, study.approve), (Cents(900), true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_return_that_the_service_refuses_does_not_hold_up_the_others() {
    let world = World::new(SandboxOptions::default(), None).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    let [begun, done] = [(), ()].map(|()| world.sandbox.take_place(&study).unwrap().submission);
    world.sandbox.hand_in(&done, "DONE1234");
    access.sync_study(id).await.unwrap();
    access.ask_to_return(id, vec![begun, done.clone()]).await.unwrap();
    access.sync_study(id).await.unwrap();
    let asked = access.panel(id).await.unwrap().strangers.into_iter().filter(|one| one.asked.is_some());
    assert_eq!(asked.map(|one| one.submission).collect::<Vec<_>>(), [done]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_is_kept_within_the_budget_and_spent_by_owners_alone() {
    let world = World::new(SandboxOptions::default(), None).await;
    let access = world.access().await;
    let mut poor = settings(8, 40);
    poor.study.as_mut().unwrap().budget = Cents(5_653);
    let id = access.add_panel("poor", Some("local"), poor).await.unwrap();
    access.draft_study(id, &world.url).await.unwrap();
    let refused = access.publish_study(id, None).await.unwrap_err().to_string();
    assert!(refused.contains("56.54") && refused.contains("56.53"), "{refused}");
    access.set_study_limits(id, 40, Cents(5_654), false).await.unwrap();
    access.publish_study(id, None).await.unwrap();
    let study = access.panel(id).await.unwrap().panel.study.unwrap();
    let visit = world.sandbox.take_place(&study).unwrap();
    world.sandbox.hand_in(&visit.submission, "DONE1234");
    access.sync_study(id).await.unwrap();
    // Somebody whom we never saw is not approved by itself.
    assert_eq!(access.approve_all(id).await.unwrap(), 0);
    assert_eq!(access.panel(id).await.unwrap().strangers.len(), 1);
    access.give_bonuses(id, &[(visit.submission.clone(), Cents(10))]).await.unwrap();
    let over = access.sync_study(id).await.unwrap_err().to_string();
    assert!(over.contains("above its budget"), "{over}");
    assert!(world.sandbox.ledger().bonuses.is_empty());
    access.set_study_limits(id, 40, Cents(6_000), false).await.unwrap();
    assert_eq!(access.sync_study(id).await.unwrap().paid, 1);
    assert_eq!(world.sandbox.ledger().bonuses[&visit.submission], [10]);

    let stranger = Caller::account(OwnerId(Uuid::from_u128(1)));
    assert!(world.workspace.campaign(stranger, world.campaign).await.is_err());
    let worker = Caller::worker(grove_store::WorkerId::new("w").unwrap());
    let worker = world.workspace.campaign(worker, world.campaign).await.unwrap();
    for refused in [
        worker.publish_study(id, None).await,
        worker.approve(id, Vec::new()).await,
        worker.give_bonuses(id, &[]).await,
    ] {
        assert!(matches!(refused, Err(grove_campaign::Error::Forbidden { .. })));
    }

    // Neither the token nor the secret of the hooks is in the database.
    world.workspace.store().backup(&world.database.with_extension("copy")).await.unwrap();
    let bytes = std::fs::read(world.database.with_extension("copy")).unwrap();
    std::fs::remove_file(world.database.with_extension("copy")).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds(&world.sandbox.token()) && !holds(&world.sandbox.hook_secret()));
    assert!(holds("Short questions about food."));
}

/// A bonus that was sent is spent, though the panel takes its time to pay and to show it: no places are added for the same money.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bonuses_that_the_panel_does_not_show_yet_count() {
    let target = Some(TargetSetting { certainty: 0.999, mean: false });
    let options = SandboxOptions { bonus_delay: Duration::from_secs(10), ..SandboxOptions::default() };
    let world = World::with(options, seldom(), |settings| settings.target = target).await;
    let mut wanted = settings(2, 4);
    // Enough for 9 people, or for 7 and four bonuses: 989 and four times 70.
    wanted.study.as_mut().unwrap().budget = Cents(909 + 303 + 61);
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    world.people(&study, 4).await;
    access.sync_study(id).await.unwrap();
    let all: Vec<_> = world.sandbox.submissions(&study).into_iter().map(|one| (one.id, Cents(50))).collect();
    access.give_bonuses(id, &all).await.unwrap();
    access.set_study_limits(id, 40, Cents(909 + 303 + 61), true).await.unwrap();
    let synced = access.sync_study(id).await.unwrap();
    assert!(world.sandbox.ledger().bonuses.is_empty());
    assert_eq!((synced.paid, synced.grown_to), (4, Some(7)));
    let more = access.grow_study(id, 8).await.unwrap_err().to_string();
    assert!(more.contains("above its budget"), "{more}");
}

/// A study that its owner has ended does not open again because more answers would help; nor one whose campaign is paused. The control: it grows before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ended_study_stays_ended_and_a_paused_campaign_pauses_its_study() {
    let target = Some(TargetSetting { certainty: 0.999, mean: false });
    let world = World::with(SandboxOptions::default(), seldom(), |settings| settings.target = target).await;
    let mut wanted = settings(2, 4);
    wanted.study.as_mut().unwrap().most_places = 40;
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    world.people(&study, 4).await;
    let grown = access.sync_study(id).await.unwrap().grown_to.unwrap();
    assert!(grown > 4);

    access.edit(Edit::Pause { reason: String::new() }).await.unwrap();
    access.sync_study(id).await.unwrap();
    assert_eq!(world.sandbox.study(&study), Some(("PAUSED".to_owned(), grown)));
    access.edit(Edit::Resume).await.unwrap();
    access.sync_study(id).await.unwrap();
    assert_eq!(world.sandbox.study(&study), Some(("ACTIVE".to_owned(), grown)));
    access.stop_study(id).await.unwrap();
    for _ in 0..2 {
        assert_eq!(access.sync_study(id).await.unwrap().grown_to, None);
        assert_eq!(world.sandbox.study(&study), Some(("AWAITING REVIEW".to_owned(), grown)));
    }
}

/// A study that was paused because of its campaign is resumed with it; one that its owner paused is not, whenever that was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_study_is_resumed_with_its_campaign_unless_its_owner_paused_it() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    let status = async || {
        access.sync_study(id).await.unwrap();
        access.sync_study(id).await.unwrap();
        world.sandbox.study(&study).unwrap().0
    };
    let pause = Edit::Pause { reason: String::new() };
    for owner_pauses in ["before", "never", "after", "never"] {
        if owner_pauses == "before" {
            access.pause_study(id).await.unwrap();
        }
        access.edit(pause.clone()).await.unwrap();
        assert_eq!(status().await, "PAUSED", "{owner_pauses}");
        if owner_pauses == "after" {
            access.pause_study(id).await.unwrap();
        }
        access.edit(Edit::Resume).await.unwrap();
        let expected = if owner_pauses == "never" { "ACTIVE" } else { "PAUSED" };
        assert_eq!(status().await, expected, "{owner_pauses}");
        access.resume_study(id).await.unwrap();
        assert_eq!(status().await, "ACTIVE", "{owner_pauses}");
    }
    // Resumed by its owner while the campaign is paused, it is paused again, and resumed with it.
    access.edit(pause.clone()).await.unwrap();
    assert_eq!(status().await, "PAUSED");
    access.resume_study(id).await.unwrap();
    assert_eq!(status().await, "PAUSED");
    access.edit(Edit::Resume).await.unwrap();
    assert_eq!(status().await, "ACTIVE");

    // The operator does not let the owner use the service any more.
    access.edit(pause).await.unwrap();
    assert_eq!(status().await, "PAUSED");
    let token = world.database.with_extension("token");
    std::fs::write(&token, world.sandbox.token()).unwrap();
    let crowds = format!(
        "[panels.local]\nbase_url = {:?}\ntoken_file = {token:?}\nworkspace = {:?}\nowners = [\"ben\"]\nmost_cents = 100000",
        world.sandbox.url(),
        world.sandbox.workspace()
    );
    let crowds = grove_crowd::Crowds::parse(&crowds).unwrap();
    std::fs::remove_file(&token).unwrap();
    access.edit(Edit::Resume).await.unwrap();
    let panel = access.panel(id).await.unwrap().panel;
    let store = world.workspace.store().clone();
    let later = Workspace::new(store, Arc::new(SystemClock)).with_crowds(crowds);
    let refused = later.sync_panel(panel).await.unwrap_err().to_string();
    assert!(refused.contains("may not use the panel \"local\""), "{refused}");
    assert_eq!(world.sandbox.study(&study).unwrap().0, "PAUSED");
}

/// Places that the service was asked for and has clearly refused hold back no money.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn places_that_were_refused_do_not_count() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    world.people(&study, 1).await;
    access.sync_study(id).await.unwrap();
    let all: Vec<_> = world.sandbox.submissions(&study).into_iter().map(|one| (one.id, Cents(50))).collect();
    // Enough for 9 people, or for 4 and a bonus of 50.
    access.set_study_limits(id, 4, Cents(909 + 303 + 61), false).await.unwrap();
    access.give_bonuses(id, &all).await.unwrap();
    world.sandbox.change(|options| options.balance = 700);
    let refused = access.grow_study(id, 9).await.unwrap_err().to_string();
    assert!(refused.contains("not enough money"), "{refused}");
    let panel = access.panel(id).await.unwrap();
    assert_eq!((panel.panel.places_asked, panel.settings.study.unwrap().most_places), (None, 4));
    assert_eq!(access.sync_study(id).await.unwrap().paid, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bonus_that_the_service_does_not_take_does_not_hold_up_the_others() {
    let world = World::new(SandboxOptions::default(), None).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    let all = [(), (), ()].map(|()| world.sandbox.take_place(&study).unwrap().submission);
    let [first, gone, last] = &all;
    for one in [first, last] {
        assert!(world.sandbox.hand_in(one, "DONE1234"));
    }
    access.sync_study(id).await.unwrap();
    access.set_study_limits(id, 40, Cents(6_000), false).await.unwrap();
    access.give_bonuses(id, &all.clone().map(|one| (one, Cents(10)))).await.unwrap();
    world.sandbox.give_back(gone);
    assert_eq!(access.sync_study(id).await.unwrap().paid, 2);
    let paid = world.sandbox.ledger().bonuses;
    assert_eq!(paid.keys().collect::<BTreeSet<_>>(), BTreeSet::from([first, last]));
    let bonuses = access.panel(id).await.unwrap().bonuses;
    let refused = bonuses.iter().filter(|one| one.status == "refused").map(|one| &one.submission);
    assert_eq!(refused.collect::<Vec<_>>(), [gone]);
    // They are settled: nothing is sent again, and whoever was refused can be given another.
    assert_eq!(access.sync_study(id).await.unwrap().paid, 0);
    access.give_bonuses(id, &[(gone.clone(), Cents(10))]).await.unwrap();
}
