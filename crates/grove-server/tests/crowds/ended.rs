//! Studies that have ended, or seem to have.

use std::sync::Arc;

use grove_campaign::operations::{Caller, Workspace};
use grove_campaign::{Clock, Edit, SystemClock, TargetSetting};
use grove_crowd::Cents;
use grove_sandbox::SandboxOptions;
use grove_store::{Moment, Panel, PanelId};
use uuid::Uuid;

use crate::world::{World, seldom, settings};

/// A clock that is far ahead.
#[derive(Debug)]
struct EightDaysLater;

impl Clock for EightDaysLater {
    fn now(&self) -> Moment {
        Moment(SystemClock.now().0 + 8 * 86_400 * 1_000_000)
    }
}

/// Studies that have ended are left alone, until there is something to do about them again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_asks_about_a_study_that_is_done() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let access = world.access().await;
    let asks = async |workspace: &Workspace| {
        let before = world.sandbox.requests();
        assert!(workspace.sync_panels().await.unwrap().is_empty());
        world.sandbox.requests() > before
    };
    let is_asked = async || asks(&world.workspace).await;
    // All places are taken and approved.
    let (id, study) = world.study(2, 2).await;
    assert!(is_asked().await);
    world.people(&study, 2).await;
    assert!(is_asked().await && is_asked().await, "two wait for approval");
    access.approve_all(id).await.unwrap();
    assert!(is_asked().await);
    assert_eq!(world.sandbox.study(&study), Some(("COMPLETED".to_owned(), 2)));
    assert!(!is_asked().await);
    // A bonus has to be paid, which needs room in the budget.
    let one = world.sandbox.submissions(&study)[0].id.clone();
    access.give_bonuses(id, &[(one.clone(), Cents(10))]).await.unwrap();
    assert!(is_asked().await);
    assert_eq!(world.sandbox.ledger().bonuses[&one], [10]);
    assert!(!is_asked().await);

    // Stopped by its owner: the service waits for ever for the other places.
    let (stopped, study) = world.study(2, 4).await;
    world.people(&study, 1).await;
    let late = world.sandbox.take_place(&study).unwrap();
    access.stop_study(stopped).await.unwrap();
    is_asked().await;
    access.approve_all(stopped).await.unwrap();
    assert!(is_asked().await && is_asked().await, "somebody is still answering");
    world.sandbox.time_out(&late.submission);
    assert!(is_asked().await && is_asked().await, "they may still hand in a code");
    // What its owner has decided about them is for the panel to be told, however long ago that was.
    let store = world.workspace.store().clone();
    let much_later =
        Workspace::new(store, Arc::new(EightDaysLater)).with_crowds(world.workspace.crowds().clone());
    access.ask_to_return(stopped, vec![late.submission.clone()]).await.unwrap();
    assert!(asks(&much_later).await && !asks(&much_later).await);
    assert!(is_asked().await);
    assert!(world.sandbox.hand_in(&late.submission, "AWAY1234"));
    assert!(is_asked().await);
    assert_eq!(world.sandbox.study(&study), Some(("AWAITING REVIEW".to_owned(), 4)));
    assert!(!is_asked().await);

    // Somebody takes a place just before the study is stopped, when all others are approved.
    let (ended, study) = world.study(2, 4).await;
    world.people(&study, 1).await;
    assert!(is_asked().await);
    access.approve_all(ended).await.unwrap();
    assert!(is_asked().await);
    let last = world.sandbox.take_place(&study).unwrap();
    access.stop_study(ended).await.unwrap();
    assert!(is_asked().await && is_asked().await, "they are found");
    world.sandbox.give_back(&last.submission);
    assert!(is_asked().await && !is_asked().await);

    // With room for more people it is asked about again, and gets them, as long as its campaign goes on.
    let study = access.panel(stopped).await.unwrap().panel.study.unwrap();
    access.set_study_limits(stopped, 8, Cents(100_000), false).await.unwrap();
    assert!(is_asked().await && is_asked().await);
    assert_eq!(world.sandbox.study(&study), Some(("ACTIVE".to_owned(), 8)));
    access.edit(Edit::Stop { reason: String::new() }).await.unwrap();
    assert!(
        is_asked().await && is_asked().await,
        "once more after the study was stopped, for whoever came in between"
    );
    assert_eq!(world.sandbox.study(&study), Some(("AWAITING REVIEW".to_owned(), 8)));
    access.set_study_limits(stopped, 12, Cents(100_000), false).await.unwrap();
    assert!(!is_asked().await);
    // Whoever asks by hand gets an answer.
    let before = world.sandbox.requests();
    access.sync_study(id).await.unwrap();
    assert!(world.sandbox.requests() > before);
}

