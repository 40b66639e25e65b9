//! `kill -9` of the server while it approves and pays: nobody is paid twice, nobody is forgotten.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use grove_campaign::operations::{Caller, Workspace};
use grove_campaign::{NewConcept, Settings, SystemClock};
use grove_crowd::{Cents, Crowds};
use grove_sandbox::{Sandbox, SandboxOptions};
use grove_server::{Config, Server};
use grove_store::Store;

use crate::world::{connection, new_database, settings, until};

/// Where the child finds its panel and its database.
const CHILD: &str = "GROVE_TEST_CROWDS_CHILD";

/// The server that is killed: this test binary, started again by the other tests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "started by the other tests"]
async fn child() {
    let Ok(told) = std::env::var(CHILD) else { return };
    let [url, token, workspace, hooks, database] = told.split('|').collect::<Vec<_>>()[..] else {
        panic!("{told}")
    };
    let crowds = Crowds::parse("poll_seconds = 0.05").unwrap();
    let config = Config {
        listen: ([127, 0, 0, 1], 0).into(),
        database: database.to_owned(),
        crowds: crowds.with_panel(connection(url, token, workspace, hooks)),
        ..Config::default()
    };
    Server::bind(&config).await.unwrap().run(std::future::pending()).await.unwrap();
}

fn start(sandbox: &Sandbox, database: &Path) -> Child {
    let told = [
        sandbox.url(),
        sandbox.token(),
        sandbox.workspace(),
        sandbox.hook_secret(),
        database.display().to_string(),
    ];
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kills::child", "--ignored", "--nocapture"])
        .env(CHILD, told.join("|"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

async fn survives(kills: u32, people: u32) {
    let options = SandboxOptions {
        bad_gateways: 100,
        bonus_delay: Duration::from_millis(100),
        balance: 100_000_000,
        ..SandboxOptions::default()
    };
    let sandbox = Sandbox::start(SandboxOptions { bad_gateways: 0, ..options.clone() }).await.unwrap();
    let database = new_database();
    let panel = connection(&sandbox.url(), &sandbox.token(), &sandbox.workspace(), &sandbox.hook_secret());
    let store = Store::open(database.to_str().unwrap()).await.unwrap();
    let workspace =
        Workspace::new(store.clone(), Arc::new(SystemClock)).with_crowds(Crowds::default().with_panel(panel));
    let names = ["fruit", "lime"].map(NewConcept::named);
    let campaign =
        workspace.create_campaign(&Caller::local(), "food", Settings::default(), &names).await.unwrap();
    let access = workspace.campaign(Caller::local(), campaign).await.unwrap();
    let id = access.add_panel("study", Some("local"), settings(8, people)).await.unwrap();
    access.draft_study(id, "http://127.0.0.1:9").await.unwrap();
    access.publish_study(id, None).await.unwrap();
    let study = access.panel(id).await.unwrap().panel.study.unwrap();
    let visits: Vec<_> = std::iter::from_fn(|| sandbox.take_place(&study)).collect();
    for visit in &visits {
        sandbox.hand_in(&visit.submission, "DONE1234");
    }
    access.sync_study(id).await.unwrap();
    let submissions: Vec<String> = visits.iter().map(|visit| visit.submission.clone()).collect();
    access.approve(id, submissions.clone()).await.unwrap();
    workspace.stop_all().await;
    sandbox.change(|now| now.bad_gateways = options.bad_gateways);

    let mut wait = 60;
    for kill in 0..kills {
        // Bonuses come in over time, so that there is always something to pay.
        let share = submissions.len().div_ceil(kills as usize);
        let due: Vec<(String, Cents)> = submissions
            .iter()
            .skip(kill as usize * share)
            .take(share)
            .map(|one| (one.clone(), Cents(25)))
            .collect();
        access.give_bonuses(id, &due).await.unwrap();
        let mut server = start(&sandbox, &database);
        tokio::time::sleep(Duration::from_millis(wait)).await;
        server.kill().unwrap();
        server.wait().unwrap();
        wait = 60 + (wait * 7 + 13) % 500;
    }
    let mut server = start(&sandbox, &database);
    until("everybody is approved and paid", async || {
        let ledger = sandbox.ledger();
        ledger.rewards.len() == submissions.len() && ledger.bonuses.len() == submissions.len()
    })
    .await;
    // Long enough that whatever is still under way is paid too.
    tokio::time::sleep(Duration::from_secs(5)).await;
    server.kill().unwrap();
    server.wait().unwrap();
    let ledger = sandbox.ledger();
    for one in &submissions {
        assert_eq!(ledger.rewards[one], 1, "{one}");
        assert_eq!(ledger.bonuses[one], [25], "{one}");
    }
    let journal = store.bonuses_of(id).await.unwrap();
    assert!(journal.iter().all(|one| one.status == "paid"), "{journal:?}");
    store.close().await;
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", database.display()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_paid_twice_or_forgotten_when_the_server_is_killed() {
    survives(6, 24).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes some minutes"]
async fn long_nobody_is_paid_twice_or_forgotten_over_a_hundred_kills() {
    survives(100, 200).await;
}
