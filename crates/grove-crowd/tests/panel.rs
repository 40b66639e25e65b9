//! The client of Prolific against a local one that shares no code with it.

#![expect(clippy::unwrap_used, reason = "in a test, a panic says where it failed")]

use std::time::Duration;

use grove_crowd::{
    Backoff, Cents, CodeKind, EVENTS, Error, NewStudy, PanelConnection, Prolific, Secret, StudyAction,
    StudyStatus, SubmissionStatus,
};
use grove_sandbox::{Sandbox, SandboxOptions};

fn client(sandbox: &Sandbox) -> Prolific {
    let token = Secret::new(&sandbox.token(), "the test").unwrap();
    let connection =
        PanelConnection::new("local", &sandbox.url(), token, &sandbox.workspace(), Cents(100_000));
    let quick = Backoff { first: Duration::from_millis(1), longest: Duration::from_millis(20), attempts: 12 };
    Prolific::new(&connection).with_backoff(quick)
}

fn study(places: u32) -> NewStudy {
    NewStudy {
        name: "Is a lime a fruit?".into(),
        internal_name: "grove-1".into(),
        description: "Short questions about food.".into(),
        url: "http://127.0.0.1:9/p/1?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}".into(),
        places,
        minutes: 5,
        reward: Cents(101),
        project: None,
        codes: vec![("C1".into(), CodeKind::Completed), ("C2".into(), CodeKind::NoConsent)],
        metadata: "campaign-1".into(),
    }
}

#[tokio::test]
async fn a_study_from_draft_to_approved() {
    let sandbox = Sandbox::start(SandboxOptions::default()).await.unwrap();
    let panel = client(&sandbox);
    panel.me().await.unwrap();
    assert_eq!(panel.balance(&sandbox.workspace()).await.unwrap().available_balance, 1_000_000.0);
    let wage = panel.recommendation(&sandbox.workspace(), "GBP").await.unwrap();
    assert_eq!((wage.min_reward_per_hour, wage.recommended_reward_per_hour), (800.0, 1200.0));

    assert_eq!(panel.find_study("grove-1").await.unwrap(), None);
    let draft = panel.create_study(&study(100)).await.unwrap();
    assert_eq!(draft.status, StudyStatus::Unpublished);
    assert_eq!(panel.find_study("grove-1").await.unwrap().unwrap().id, draft.id);
    // 10,100 to people, a fee of 3,363 (33.3 %), and a tax of 673 (20 % of that).
    assert_eq!(panel.price(Cents(101), 100).await.unwrap(), Cents(10_100 + 3_363 + 673));
    panel.change_study(&draft.id, StudyAction::Publish).await.unwrap();
    let twice = panel.change_study(&draft.id, StudyAction::Publish).await.unwrap_err();
    assert_eq!(twice.status(), Some(400));
    assert!(StudyAction::Publish.is_done(&panel.study(&draft.id).await.unwrap().status));

    // A full page, after which the panel names another that does not exist.
    let visits: Vec<_> = std::iter::from_fn(|| sandbox.take_place(&draft.id)).collect();
    assert_eq!(visits.len(), 100);
    let (listed, date) = panel.submissions(&draft.id).await.unwrap();
    assert_eq!(listed.len(), 100);
    assert!(date.is_some());
    assert!(listed.iter().all(|one| one.status() == Some(SubmissionStatus::Active)));

    let [first, second, third] = [0, 1, 2].map(|at: usize| visits[at].submission.as_str());
    assert_eq!(panel.approve(first).await.unwrap_err().status(), Some(400));
    sandbox.hand_in(first, "C1");
    sandbox.hand_in(second, "C2");
    sandbox.time_out(third);
    let alone = panel.submission(first).await.unwrap();
    assert_eq!(
        (alone.status(), alone.entered_code.as_deref()),
        (Some(SubmissionStatus::AwaitingReview), Some("C1"))
    );
    assert_eq!(
        (alone.participant_id.as_str(), alone.study_id.as_deref()),
        (visits[0].participant.as_str(), Some(draft.id.as_str()))
    );
    panel.approve(first).await.unwrap();
    panel.approve(first).await.unwrap();
    for gone in [second, third] {
        assert_eq!(panel.approve(gone).await.unwrap_err().status(), Some(400));
    }
    panel.ask_to_return(third, "Thank you; please return this submission.").await.unwrap();
    assert_eq!(sandbox.ledger().rewards.into_iter().collect::<Vec<_>>(), [(first.to_owned(), 1)]);
    assert_eq!(panel.cost(&draft.id).await.unwrap(), Cents(101 + 34 + 7));
    assert_eq!(sandbox.ledger().charged, 101 + 34 + 7);

    assert_eq!(panel.set_places(&draft.id, 120).await.unwrap().total_available_places, 120);
    assert_eq!(panel.set_places(&draft.id, 110).await.unwrap_err().status(), Some(400));
    panel.change_study(&draft.id, StudyAction::Pause).await.unwrap();
    assert!(sandbox.take_place(&draft.id).is_none());
    panel.change_study(&draft.id, StudyAction::Start).await.unwrap();
    panel.change_study(&draft.id, StudyAction::Stop).await.unwrap();
    assert_eq!(panel.study(&draft.id).await.unwrap().status, StudyStatus::AwaitingReview);
}

