//! `grove serve` under load, on SQLite and on PostgreSQL, or on one of them:
//!
//! ```sh
//! cargo bench -p taxogrove --bench load -- [SQLite|PostgreSQL] [--seconds S] [--concepts N,N] [--against PROGRAM [--rounds N]]
//! cargo bench -p taxogrove --bench load -- [SQLite|PostgreSQL] --soak MINUTES [--concepts N] [--against PROGRAM]
//! ```
//!
//! Sixty-four connections; four of five requests ask for a question, one of five votes. One more connection asks for `/healthz` all the while, so that waiting
//! for a question can be compared with waiting for the machine. The belief runs. With 20, 50 and 100 concepts, if not told otherwise.
//!
//! It fails if what was answered is wrong, however fast it was; see [`audit`].
//!
//! With `--against`, this program and another take turns with 100 concepts, and their medians are compared. Each makes a database of its own with its own
//! commands, so the other may be of an earlier version.
//!
//! With `--soak`, the server works at a moderate pace, with an overload in between; see [`soak`]. With `--against` too, it is the other program that works.

mod audit;
#[path = "../../tests/served/client.rs"]
mod client;
#[path = "../../../grove-store/tests/conformance/postgres.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod postgres;
#[path = "../../tests/served/program.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod program;
mod soak;
#[path = "../../tests/served/world.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod world;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

use audit::{Account, audit};
use client::{Client, Failure};
use program::Program;
use world::World;

const CONNECTIONS: u64 = 64;
/// How many concepts are compared with.
const CONCEPTS: usize = 100;
/// Within how many milliseconds 99 of 100 people should have their next question, by the number of concepts.
const TARGETS: [(usize, u32); 3] = [(20, 50), (50, 150), (100, 500)];
/// A belief that is behind for longer than this will stay behind.
const CATCHING_UP: Duration = Duration::from_secs(1_800);
const OWNER: (&str, &str) = ("ann", "a long password");

/// How long each request took.
#[derive(Default)]
struct Times {
    questions: Vec<Duration>,
    votes: Vec<Duration>,
    health: Vec<Duration>,
    account: Account,
}

impl Times {
    fn add(&mut self, other: Self) {
        self.questions.extend(other.questions);
        self.votes.extend(other.votes);
        self.health.extend(other.health);
        self.account.add(other.account);
    }

    /// Votes acknowledged.
    fn votes_a_second(&self, span: Duration) -> f64 {
        (self.votes.len() - self.account.refusals()) as f64 / span.as_secs_f64()
    }
}

