//! A process that casts votes and reports which were acknowledged: this test program, started again.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use grove_store::{
    Actor, Answer, CampaignId, Event, Kind, Moment, Question, Store, SubmittedVote, Vote, VoteId, WorkerId,
};
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use uuid::Uuid;

pub(crate) const NOW: Moment = Moment(1_800_000_000_000_000);
const CONCEPTS: u32 = 1_000;

/// How the writer works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WriterMode {
    /// Uses the store and reports a vote when it is acknowledged.
    Honest,
    /// Uses the store and reports a vote before it is recorded.
    Hasty,
    /// Uses the store, reports a vote when it is acknowledged, and goes on with the next if it is refused.
    Stubborn,
    /// Uses the store and reports a vote whether it is acknowledged or refused.
    Careless,
    /// Uses SQLite without the store and flushes less: `synchronous=NORMAL`.
    Normal,
    /// Uses SQLite without the store and flushes nothing: `synchronous=OFF`.
    Off,
}

const MODES: [(WriterMode, &str); 6] = [
    (WriterMode::Honest, "honest"),
    (WriterMode::Hasty, "hasty"),
    (WriterMode::Stubborn, "stubborn"),
    (WriterMode::Careless, "careless"),
    (WriterMode::Normal, "normal"),
    (WriterMode::Off, "off"),
];

/// Creates a store with one campaign.
pub(crate) async fn prepare(place: &str) -> CampaignId {
    let store = Store::open(place).await.unwrap();
    let campaign = CampaignId(Uuid::now_v7());
    store.create_campaign(campaign, None, "durability", NOW).await.unwrap();
    let concepts = (1..=CONCEPTS).map(|concept| Event::ConceptAdded {
        concept,
        name: format!("concept {concept}"),
        definition: String::new(),
        synonyms: Vec::new(),
        article: String::new(),
        origin: serde_json::Value::Null,
    });
    store.append(campaign, NOW, Actor::Grove, concepts.collect()).await.unwrap();
    store.close().await;
    campaign
}

