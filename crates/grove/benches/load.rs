//! `grove serve` under load, on SQLite and on PostgreSQL, or on one of them:
//!
//! ```sh
//! cargo bench -p taxogrove --bench load -- [SQLite|PostgreSQL] [--seconds S] [--against PROGRAM [--rounds N]]
//! ```
//!
//! With `--against`, this program and another take turns, each on a new database, and the median votes a second of both are
//! compared. Both have to know the schema of the database, which this program makes.
//!
//! Sixty-four connections; four of five requests ask for a question, one of five votes. One more connection asks for `/healthz` all the while, so that waiting
//! for a question can be compared with waiting for the machine. A hundred concepts, and the belief runs.

#[path = "../tests/served/client.rs"]
mod client;
#[path = "../../grove-store/tests/conformance/postgres.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod postgres;
#[path = "../tests/served/program.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod program;
#[path = "../tests/served/world.rs"]
mod world;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

use client::{Client, Failure};
use program::Program;
use world::World;

const CONNECTIONS: u64 = 64;
const CONCEPTS: usize = 100;

/// How long each request took.
#[derive(Default)]
struct Times {
    questions: Vec<Duration>,
    votes: Vec<Duration>,
    health: Vec<Duration>,
    refused: usize,
}

impl Times {
    fn add(&mut self, other: Self) {
        self.questions.extend(other.questions);
        self.votes.extend(other.votes);
        self.health.extend(other.health);
        self.refused += other.refused;
    }
}

/// What to measure, from the command line.
struct Options {
    databases: Vec<&'static str>,
    span: Duration,
    against: Option<PathBuf>,
    rounds: usize,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let (mut databases, mut seconds, mut against, mut rounds) = (Vec::new(), 60, None, 5);
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "SQLite" => databases.push("SQLite"),
                "PostgreSQL" => databases.push("PostgreSQL"),
                "--seconds" => seconds = value()?.parse()?,
                "--rounds" => rounds = value()?.parse::<usize>()?.max(1),
                "--against" => against = Some(std::fs::canonicalize(value()?)?),
                // cargo adds it.
                "--bench" => {}
                _ => seconds = argument.parse().map_err(|_| format!("unknown argument {argument}"))?,
            }
        }
        if databases.is_empty() {
            databases = vec!["SQLite", "PostgreSQL"];
        }
        Ok(Self { databases, span: Duration::from_secs(seconds), against, rounds })
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let folder = std::env::temp_dir().join(format!("grove-load-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder)?;
    let this = Path::new(program::THIS);
    for name in &options.databases {
        println!("{name}, {CONNECTIONS} connections, {CONCEPTS} concepts, {} s", options.span.as_secs());
        match &options.against {
            None => run(&new_database(name, &folder).await, this, options.span, true).await.map(drop)?,
            Some(other) => compare(name, &folder, [this, other], &options).await?,
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Where a new and empty database is.
async fn new_database(name: &str, folder: &Path) -> String {
    if name == "PostgreSQL" {
        return postgres::new_database().await;
    }
    folder.join(format!("{}.db", Uuid::new_v4())).display().to_string()
}

/// Runs two programs by turns and compares their medians.
async fn compare(name: &str, folder: &Path, programs: [&Path; 2], options: &Options) -> Result<(), Failure> {
    let mut rates = [Vec::new(), Vec::new()];
    for round in 1..=options.rounds {
        for (program, rates) in programs.iter().zip(&mut rates) {
            rates.push(run(&new_database(name, folder).await, program, options.span, false).await?);
        }
        let [this, other] = [0, 1].map(|at| rates[at][round - 1]);
        println!("  round {round}: {this:.0} and {other:.0} votes a second");
    }
    let [this, other] = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        (rates[(rates.len() - 1) / 2] + rates[rates.len() / 2]) / 2.0
    });
    println!(
        "  median: {this:.0} votes a second, {}: {other:.0}; ratio {:.3}",
        programs[1].display(),
        this / other
    );
    Ok(())
}

/// Runs a program under load; votes acknowledged a second.
async fn run(database: &str, binary: &Path, span: Duration, in_detail: bool) -> Result<f64, Failure> {
    let world = World::make(database, CONCEPTS, None).await;
    let program = Program::start_binary(binary, database);
    let address = program.address;
    // The campaign starts with its first visitor.
    let mut owner = Client::connect(address, world.owner()).await?;
    owner.get(&world.path("")).await?;
    let end = Instant::now() + span;
    let mut tasks = Vec::new();
    for number in 0..CONNECTIONS {
        tasks.push(tokio::spawn(press(world.clone(), address, number, end)));
    }
    tasks.push(tokio::spawn(breathe(address, end)));
    let mut times = Times::default();
    for task in tasks {
        times.add(task.await??);
    }
    let rate = times.votes.len() as f64 / span.as_secs_f64();
    if in_detail {
        println!("  {rate:.0} votes a second");
        show("next question", &mut times.questions);
        show("vote", &mut times.votes);
        show("health", &mut times.health);
        let ratio = rank(&times.questions, 0.99).as_secs_f64() / rank(&times.health, 0.99).as_secs_f64();
        println!("  p99 of a question / p99 of health: {ratio:.2}; requests refused: {}", times.refused);
        drain(&world, &mut owner).await?;
    }
    program.stop();
    Ok(rate)
}

/// One connection: asks four times as often as it votes. Asking again gives the same question again, as a page that is loaded anew does.
async fn press(
    world: World,
    address: std::net::SocketAddr,
    seed: u64,
    end: Instant,
) -> Result<Times, Failure> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut client = Client::connect(address, world.newcomer()).await?;
    let mut times = Times::default();
    let mut asked = None;
    while Instant::now() < end {
        match asked.take_if(|_| rng.random_range(0..5) == 0) {
            Some(question) => {
                let vote = world.vote(&question, &mut rng);
                let began = Instant::now();
                let (status, _) = client.post("/api/v1/work/votes", Some(&vote)).await?;
                times.votes.push(began.elapsed());
                times.refused += usize::from(status != 200);
            }
            None => {
                let began = Instant::now();
                asked = world.question(&mut client).await?;
                times.questions.push(began.elapsed());
            }
        }
    }
    Ok(times)
}

async fn breathe(address: std::net::SocketAddr, end: Instant) -> Result<Times, Failure> {
    let mut client = Client::connect(address, Vec::new()).await?;
    let mut times = Times::default();
    while Instant::now() < end {
        let began = Instant::now();
        client.get("/healthz").await?;
        times.health.push(began.elapsed());
        // To ask all the time would be a load of its own.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(times)
}

/// How far behind the belief was, and how long it took to catch up.
async fn drain(world: &World, owner: &mut Client) -> Result<(), Failure> {
    let began = Instant::now();
    let mut first = None;
    loop {
        let (_, campaign) = owner.get(&world.path("")).await?;
        let lag = campaign["lag"].as_u64().ok_or("a number")?;
        first.get_or_insert(lag);
        if lag == 0 {
            println!(
                "  the belief was {} votes behind, and had caught up after {:.1} s",
                first.unwrap_or(0),
                began.elapsed().as_secs_f64()
            );
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The time within which this share of sorted ones is.
fn rank(sorted: &[Duration], share: f64) -> Duration {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort();
    let [half, most] = [0.5, 0.99].map(|share| rank(times, share).as_secs_f64() * 1e3);
    println!("  {what}: {} requests, p50 {half:.1} ms, p99 {most:.1} ms", times.len());
}
