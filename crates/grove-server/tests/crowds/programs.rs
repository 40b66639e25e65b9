//! Two programs that share a database, such as a server and the command line: whatever one of them is about to do, what the owner does through the
//! other counts.

use std::sync::Arc;
use std::time::Duration;

use grove_campaign::operations::recruit::StudySettings;
use grove_campaign::operations::{Access, Workspace};
use grove_campaign::{Clock as _, Edit, SystemClock, TargetSetting};
use grove_crowd::{Cents, Crowds};
use grove_sandbox::SandboxOptions;
use grove_store::{Moment, PanelId, Store};

use crate::world::{World, connection, seldom, until};

/// The campaign as another program sees it.
async fn elsewhere(world: &World) -> Access {
    let store = Store::open(world.database.to_str().unwrap()).await.unwrap();
    let sandbox = &world.sandbox;
    let panel = connection(&sandbox.url(), &sandbox.token(), &sandbox.workspace(), "unused");
    let workspace =
        Workspace::new(store, Arc::new(SystemClock)).with_crowds(Crowds::default().with_panel(panel));
    workspace.campaign(world.owner.clone(), world.campaign).await.unwrap()
}

/// Has the panel keep requests waiting that have this in their method and path; none if it is empty.
fn hold(world: &World, held: &str) {
    let held = (!held.is_empty()).then(|| held.to_owned());
    world.sandbox.change(|options| options.held = held);
}

async fn is_holding(world: &World) {
    until("a request is held", async || world.sandbox.holding() > 0).await;
}

async fn study_settings(access: &Access, id: PanelId) -> StudySettings {
    access.panel(id).await.unwrap().settings.study.unwrap()
}

/// Adding places takes a while, in which the owner stops the study: it stays stopped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_study_that_is_stopped_while_it_grows_stays_stopped() {
    let target = Some(TargetSetting { certainty: 0.999, mean: false });
    let world = World::with(SandboxOptions::default(), seldom(), |settings| settings.target = target).await;
    let (id, study) = world.study(2, 4).await;
    let (access, other) = (world.access().await, elsewhere(&world).await);
    world.people(&study, 4).await;
    // Before the money is committed, and after.
    for asked in ["/cost/".to_owned(), format!("PATCH /api/v1/studies/{study}/")] {
        let has = world.sandbox.study(&study).unwrap().1;
        hold(&world, &asked);
        let growing = access.clone();
        let growing = tokio::spawn(async move { growing.grow_study(id, has + 5).await });
        is_holding(&world).await;
        other.stop_study(id).await.unwrap();
        hold(&world, "");
        let refused = growing.await.unwrap().unwrap_err().to_string();
        assert!(refused.contains("at the same moment"), "{refused}");
        for _ in 0..2 {
            assert_eq!(access.sync_study(id).await.unwrap().grown_to, None);
            assert_eq!(world.sandbox.study(&study).unwrap().0, "AWAITING REVIEW", "{asked}");
        }
        assert_eq!(study_settings(&access, id).await.most_places, has, "{asked}");
        // The control: nobody stops it.
        let has = world.sandbox.study(&study).unwrap().1;
        access.grow_study(id, has + 1).await.unwrap();
        assert_eq!(world.sandbox.study(&study), Some(("ACTIVE".to_owned(), has + 1)));
    }
}

/// A study is about to be resumed with its campaign when its owner pauses it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_study_that_its_owner_pauses_is_not_resumed() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, study) = world.study(2, 4).await;
    let (access, other) = (world.access().await, elsewhere(&world).await);
    access.edit(Edit::Pause { reason: String::new() }).await.unwrap();
    access.sync_study(id).await.unwrap();
    assert_eq!(world.sandbox.study(&study).unwrap().0, "PAUSED");
    access.edit(Edit::Resume).await.unwrap();

    let flag = async || access.panel(id).await.unwrap().panel.paused_with_campaign;
    assert_eq!(flag().await, 1);
    hold(&world, "/submissions/");
    let syncing = access.clone();
    let syncing = tokio::spawn(async move { syncing.sync_study(id).await });
    is_holding(&world).await;
    // It has read the panel by the time at which it asks for the status again.
    hold(&world, &format!("GET /api/v1/studies/{study}/"));
    tokio::time::sleep(Duration::from_millis(200)).await;
    is_holding(&world).await;
    let pausing = tokio::spawn(async move { other.pause_study(id).await });
    until("the owner's wish is written down", async || flag().await == 0).await;
    hold(&world, "");
    syncing.await.unwrap().unwrap();
    pausing.await.unwrap().unwrap();
    access.sync_study(id).await.unwrap();
    assert_eq!(world.sandbox.study(&study).unwrap().0, "PAUSED");
}

