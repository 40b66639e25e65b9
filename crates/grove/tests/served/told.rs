//! What goes wrong is told to the operator: by one line of the log and not by thousands, and by a metric.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use grove_campaign::{Clock as _, SystemClock};
use grove_store::{
    Actor, Answer, Claim, Event, HolderId, Kind, Question, Store, SubmittedVote, Vote, VoteId, WorkerId,
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use uuid::Uuid;

use crate::client::Client;
use crate::kill::{each_vote_once, log};
use crate::postgres;
use crate::program::Program;
use crate::world::World;

const CONCEPTS: usize = 8;
const TREES: u32 = 32;

/// A folder for a database, and beside it what the server says. Removed with the test.
struct Place {
    folder: PathBuf,
    database: String,
}

impl Place {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("grove-told-{}", Uuid::new_v4()));
        std::fs::create_dir_all(folder.join("disk")).expect("a new folder");
        let database = folder.join("disk/grove.db").display().to_string();
        Self { folder, database }
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn start(&self, database: &str, environment: &[(&str, String)]) -> Program {
        let log = File::create(self.file("log")).expect("the folder is ours");
        Program::start_logged(database, log, environment)
    }

    /// The lines of the log that hold a text.
    fn told(&self, text: &str) -> Vec<String> {
        let log = std::fs::read_to_string(self.file("log")).expect("the server writes one");
        log.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
    }

    /// Waits until the log holds a text. Fails after a minute.
    async fn is_told(&self, text: &str) -> String {
        let began = Instant::now();
        loop {
            if let Some(line) = self.told(text).first() {
                return line.clone();
            }
            assert!(began.elapsed() < Duration::from_secs(60), "nobody is told: {text}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A metric of a server.
fn metric(address: SocketAddr, name: &str) -> f64 {
    let mut stream = TcpStream::connect(address).expect("it listens");
    // An older version of HTTP, in which the text comes in one piece.
    write!(stream, "GET /metrics HTTP/1.0\r\nhost: {address}\r\n\r\n").expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers");
    let value = text.lines().find_map(|line| line.strip_prefix(&format!("grove_{name} "))?.parse().ok());
    value.unwrap_or_else(|| panic!("no {name} in {text}"))
}

/// Votes while nothing can be stored: 507 each time, one line, a counter; and the vote is taken when there is room again.
async fn a_full_disk_is_told(
    place: &Place,
    database: &str,
    program: &Program,
    world: &World,
    make: impl AsyncFn(bool),
) {
    let mut worker = Client::connect(program.address, world.newcomer()).await.expect("it listens");
    let question = world.question(&mut worker).await.expect("it answers").expect("a question");
    let vote = world.vote(&question, &mut ChaCha8Rng::seed_from_u64(1));
    let before = metric(program.address, "write_errors");
    make(true).await;
    for _ in 0..20 {
        let (status, refusal) = worker.post("/api/v1/work/votes", Some(&vote)).await.expect("it answers");
        assert_eq!((status, refusal["error"].as_str()), (507, Some("no_room")), "{refusal}");
    }
    let told = place.told("nothing can be saved");
    assert!(told.len() == 1 && told[0].contains("ERROR") && told[0].contains("disk"), "{told:?}");
    assert!(metric(program.address, "write_errors") >= before + 20.0);
    make(false).await;
    let (status, receipt) = worker.post("/api/v1/work/votes", Some(&vote)).await.expect("it answers");
    assert_eq!(status, 200, "{receipt}");
    let id = Uuid::parse_str(vote["id"].as_str().expect("a text")).expect("an id");
    each_vote_once(&log(database, world).await, &[VoteId(id)]);
}

/// A server that nobody listens to serves all the same: what started it may have ended, or read only the first line.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_goes_on_when_nobody_reads_what_it_prints() {
    let place = Place::new();
    let free =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a free port");
    let mut command = Command::new(crate::program::THIS);
    command.args(["serve", "--quiet", "--database", &place.database, "--listen", &free.to_string()]);
    let mut server = command.stdout(std::process::Stdio::piped()).spawn().expect("the program is there");
    drop(server.stdout.take());
    let began = Instant::now();
    while TcpStream::connect(free).is_err() && began.elapsed() < Duration::from_secs(20) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let ended = server.try_wait().expect("it is ours");
    let _ = server.kill();
    let _ = server.wait();
    assert_eq!(ended, None, "the server ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_with_sqlite() {
    let place = Place::new();
    let world = World::make(&place.database, CONCEPTS, Some(TREES)).await;
    let library = place.file("recorder.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../grove-store/tests/durability/recorder.c");
    let compiled =
        Command::new("cc").args(["-O2", "-shared", "-fPIC", "-o", &library, source, "-ldl"]).status();
    assert!(compiled.expect("there is a C compiler, since SQLite was compiled").success());
    // Calls fail with ENOSPC while the file is there.
    let full = place.file("full");
    let environment = [
        ("LD_PRELOAD", library),
        ("RECORD_FOLDER", place.file("disk")),
        ("RECORD_TO", place.file("record")),
        ("FAIL_CALL", "write".to_owned()),
        ("FAIL_WITH", "28".to_owned()),
        ("FAIL_WHILE", full.clone()),
    ];
    let program = place.start(&place.database, &environment);
    let make = async |is_full: bool| {
        let done = if is_full { std::fs::write(&full, "") } else { std::fs::remove_file(&full) };
        done.expect("the folder is ours");
    };
    a_full_disk_is_told(&place, &place.database, &program, &world, make).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_with_postgres() {
    if postgres::is_missing() {
        return;
    }
    let (place, database) = (Place::new(), postgres::new_database().await);
    let world = World::make(&database, CONCEPTS, Some(TREES)).await;
    let program = place.start(&database, &[]);
    let mut db = PgConnection::connect(&database).await.expect("the database runs");
    db.execute(sqlx::raw_sql(
        "CREATE TABLE grove.full (is_full boolean); INSERT INTO grove.full VALUES (false);
         CREATE FUNCTION grove.fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF (SELECT is_full FROM grove.full) THEN
             RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
           END IF;
           RETURN NEW;
         END $$;
         CREATE TRIGGER fill BEFORE INSERT ON grove.log FOR EACH ROW EXECUTE FUNCTION grove.fill()",
    ))
    .await
    .expect("the tables are there");
    let make = async |is_full: bool| {
        let mut db = PgConnection::connect(&database).await.expect("the database runs");
        let set = sqlx::query("UPDATE grove.full SET is_full = $1").bind(is_full);
        set.execute(&mut db).await.expect("the table is there");
    };
    a_full_disk_is_told(&place, &database, &program, &world, make).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_logins_are_told() {
    let place = Place::new();
    World::make(&place.database, CONCEPTS, Some(TREES)).await;
    let program = place.start(&place.database, &[]);
    let mut client = Client::connect(program.address, Vec::new()).await.expect("it listens");
    assert!(client.log_in("ann", "a long password").await.expect("it answers").is_some());
    assert_eq!(place.told("a login failed"), [""; 0], "the control: a good one is no failure");
    for name in ["ann", "nobody of that name"] {
        assert_eq!(client.log_in(name, "not this one").await.expect("it answers"), None);
    }
    let told = place.told("a login failed");
    assert!(told.len() == 2 && told.iter().all(|line| line.contains("address=127.0.0.1")), "{told:?}");
    assert!(told[1].contains("unknown"), "{told:?}");
    assert_eq!(metric(program.address, "failed_logins_total"), 2.0);
    // Some people type their password where the name belongs.
    assert_eq!(place.told("not this one").len() + place.told("of that name").len(), 0);
}

/// Another program holds the belief and does not move it, while votes arrive.
#[tokio::test(flavor = "multi_thread")]
async fn a_belief_far_behind_is_told() {
    let place = Place::new();
    let world = World::make(&place.database, CONCEPTS, Some(TREES)).await;
    let mut db = SqliteConnection::connect(&place.database).await.expect("the database is there");
    db.execute("DELETE FROM holders").await.expect("the table is there");
    db.close().await.expect("nobody else uses it");
    let store = Store::open(&place.database).await.expect("the database is whole");
    let holder = HolderId(Uuid::new_v4());
    let claim = Claim { holder, name: "another".to_owned(), term: Duration::from_secs(300) };
    let held = store.hold_belief(world.campaign, claim, SystemClock.now()).await.expect("it is free");
    assert_eq!(held.holder, holder);
    let program = place.start(&place.database, &[]);
    let votes = (0..1_500).map(|number| {
        let question = Question { kind: Kind::Path, upper: 1 + number % 4, lower: 5 + number / 4 % 4 };
        let worker = WorkerId::new(format!("worker {number}")).expect("a name");
        let vote = Vote { worker, question, answer: Answer::No };
        Event::VoteCast(SubmittedVote::new(VoteId(Uuid::now_v7()), vote))
    });
    let cast = store.append(world.campaign, SystemClock.now(), Actor::Grove, votes.collect()).await;
    cast.expect("each is asked once");
    let told = place.is_told("the belief is far behind its votes").await;
    assert!(told.contains("WARN") && told.contains(&world.campaign.to_string()), "{told}");
    assert!(told.contains("votes=1500"), "{told}");
    assert_eq!(metric(program.address, "belief_lag"), 1500.0);
    assert_eq!(place.told("the belief has caught up"), [""; 0]);
    store.release_belief(world.campaign, holder).await.expect("it is ours");
    store.close().await;
    place.is_told("the belief has caught up").await;
    assert_eq!(place.told("far behind").len(), 1, "once, however often it is looked at");
    assert_eq!(metric(program.address, "belief_lag"), 0.0);
}

/// The records of a log are changed behind the program's back.
#[tokio::test(flavor = "multi_thread")]
async fn a_digest_that_does_not_match_is_told() {
    let place = Place::new();
    let world = World::make(&place.database, CONCEPTS, Some(TREES)).await;
    let program = place.start(&place.database, &[]);
    let mut owner = Client::connect(program.address, world.owner()).await.expect("it listens");
    let mut worker = Client::connect(program.address, world.newcomer()).await.expect("it listens");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..10 {
        let question = world.question(&mut worker).await.expect("it answers").expect("a question");
        let vote = world.vote(&question, &mut rng);
        assert_eq!(worker.post("/api/v1/work/votes", Some(&vote)).await.expect("it answers").0, 200);
    }
    let began = Instant::now();
    while owner.get(&world.path("")).await.expect("it answers").1["lag"] != 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "the belief does not catch up");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    program.stop();

    // The control: nothing is told where nothing was changed.
    for is_changed in [false, true] {
        let mut db = SqliteConnection::connect(&place.database).await.expect("the database is there");
        // Without a stored belief the next start has to replay the log.
        db.execute("DELETE FROM snapshots").await.expect("the table is there");
        if is_changed {
            let sql = "UPDATE log SET body = json_set(body, '$.work.digest', '0000000000000001') WHERE kind = 'advanced'";
            let changed = db.execute(sql).await.expect("the table is there").rows_affected();
            assert!(changed > 0, "the belief was never recorded");
        }
        db.close().await.expect("nobody else uses it");
        let program = place.start(&place.database, &[]);
        let mut owner = Client::connect(program.address, world.owner()).await.expect("it listens");
        let began = Instant::now();
        while owner.get("/readyz").await.expect("it answers").0 != 200 {
            assert!(began.elapsed() < Duration::from_secs(60), "it does not get ready");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        if is_changed {
            let told = place.is_told("replaying the log does not give the recorded belief").await;
            assert!(told.contains("ERROR") && told.contains(&world.campaign.to_string()), "{told}");
        } else {
            // As long as the belief takes to come back, and longer.
            tokio::time::sleep(Duration::from_secs(2)).await;
            assert_eq!(place.told("replaying the log does not"), [""; 0]);
        }
        assert_eq!(metric(program.address, "belief_mismatches"), f64::from(u8::from(is_changed)));
        program.stop();
    }
}

/// A newer program has upgraded the database: this one says so, and that it is not ready.
#[tokio::test(flavor = "multi_thread")]
async fn an_upgraded_database_is_told() {
    let place = Place::new();
    let world = World::make(&place.database, CONCEPTS, Some(TREES)).await;
    let program = place.start(&place.database, &[]);
    let mut client = Client::connect(program.address, world.newcomer()).await.expect("it listens");
    let question = world.question(&mut client).await.expect("it answers").expect("a question");
    let vote = world.vote(&question, &mut ChaCha8Rng::seed_from_u64(1));
    let began = Instant::now();
    while client.get("/readyz").await.expect("it answers").0 != 200 {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not get ready");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let set_version = async |sql: &'static str| {
        let mut db = SqliteConnection::connect(&place.database).await.expect("the database is there");
        db.execute(sql).await.expect("the table is there");
    };
    set_version("UPDATE grove_schema SET version = version + 1").await;
    for _ in 0..5 {
        assert_eq!(client.get("/readyz").await.expect("it answers").0, 503);
    }
    assert_eq!(client.get("/healthz").await.expect("it answers").0, 200);
    assert_eq!(client.post("/api/v1/work/votes", Some(&vote)).await.expect("it answers").0, 503);
    let told = place.told("the database was upgraded");
    assert!(told.len() == 1 && told[0].contains("install the newer version of Grove"), "{told:?}");
    // The control: it is the version that counts.
    set_version("UPDATE grove_schema SET version = version - 1").await;
    assert_eq!(client.get("/readyz").await.expect("it answers").0, 200);
}
