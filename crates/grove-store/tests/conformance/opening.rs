//! Databases that cannot be opened.

use grove_store::{Error, Store};
use uuid::Uuid;

use crate::fixture::{Fixture, NOW, new_folder};
use crate::postgres::{self, Server};

#[tokio::test]
async fn other_files_are_refused_and_left_alone() {
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
async fn another_programs_database_is_refused() {
    let fixture = Fixture::sqlite().await;
    fixture.sql("DROP TABLE grove_schema").await;
    assert!(matches!(Store::open(&fixture.place).await, Err(Error::NotADatabase(_))));
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let mut fixtures = vec![Fixture::sqlite().await];
    if !postgres::is_missing() {
        fixtures.push(Fixture::postgres().await);
    }
    for fixture in fixtures {
        fixture.store.check().await.unwrap();
        fixture.sql("UPDATE grove_schema SET version = 99").await;
        // By those that have opened it before, too.
        assert!(matches!(fixture.store.check().await, Err(Error::NewerSchema { found: 99, .. })));
        let refusal = Store::open(&fixture.place).await;
        assert!(matches!(refusal, Err(Error::NewerSchema { found: 99, known: 6 })), "{refusal:?}");
        let message = refusal.unwrap_err().to_string();
        assert!(message.contains("install the newer version") && !message.contains('\n'), "{message}");
    }
}

/// Several programs may open a new database at the same moment. On files a clash takes some luck, hence several.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_starts_make_one_schema() {
    let folder = new_folder();
    let mut places: Vec<_> =
        (0..20).map(|at| folder.join(format!("{at}.db")).display().to_string()).collect();
    if !postgres::is_missing() {
        places.push(postgres::new_database().await);
    }
    for place in places {
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
async fn unsafe_settings_of_postgresql_are_refused() {
    if postgres::is_missing() {
        return;
    }
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
async fn an_unreachable_database_is_reported() {
    let refusal = Store::open("postgres://grove:secret@127.0.0.1:1/grove").await;
    assert!(matches!(refusal, Err(Error::Unreachable(_))), "{refusal:?}");
    assert!(!format!("{refusal:?}{}", refusal.as_ref().unwrap_err()).contains("secret"));
}
