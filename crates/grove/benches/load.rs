//! `grove serve` under load, on SQLite and on PostgreSQL, or on one of them: `cargo bench -p grove --bench load -- [SECONDS] [DATABASE]`.
//!
//! Sixty-four connections; four of five requests ask for a question, one of five votes. One more connection asks for `/healthz` all the while, so that waiting
//! for a question can be compared with waiting for the machine. A hundred concepts, and the belief runs.

#[path = "../tests/served/client.rs"]
mod client;
#[path = "../../grove-store/tests/conformance/postgres.rs"]
mod postgres;
#[path = "../tests/served/program.rs"]
mod program;
#[path = "../tests/served/world.rs"]
mod world;

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

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = arguments.iter().filter_map(|argument| argument.parse().ok()).next().unwrap_or(60);
    let is_named = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !is_named("SQLite") && !is_named("PostgreSQL");
    let folder = std::env::temp_dir().join(format!("grove-load-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder)?;
    let file = folder.join("grove.db").display().to_string();
    for (name, database) in [("SQLite", file), ("PostgreSQL", postgres::new_database().await)] {
        if !all && !is_named(name) {
            continue;
        }
        println!("{name}, {CONNECTIONS} connections, {CONCEPTS} concepts, {seconds} s");
        run(&database, Duration::from_secs(seconds)).await?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

async fn run(database: &str, span: Duration) -> Result<(), Failure> {
    let world = World::make(database, CONCEPTS, None).await;
    let program = Program::start(database);
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
    println!("  {:.0} votes a second", times.votes.len() as f64 / span.as_secs_f64());
    show("next question", &mut times.questions);
    show("vote", &mut times.votes);
    show("health", &mut times.health);
    let ratio = rank(&times.questions, 0.99).as_secs_f64() / rank(&times.health, 0.99).as_secs_f64();
    println!("  p99 of a question / p99 of health: {ratio:.2}; requests refused: {}", times.refused);
    drain(&world, &mut owner).await?;
    program.stop();
    Ok(())
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