#[tokio::test]
async fn bonuses_are_paid_to_the_cent_and_as_often_as_they_are_sent() {
    let sandbox = Sandbox::start(SandboxOptions::default()).await.unwrap();
    let panel = client(&sandbox);
    let draft = panel.create_study(&study(3)).await.unwrap();
    panel.change_study(&draft.id, StudyAction::Publish).await.unwrap();
    let visit = sandbox.take_place(&draft.id).unwrap();
    sandbox.hand_in(&visit.submission, "C1");
    let stranger = panel.prepare_bonuses(&draft.id, &[("abc".into(), Cents(5))]).await.unwrap_err();
    assert!(stranger.to_string().contains("abc"), "{stranger}");
    let batch = panel.prepare_bonuses(&draft.id, &[(visit.submission.clone(), Cents(105))]).await.unwrap();
    assert_eq!(batch.total(), Some(Cents(105 + 35 + 7)));
    assert_eq!(panel.submission(&visit.submission).await.unwrap().bonuses(), Some(Cents(0)));
    panel.pay_bonuses(&batch.id).await.unwrap();
    assert_eq!(panel.submission(&visit.submission).await.unwrap().bonuses(), Some(Cents(105)));
    // The control: the local panel does pay twice if it is asked twice.
    panel.pay_bonuses(&batch.id).await.unwrap();
    assert_eq!(sandbox.ledger().bonuses[&visit.submission], [105, 105]);
}

#[tokio::test]
async fn reading_outlives_bad_gateways_and_paying_is_sent_once() {
    let sandbox = Sandbox::start(SandboxOptions::default()).await.unwrap();
    let panel = client(&sandbox);
    let draft = panel.create_study(&study(30)).await.unwrap();
    panel.change_study(&draft.id, StudyAction::Publish).await.unwrap();
    let visits: Vec<_> = std::iter::from_fn(|| sandbox.take_place(&draft.id)).collect();
    sandbox.change(|options| options.bad_gateways = 400);
    for visit in &visits {
        sandbox.hand_in(&visit.submission, "C1");
        panel.approve(&visit.submission).await.unwrap();
        assert_eq!(
            panel.submission(&visit.submission).await.unwrap().status(),
            Some(SubmissionStatus::Approved)
        );
    }
    assert!(sandbox.ledger().rewards.values().all(|paid| *paid == 1));
    let mut lost = 0;
    for visit in &visits {
        let bonuses = [(visit.submission.clone(), Cents(10))];
        let Ok(batch) = panel.prepare_bonuses(&draft.id, &bonuses).await else { continue };
        let before = sandbox.ledger().bonuses.get(&visit.submission).map_or(0, Vec::len);
        if let Err(error) = panel.pay_bonuses(&batch.id).await {
            assert!(error.is_uncertain(), "{error}");
            lost += 1;
        }
        let after = sandbox.ledger().bonuses.get(&visit.submission).map_or(0, Vec::len);
        assert!(after - before <= 1);
    }
    assert!(lost > 0);
}

#[tokio::test]
async fn a_wrong_token_is_said_and_not_shown() {
    let sandbox = Sandbox::start(SandboxOptions::default()).await.unwrap();
    let token = Secret::new("wrong-token-123", "the test").unwrap();
    let connection = PanelConnection::new("local", &sandbox.url(), token, "w", Cents(1));
    let error = Prolific::new(&connection).me().await.unwrap_err();
    // The panel repeats the token in its refusal.
    assert!(matches!(&error, Error::Refused { status: 401, reason, .. } if reason.contains("(hidden)")));
    assert!(!format!("{error} {error:?} {connection:?}").contains("wrong-token"));
}

#[tokio::test]
async fn webhooks_are_set_up_once_and_signed_with_the_secret_that_was_made() {
    let sandbox = Sandbox::start(SandboxOptions::default()).await.unwrap();
    let (panel, workspace, target) = (client(&sandbox), sandbox.workspace(), "http://127.0.0.1:9/hooks");
    let before = sandbox.hook_secret();
    let secret = panel.new_hook_secret(&workspace).await.unwrap();
    assert!(secret.expose() == sandbox.hook_secret() && secret.expose() != before);
    assert_eq!(panel.new_hook_secret("another").await.unwrap_err().status(), Some(404));
    for event in EVENTS {
        assert!(!panel.is_subscribed(&workspace, event, target).await.unwrap());
        panel.subscribe(&workspace, event, target).await.unwrap();
        assert!(panel.is_subscribed(&workspace, event, target).await.unwrap());
    }
    assert!(!panel.is_subscribed(&workspace, EVENTS[0], "http://127.0.0.1:9/other").await.unwrap());
}