/// What to measure, from the command line.
struct Options {
    databases: Vec<&'static str>,
    span: Duration,
    concepts: Vec<usize>,
    against: Option<PathBuf>,
    rounds: usize,
    /// For how many minutes.
    soak: Option<u32>,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let (mut databases, mut seconds, mut against, mut rounds) = (Vec::new(), 60, None, 5);
        let (mut concepts, mut soak) = (TARGETS.map(|(concepts, _)| concepts).to_vec(), None);
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "SQLite" => databases.push("SQLite"),
                "PostgreSQL" => databases.push("PostgreSQL"),
                "--seconds" => seconds = value()?.parse()?,
                "--rounds" => rounds = value()?.parse::<usize>()?.max(1),
                "--concepts" => {
                    concepts = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                "--soak" => soak = Some(value()?.parse::<u32>()?.max(1)),
                "--against" => against = Some(std::fs::canonicalize(value()?)?),
                // cargo adds it.
                "--bench" => {}
                _ => seconds = argument.parse().map_err(|_| format!("unknown argument {argument}"))?,
            }
        }
        if databases.is_empty() {
            databases = vec!["SQLite", "PostgreSQL"];
        }
        Ok(Self { databases, span: Duration::from_secs(seconds), concepts, against, rounds, soak })
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let folder = std::env::temp_dir().join(format!("grove-load-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder)?;
    let this = Path::new(program::THIS);
    let mut failed = Vec::new();
    for name in &options.databases {
        if let Some(minutes) = options.soak {
            let concepts = options.concepts.last().copied().unwrap_or(CONCEPTS);
            println!("{name}, {concepts} concepts, {minutes} minutes");
            let program = options.against.as_deref().unwrap_or(this);
            let served = Served::start(program, &new_database(name, &folder).await, concepts).await?;
            failed.extend(soak::soak(served, concepts, minutes).await?);
        } else if let Some(other) = &options.against {
            println!("{name}, {CONNECTIONS} connections, {CONCEPTS} concepts, {} s", options.span.as_secs());
            compare(name, &folder, [this, other], &options).await?;
        } else {
            for concepts in &options.concepts {
                println!(
                    "{name}, {CONNECTIONS} connections, {concepts} concepts, {} s",
                    options.span.as_secs()
                );
                let database = new_database(name, &folder).await;
                let served = Served::start(this, &database, *concepts).await?;
                let wrong = served.load_in_detail(&database, options.span, *concepts).await?;
                failed.extend(wrong.iter().map(|wrong| format!("{name}, {concepts} concepts: {wrong}")));
            }
        }
    }
    std::fs::remove_dir_all(&folder)?;
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ").into()) }
}

/// Where a new and empty database is.
async fn new_database(name: &str, folder: &Path) -> String {
    if name == "PostgreSQL" {
        return postgres::new_database().await;
    }
    folder.join(format!("{}.db", Uuid::new_v4())).display().to_string()
}

/// What is compared.
struct Measured {
    votes_a_second: f64,
    /// How many votes the belief was behind in the end.
    lag: f64,
    /// The p99 of a question and of a vote, in milliseconds.
    question: f64,
    vote: f64,
}

/// Runs two programs by turns and compares their medians.
async fn compare(name: &str, folder: &Path, programs: [&Path; 2], options: &Options) -> Result<(), Failure> {
    let mut rounds = [Vec::new(), Vec::new()];
    for round in 1..=options.rounds {
        for (program, rounds) in programs.iter().zip(&mut rounds) {
            let served = Served::start(program, &new_database(name, folder).await, CONCEPTS).await?;
            rounds.push(served.load_for_comparison(options.span).await?);
        }
        let [this, other] = [0, 1].map(|at| &rounds[at][round - 1]);
        println!(
            "  round {round}: {:.0} and {:.0} votes a second, {} and {} votes behind",
            this.votes_a_second, other.votes_a_second, this.lag, other.lag
        );
    }
    println!("  medians of this program and of {}", programs[1].display());
    let show = |what: &str, value: fn(&Measured) -> f64| {
        let [this, other] = [0, 1].map(|at| median(rounds[at].iter().map(value).collect()));
        println!("  {what}: {this:.1} and {other:.1}, ratio {:.3}", this / other);
    };
    show("votes a second", |one| one.votes_a_second);
    show("votes behind in the end", |one| one.lag);
    show("p99 of a question in ms", |one| one.question);
    show("p99 of a vote in ms", |one| one.vote);
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// A program that serves a campaign in a database that it has made.
struct Served {
    program: Program,
    world: World,
}

impl Served {
    async fn start(binary: &Path, database: &str, concepts: usize) -> Result<Self, Failure> {
        let mut adding = Command::new(binary);
        adding.args(["user", "add", OWNER.0, "--quiet", "--database", database]).stdin(Stdio::piped());
        let mut process = adding.spawn()?;
        process.stdin.take().ok_or("it is piped")?.write_all(OWNER.1.as_bytes())?;
        if !process.wait()?.success() {
            return Err(format!("{} adds no owner", binary.display()).into());
        }
        let program = Program::start_binary(binary, database);
        let world = World::over_api(program.address, OWNER, concepts).await?;
        // The campaign starts with its first visitor.
        let served = Self { program, world };
        served.lag().await?;
        Ok(served)
    }

    /// How many votes the belief is behind. Asked over a connection of its own: a server closes those that are idle.
    async fn lag(&self) -> Result<u64, Failure> {
        let mut owner = Client::connect(self.program.address, self.world.owner()).await?;
        let (_, campaign) = owner.get(&self.world.path("")).await?;
        campaign["lag"].as_u64().ok_or_else(|| "a number".into())
    }

    /// How far behind the belief was, and how long it took to catch up.
    async fn drain(&self) -> Result<(), Failure> {
        let began = Instant::now();
        let first = self.lag().await?;
        while self.lag().await? > 0 {
            if began.elapsed() > CATCHING_UP {
                return Err("the belief does not catch up".into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        println!(
            "  the belief was {first} votes behind, and had caught up after {:.1} s",
            began.elapsed().as_secs_f64()
        );
        Ok(())
    }

    /// Puts it under load; how long everything took, sorted.
    async fn load(&self, span: Duration) -> Result<Times, Failure> {
        let (address, end) = (self.program.address, Instant::now() + span);
        let mut tasks = Vec::new();
        for number in 0..CONNECTIONS {
            tasks.push(tokio::spawn(press(self.world.clone(), address, number, end)));
        }
        tasks.push(tokio::spawn(breathe(address, end)));
        let mut times = Times::default();
        for task in tasks {
            times.add(task.await??);
        }
        for kind in [&mut times.questions, &mut times.votes, &mut times.health] {
            kind.sort();
        }
        Ok(times)
    }

    async fn load_for_comparison(self, span: Duration) -> Result<Measured, Failure> {
        let times = self.load(span).await?;
        let lag = self.lag().await? as f64;
        self.program.stop();
        let [question, vote] = [&times.questions, &times.votes].map(|times| milliseconds(times, 0.99));
        Ok(Measured { votes_a_second: times.votes_a_second(span), lag, question, vote })
    }

    /// Prints how fast it was. Returns what was wrong.
    async fn load_in_detail(
        self,
        database: &str,
        span: Duration,
        concepts: usize,
    ) -> Result<Vec<String>, Failure> {
        let times = self.load(span).await?;
        println!("  {:.0} votes a second", times.votes_a_second(span));
        let target = TARGETS.iter().find(|(size, _)| *size == concepts);
        let target = target.map_or_else(String::new, |(_, most)| format!(" (target: below {most} ms)"));
        println!("  next question: {}{target}", shown(&times.questions));
        println!("  vote: {}", shown(&times.votes));
        println!("  health: {}", shown(&times.health));
        let ratio = milliseconds(&times.questions, 0.99) / milliseconds(&times.health, 0.99);
        println!(
            "  p99 of a question / p99 of health: {ratio:.2}; requests refused: {}",
            times.account.refusals()
        );
        self.drain().await?;
        self.program.stop();
        audit(database, &self.world, &times.account, concepts).await
    }
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
    let mut times = Times { account: Account::new(), ..Times::default() };
    let mut asked = None;
    while Instant::now() < end {
        match asked.take_if(|_| rng.random_range(0..5) == 0) {
            Some(question) => {
                let vote = world.vote(&question, &mut rng);
                let began = Instant::now();
                let (status, _) = client.post("/api/v1/work/votes", Some(&vote)).await?;
                times.votes.push(began.elapsed());
                times.account.answered(&vote, status);
            }
            None => {
                let began = Instant::now();
                asked = world.question(&mut client).await?;
                times.questions.push(began.elapsed());
                times.account.asked(asked.as_ref());
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

/// The time within which this share of sorted ones is.
fn milliseconds(sorted: &[Duration], share: f64) -> f64 {
    let at = (sorted.len().max(1) - 1) as f64 * share;
    sorted.get(at as usize).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

fn shown(sorted: &[Duration]) -> String {
    let [half, most] = [0.5, 0.99].map(|share| milliseconds(sorted, share));
    format!("{} requests, p50 {half:.1} ms, p99 {most:.1} ms", sorted.len())
}
