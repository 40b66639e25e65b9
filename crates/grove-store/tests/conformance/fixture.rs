//! A new store for each test, and small helpers.

use std::path::PathBuf;
use std::sync::Arc;

use grove_store::{
    Actor, Answer, CampaignId, Event, Kind, Moment, Question, Store, SubmittedVote, Vote, VoteId, WorkerId,
};
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::postgres;

async fn naive_count(place: &str, sqlite: bool) -> i64 {
    count(place, sqlite, "SELECT count(*) FROM naive").await
}

async fn count(place: &str, sqlite: bool, count: &'static str) -> i64 {
    if sqlite {
        let mut db = SqliteConnection::connect(place).await.unwrap();
        sqlx::query_scalar(count).fetch_one(&mut db).await.unwrap()
    } else {
        let mut db = PgConnection::connect(place).await.unwrap();
        db.execute(sqlx::raw_sql("SET search_path TO grove")).await.unwrap();
        sqlx::query_scalar(count).fetch_one(&mut db).await.unwrap()
    }
}

async fn naive_cast(place: String, sqlite: bool, all_have_counted: Arc<Barrier>) {
    let count = naive_count(&place, sqlite).await;
    all_have_counted.wait().await;
    if count > 0 {
        return;
    }
    let insert = "INSERT INTO naive VALUES (1)";
    if sqlite {
        let mut db = SqliteConnection::connect(&place).await.unwrap();
        db.execute(sqlx::raw_sql(insert)).await.unwrap();
    } else {
        let mut db = PgConnection::connect(&place).await.unwrap();
        db.execute(sqlx::raw_sql("SET search_path TO grove")).await.unwrap();
        db.execute(sqlx::raw_sql(insert)).await.unwrap();
    }
}

/// A store of its own for each test.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    /// The path or URL.
    pub(crate) place: String,
    folder: Option<PathBuf>,
    scratch: PathBuf,
}

impl Fixture {
    pub(crate) async fn sqlite() -> Self {
        let folder = new_folder();
        let place = folder.join("grove.db").display().to_string();
        Self { store: Store::open(&place).await.unwrap(), place, folder: Some(folder), scratch: new_folder() }
    }

    pub(crate) async fn postgres() -> Self {
        let place = postgres::new_database().await;
        Self { store: Store::open(&place).await.unwrap(), place, folder: None, scratch: new_folder() }
    }

    /// Creates a campaign with this many concepts.
    pub(crate) async fn campaign(&self, concepts: u32) -> CampaignId {
        let campaign = CampaignId(Uuid::now_v7());
        self.store.create_campaign(campaign, None, &format!("campaign {campaign}"), NOW).await.unwrap();
        let added = (1..=concepts).map(concept).collect();
        self.store.append(campaign, NOW, Actor::Grove, added).await.unwrap();
        campaign
    }
}

impl Fixture {
    pub(crate) fn is_sqlite(&self) -> bool {
        self.folder.is_some()
    }

    /// Opens another store on the same database, like another program.
    pub(crate) async fn again(&self) -> Store {
        Store::open(&self.place).await.unwrap()
    }

    /// Runs SQL without the store.
    pub(crate) async fn sql(&self, sql: &'static str) {
        if self.is_sqlite() {
            let mut db = SqliteConnection::connect(&self.place).await.unwrap();
            db.execute(sqlx::raw_sql(sql)).await.unwrap();
        } else {
            let mut db = PgConnection::connect(&self.place).await.unwrap();
            db.execute(sqlx::raw_sql("SET search_path TO grove")).await.unwrap();
            db.execute(sqlx::raw_sql(sql)).await.unwrap();
        }
    }

    /// The number that a query without the store gives.
    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        count(&self.place, self.is_sqlite(), sql).await
    }

    /// Does what a store without the constraint would do: each client looks whether the vote exists, and inserts it if not. Returns the
    /// number of rows.
    pub(crate) async fn count_then_insert(&self, clients: usize) -> i64 {
        self.sql("CREATE TABLE naive (vote INTEGER)").await;
        let all_have_counted = Arc::new(Barrier::new(clients));
        let sent: Vec<_> = (0..clients)
            .map(|_| tokio::spawn(naive_cast(self.place.clone(), self.is_sqlite(), all_have_counted.clone())))
            .collect();
        for one in sent {
            one.await.unwrap();
        }
        naive_count(&self.place, self.is_sqlite()).await
    }

    /// Checks that a name is not in the files. (PostgreSQL keeps dead rows until its next vacuum.)
    pub(crate) async fn contains_no_trace_of(&self, name: &str) {
        let Some(folder) = &self.folder else { return };
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(name.len()).any(|window| window == name.as_bytes());
            assert!(!found, "{name} is still in {}", path.display());
        }
    }

    /// A path for a file of the test.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        for folder in self.folder.iter().chain([&self.scratch]) {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

pub(crate) fn new_folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("grove-store-{}", Uuid::now_v7()));
    std::fs::create_dir(&folder).unwrap();
    folder
}

pub(crate) const NOW: Moment = Moment(1_800_000_000_000_000);

pub(crate) fn concept(number: u32) -> Event {
    Event::ConceptAdded {
        concept: number,
        name: format!("concept {number}"),
        definition: String::new(),
        synonyms: Vec::new(),
        article: String::new(),
        origin: serde_json::Value::Null,
    }
}

pub(crate) fn worker(name: &str) -> WorkerId {
    WorkerId::new(name).unwrap()
}

pub(crate) fn path(upper: u32, lower: u32) -> Question {
    Question { kind: Kind::Path, upper, lower }
}

pub(crate) fn vote(who: &str, question: Question, answer: Answer) -> SubmittedVote {
    SubmittedVote::new(VoteId(Uuid::now_v7()), Vote { worker: worker(who), question, answer })
}