/// A study that could not be paused with its campaign goes on. When its owner pauses it, that has nothing to do with the campaign.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_that_is_refused_leaves_nothing_behind() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    let status = || world.sandbox.study(&study).unwrap().0;
    access.edit(Edit::Pause { reason: String::new() }).await.unwrap();
    world.sandbox.change(|options| options.refused = Some("/transition/".to_owned()));
    let refused = access.sync_study(id).await.unwrap_err().to_string();
    assert!(refused.contains("not allowed"), "{refused}");
    assert_eq!(access.panel(id).await.unwrap().panel.paused_with_campaign, 0);
    assert_eq!(status(), "ACTIVE");
    world.sandbox.change(|options| options.refused = None);
    access.pause_study(id).await.unwrap();
    access.edit(Edit::Resume).await.unwrap();
    access.sync_study(id).await.unwrap();
    assert_eq!(status(), "PAUSED");
}

/// Two programs change what a study may cost at the same moment: nothing gets lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_are_changed_by_one_program_at_a_time() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, _) = world.study(2, 4).await;
    let (access, other) = (world.access().await, elsewhere(&world).await);
    let panel = access.panel(id).await.unwrap().panel;
    other.set_study_limits(id, 5, Cents(5_000), true).await.unwrap();
    let store = world.workspace.store();
    let late = store.change_panel_settings(&panel, panel.settings.clone()).await.unwrap_err();
    assert!(matches!(late, grove_store::Error::Changed), "{late}");
    // Nor is money committed that was decided on by the earlier limits.
    let late = store.commit_places(&panel, panel.commitments, Some((9, Moment(0)))).await.unwrap_err();
    assert!(matches!(late, grove_store::Error::Conflict), "{late}");
    assert_eq!(study_settings(&access, id).await.budget, Cents(5_000));
    let both = tokio::join!(access.set_study_limits(id, 6, Cents(6_000), false), other.stop_study(id));
    assert!(both.0.is_ok() && both.1.is_ok(), "{both:?}");
    assert_eq!(study_settings(&access, id).await.budget, Cents(6_000));
}

/// Whoever pauses a study does not have to wait until it is done, which may take longer than a browser waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_owner_does_is_done_though_nobody_waits_for_it() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    access.edit(Edit::Pause { reason: String::new() }).await.unwrap();
    hold(&world, "/submissions/");
    let syncing = access.clone();
    let syncing = tokio::spawn(async move { syncing.sync_study(id).await });
    is_holding(&world).await;
    hold(&world, &format!("GET /api/v1/studies/{study}/"));
    tokio::time::sleep(Duration::from_millis(200)).await;
    is_holding(&world).await;
    // The synchronisation waits for the panel, and these for the synchronisation.
    let wait = Duration::from_millis(200);
    assert!(tokio::time::timeout(wait, access.pause_study(id)).await.is_err());
    assert!(tokio::time::timeout(wait, access.set_study_limits(id, 7, Cents(7_000), false)).await.is_err());
    hold(&world, "");
    syncing.await.unwrap().unwrap();
    until("it has its limits", async || study_settings(&access, id).await.most_places == 7).await;
    let panel = access.panel(id).await.unwrap().panel;
    assert_eq!(panel.paused_with_campaign, 0, "its owner has paused it since");
    assert_eq!(world.sandbox.study(&study).unwrap().0, "PAUSED");
}

/// Places that the panel was asked for, and has not given, hold back money as long as it may still give them: the most of them, whoever asks for fewer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn places_that_were_asked_for_count_for_some_time() {
    let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
    let (id, study) = world.study(2, 4).await;
    let access = world.access().await;
    world.people(&study, 1).await;
    access.sync_study(id).await.unwrap();
    let all: Vec<_> = world.sandbox.submissions(&study).into_iter().map(|one| (one.id, Cents(50))).collect();
    // Enough for 9 people, or for 5 and a bonus of 50.
    access.set_study_limits(id, 4, Cents(909 + 303 + 61), false).await.unwrap();
    let ask = async |seconds_ago: i64| {
        let panel = access.panel(id).await.unwrap().panel;
        let at = Moment(SystemClock.now().0 - seconds_ago * 1_000_000);
        world.workspace.store().commit_places(&panel, panel.commitments, Some((9, at))).await.unwrap();
    };
    ask(0).await;
    access.grow_study(id, 5).await.unwrap();
    assert_eq!(access.panel(id).await.unwrap().panel.places_asked, Some(9));
    access.give_bonuses(id, &all).await.unwrap();
    let over = access.sync_study(id).await.unwrap_err().to_string();
    assert!(over.contains("above its budget"), "{over}");
    assert!(world.sandbox.ledger().bonuses.is_empty());
    // The patience of the panel's settings is 4 seconds.
    ask(5).await;
    assert_eq!(access.sync_study(id).await.unwrap().paid, 1);
}