/// Returns the command that starts a writer with this many clients and votes per client. It writes a line with the vote's id for each
/// acknowledged vote, to its output or to a file.
pub(crate) fn command(
    place: &str,
    campaign: CampaignId,
    mode: WriterMode,
    clients: u32,
    votes: u32,
) -> Command {
    let (_, mode) = MODES.iter().find(|(it, _)| *it == mode).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "writer::write_votes", "--ignored", "--nocapture", "--test-threads=1"])
        .env("WRITER_PLACE", place)
        .env("WRITER_CAMPAIGN", campaign.to_string())
        .env("WRITER_MODE", mode)
        .env("WRITER_CLIENTS", clients.to_string())
        .env("WRITER_VOTES", votes.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Parses a line of a writer's output.
pub(crate) fn acknowledged(line: &str) -> Option<VoteId> {
    line.strip_prefix("recorded ").and_then(|id| Uuid::parse_str(id.trim()).ok()).map(VoteId)
}

/// Returns how many acknowledged votes the database has lost, or the first inconsistency found in it.
pub(crate) async fn lost(
    place: &str,
    campaign: CampaignId,
    acknowledged: &[VoteId],
) -> Result<usize, String> {
    let store = Store::open(place).await.map_err(|error| error.to_string())?;
    let findings = store.doctor().await.map_err(|error| error.to_string())?;
    let mut lost = 0;
    for &vote in acknowledged {
        let found = store.vote(campaign, vote).await.map_err(|error| error.to_string())?;
        lost += usize::from(found.is_none());
    }
    store.close().await;
    match findings.first() {
        Some(finding) => Err(finding.problem.clone()),
        None => Ok(lost),
    }
}

#[test]
#[ignore = "a process that other tests start"]
fn write_votes() {
    let Ok(place) = std::env::var("WRITER_PLACE") else { return };
    let number = |name: &str| std::env::var(name).unwrap().parse::<u32>().unwrap();
    let campaign = CampaignId(std::env::var("WRITER_CAMPAIGN").unwrap().parse().unwrap());
    let mode = std::env::var("WRITER_MODE").unwrap();
    let (mode, _) = *MODES.iter().find(|(_, name)| *name == mode).unwrap();
    let (clients, votes) = (number("WRITER_CLIENTS"), number("WRITER_VOTES"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        match mode {
            WriterMode::Honest | WriterMode::Hasty | WriterMode::Stubborn | WriterMode::Careless => {
                through_the_store(&place, campaign, mode, clients, votes).await
            }
            WriterMode::Normal => around_the_store(&place, campaign, "NORMAL", votes).await,
            WriterMode::Off => around_the_store(&place, campaign, "OFF", votes).await,
        }
    });
    // Exits without closing anything, like a crash.
    std::process::exit(0);
}

fn vote(client: u32, number: u32) -> SubmittedVote {
    let question = Question { kind: Kind::Path, upper: 0, lower: number % CONCEPTS + 1 };
    let worker =
        WorkerId::new(format!("worker {client} {} {}", number / CONCEPTS, std::process::id())).unwrap();
    let vote = Vote { worker, question, answer: Answer::Yes };
    SubmittedVote::new(VoteId(Uuid::now_v7()), vote)
}

fn acknowledge(vote: VoteId) {
    let line = format!("recorded {vote}\n");
    match std::env::var("WRITER_ACKNOWLEDGES_TO") {
        Ok(path) => {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
            file.unwrap().write_all(line.as_bytes()).unwrap();
        }
        Err(_) => {
            let mut out = std::io::stdout().lock();
            out.write_all(line.as_bytes()).unwrap();
            out.flush().unwrap();
        }
    }
}

async fn through_the_store(place: &str, campaign: CampaignId, mode: WriterMode, clients: u32, votes: u32) {
    let store = Store::open(place).await.unwrap();
    let clients: Vec<_> = (0..clients)
        .map(|client| {
            let store = store.clone();
            tokio::spawn(async move {
                for number in 0..votes {
                    let vote = vote(client, number);
                    let id = vote.id;
                    if mode == WriterMode::Hasty {
                        acknowledge(id);
                    }
                    let cast = store.cast(campaign, NOW, vote).await;
                    match mode {
                        WriterMode::Stubborn if cast.is_err() => {}
                        WriterMode::Careless => acknowledge(id),
                        WriterMode::Hasty => drop(cast.unwrap()),
                        _ => cast.map(|_| acknowledge(id)).unwrap(),
                    }
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
}

/// Writes what the store would write, with its own connection and another `synchronous`.
async fn around_the_store(place: &str, campaign: CampaignId, synchronous: &'static str, votes: u32) {
    let mut db = SqliteConnection::connect(place).await.unwrap();
    let pragma = match synchronous {
        "OFF" => "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF",
        _ => "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
    };
    db.execute(sqlx::raw_sql(pragma)).await.unwrap();
    for number in 0..votes {
        let vote = vote(0, number);
        let position = i64::from(CONCEPTS + number + 1);
        let lower = vote.response.screen.question().unwrap().lower;
        let body = serde_json::json!({
            "v": 1, "event": "vote_cast", "vote": vote.id, "worker": vote.response.worker,
            "kind": "path", "upper": 0, "lower": lower, "answer": "yes",
        });
        db.execute(sqlx::raw_sql("BEGIN IMMEDIATE")).await.unwrap();
        sqlx::query("INSERT INTO log VALUES ($1, $2, $3, $4, 'vote_cast', $5)")
            .bind(campaign.0)
            .bind(position)
            .bind(NOW.0)
            .bind(format!("worker:{}", vote.response.worker))
            .bind(body.to_string())
            .execute(&mut db)
            .await
            .unwrap();
        sqlx::query("INSERT INTO votes VALUES ($1, $2, $3, $4, $5, NULL, NULL)")
            .bind(campaign.0)
            .bind(vote.id.0)
            .bind(vote.response.worker.as_str())
            .bind(format!("path 0 {lower}"))
            .bind(position)
            .execute(&mut db)
            .await
            .unwrap();
        sqlx::query("UPDATE campaigns SET head = $2, votes = votes + 1 WHERE id = $1")
            .bind(campaign.0)
            .bind(position)
            .execute(&mut db)
            .await
            .unwrap();
        db.execute(sqlx::raw_sql("COMMIT")).await.unwrap();
        acknowledge(vote.id);
    }
}

/// A temporary folder.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(format!("grove-durability-{}", Uuid::now_v7()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}