/// A campaign is not deleted while people take part in its study or wait for their pay: the study would go on, and nobody would pay them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_campaign_with_an_open_study_is_not_deleted() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    let refused = async || access.delete().await.unwrap_err().to_string();
    assert!(refused().await.contains("stop it first"));
    world.people(&study, 1).await;
    access.sync_study(id).await.unwrap();
    access.approve_all(id).await.unwrap();
    access.sync_study(id).await.unwrap();
    // Somebody takes a place, and Grove does not know.
    let late = world.sandbox.take_place(&study).unwrap();
    access.stop_study(id).await.unwrap();
    assert!(refused().await.contains("was not asked since"));
    for status in ["RESERVED", "PROCESSING", "ACTIVE"] {
        world.sandbox.set_status(&late.submission, status);
        access.sync_study(id).await.unwrap();
        assert!(!refused().await.is_empty(), "{status}");
    }
    assert!(world.sandbox.hand_in(&late.submission, "DONE1234"));
    access.sync_study(id).await.unwrap();
    assert!(refused().await.contains("wait for approval"));
    access.approve(id, vec![late.submission]).await.unwrap();
    access.sync_study(id).await.unwrap();
    let one = world.sandbox.submissions(&study)[0].id.clone();
    access.give_bonuses(id, &[(one.clone(), Cents(10))]).await.unwrap();
    assert!(refused().await.contains("not paid yet"));
    access.sync_study(id).await.unwrap();
    access.delete().await.unwrap();
    let ledger = world.sandbox.ledger();
    assert_eq!((ledger.rewards[&one], &ledger.bonuses[&one]), (1, &vec![10]));

    // A draft costs nothing; and the operator can delete what they want.
    let names = ["fruit", "lime"].map(grove_campaign::NewConcept::named);
    for is_published in [false, true] {
        let new =
            world.workspace.create_campaign(&world.owner, "more", Default::default(), &names).await.unwrap();
        let access = world.workspace.campaign(world.owner.clone(), new).await.unwrap();
        let id = access.add_panel("study", Some("local"), settings(2, 4)).await.unwrap();
        access.draft_study(id, &world.url).await.unwrap();
        if is_published {
            access.publish_study(id, None).await.unwrap();
            access.delete().await.unwrap_err();
            world.workspace.campaign(Caller::local(), new).await.unwrap().delete().await.unwrap();
        } else {
            access.delete().await.unwrap();
        }
    }
}

/// For the service, a study has ended when all its people are approved. It gets more places all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_study_grows_after_all_were_approved() {
    let target = Some(TargetSetting { certainty: 0.999, mean: false });
    let world = World::with(SandboxOptions::default(), seldom(), |settings| settings.target = target).await;
    let mut wanted = settings(2, 4);
    wanted.study.as_mut().unwrap().approve = true;
    let (id, study) = world.study_with(wanted).await;
    let access = world.access().await;
    world.people(&study, 4).await;
    assert_eq!(access.sync_study(id).await.unwrap().approved, 4);
    assert_eq!(world.sandbox.study(&study), Some(("COMPLETED".to_owned(), 4)));
    access.set_study_limits(id, 9, Cents(100_000), true).await.unwrap();
    assert_eq!(access.sync_study(id).await.unwrap().grown_to, Some(9));
    assert_eq!(world.sandbox.study(&study), Some(("ACTIVE".to_owned(), 9)));
}

/// A panel with the same study, as a version of Grove has left it that did not let ended studies grow.
async fn as_of_old(world: &World, id: PanelId) -> PanelId {
    let (panel, _) = world.workspace.panel(id).await.unwrap();
    let old = Panel { id: PanelId(Uuid::now_v7()), places: None, read_after_end: 0, ..panel };
    let id = old.id;
    world.workspace.store().add_panel(old).await.unwrap();
    id
}

/// A study that had ended when Grove did not let ended studies grow does not open again because a newer version would. The control: one that ends now.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_study_that_ended_before_an_upgrade_stays_ended() {
    let target = Some(TargetSetting { certainty: 0.999, mean: false });
    let world = World::with(SandboxOptions::default(), seldom(), |settings| settings.target = target).await;
    let access = world.access().await;
    for is_old in [true, false] {
        let (id, study) = world.study(2, 4).await;
        world.people(&study, 4).await;
        access.sync_study(id).await.unwrap();
        access.approve_all(id).await.unwrap();
        access.sync_study(id).await.unwrap();
        assert_eq!(world.sandbox.study(&study), Some(("COMPLETED".to_owned(), 4)));
        let id = if is_old { as_of_old(&world, id).await } else { id };
        access.set_study_limits(id, 9, Cents(100_000), false).await.unwrap();
        for _ in 0..3 {
            assert!(world.workspace.sync_panels().await.unwrap().is_empty());
        }
        let expected = if is_old { ("COMPLETED", 4) } else { ("ACTIVE", 9) };
        assert_eq!(world.sandbox.study(&study), Some((expected.0.to_owned(), expected.1)));
        let most = access.panel(id).await.unwrap().settings.study.unwrap().most_places;
        assert_eq!(most, expected.1);
    }
}
