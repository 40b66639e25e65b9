//! What is refused at the door.

use grove_store::{Error, Store};
use uuid::Uuid;

use crate::bench::{Bench, NOW, new_folder};
use crate::postgres::Server;

#[tokio::test]
async fn what_is_no_database_is_left_alone() {
    let folder = new_folder();
    let letter = folder.join("letter.txt");
    std::fs::write(&letter, "Dear Grove,\n".repeat(1_000)).unwrap();
    let refusal = Store::open(&letter.display().to_string()).await;
    assert!(
        matches!(&refusal, Err(Error::NotADatabase(path)) if path.ends_with("letter.txt")),
        "{refusal:?}"
    );
    assert!(std::fs::read_to_string(&letter).unwrap().starts_with("Dear Grove"));

    let missing = folder.join("no/such/folder/grove.db");
    let refusal = Store::open(&missing.display().to_string()).await;
    assert!(matches!(refusal, Err(Error::File { .. })), "{refusal:?}");
    for bad in ["", "mysql://host/name", "http://host"] {
        assert!(matches!(Store::open(bad).await, Err(Error::BadUrl(_))), "{bad:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn another_programs_database_is_left_alone() {
    let bench = Bench::sqlite().await;
    bench.sql("DROP TABLE grove_schema").await;
    assert!(matches!(Store::open(&bench.place).await, Err(Error::NotADatabase(_))));
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    for bench in [Bench::sqlite().await, Bench::postgres().await] {
        bench.sql("UPDATE grove_schema SET version = 99").await;
        let refusal = Store::open(&bench.place).await;
        assert!(matches!(refusal, Err(Error::NewerSchema { found: 99, .. })), "{refusal:?}");
    }
}

/// Many programs may start at the same moment on an empty database. On files it takes some luck for one to get into another's way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_start_together_make_one_schema() {
    let folder = new_folder();
    let files = (0..20).map(|at| folder.join(format!("{at}.db")).display().to_string());
    for place in files.chain([crate::postgres::new_database().await]) {
        let opened: Vec<_> = (0..6)
            .map(|_| {
                let place = place.clone();
                tokio::spawn(async move { Store::open(&place).await })
            })
            .collect();
        for one in opened {
            let store = one.await.unwrap().unwrap();
            let id = grove_store::CampaignId(Uuid::now_v7());
            store.create_campaign(id, None, &id.to_string(), NOW).await.unwrap();
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_postgresql_that_may_lose_votes_is_refused() {
    for setting in ["fsync", "full_page_writes", "synchronous_commit"] {
        let server = Server::start(&format!("-c {setting}=off"));
        let refusal = Store::open(&server.new_database().await).await;
        assert!(
            matches!(refusal, Err(Error::Unsafe { setting: named, .. }) if named == setting),
            "{refusal:?}"
        );
    }
}

#[tokio::test]
async fn an_unreachable_database_says_so() {
    let refusal = Store::open("postgres://grove:secret@127.0.0.1:1/grove").await;
    assert!(matches!(refusal, Err(Error::Unreachable(_))), "{refusal:?}");
    assert!(!format!("{refusal:?}{}", refusal.as_ref().unwrap_err()).contains("secret"));
}
