//! A server at work for long: whether its memory and its open files grow.
//!
//! People ask and vote at a steady pace all the while. A third of the way, ten times as many connections ask as fast as they can for a sixtieth of the time. What
//! counts is the second half: beside what the votes themselves take, memory may grow by less than 1 MB a minute, and no more files may be open than before the
//! overload. Every vote is kept in memory for good ([`PER_VOTE`]).
//!
//! A person who votes for the first time is allowed some memory for good ([`PER_TREE`]), since every tree of the belief has rates of theirs. The people of the second
//! half are those of the first, as long as they find questions that they have not answered: with 100 concepts, for hours.
//!
//! The control: with a kilobyte added to the measured memory for every request, and an open file for every thousandth, the same judgement must say that
//! both grow. Otherwise the run was too short to say anything.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use grove_belief::EnsembleSettings;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::client::{Client, Failure};
use crate::world::World;
use crate::{CONNECTIONS, Served, shown};

/// All steady people together send so many requests a second.
const PACE: u64 = 100;
/// How many more connections there are in the overload.
const CROWD: u64 = 10 * CONNECTIONS;
/// Who has no answer by then waits in vain.
const PATIENCE: Duration = Duration::from_secs(10);
/// In MB a minute.
const MOST_GROWTH: f64 = 1.0;
/// What a worker who answers yes/no questions takes in every tree, in bytes: 72, with room to grow by an eighth. The belief is there twice, since the last snapshot is
/// read while it moves on.
const PER_TREE: f64 = 2.0 * 72.0 * 9.0 / 8.0;
/// What a vote takes, in MB: 1,206 bytes, in the campaign's state and its evidence, which are there three times. That much more a server held that had just been
/// started on 50,000 imported votes of 64 people on 100 concepts than one on 1,000 of them, 97.8 and 38.7 MB of its own.
const PER_VOTE: f64 = 1_206.0 / 1024.0 / 1024.0;
/// Connections to the database come and go.
const SPARE_FILES: f64 = 4.0;

/// What the server's process holds at a moment.
#[derive(Clone, Copy)]
struct Sample {
    minutes: f64,
    megabytes: f64,
    files: f64,
    /// Answered until then.
    requests: u64,
    votes: u64,
    /// Who have voted until then.
    voters: u64,
}

/// The parts of a run, in minutes from its start.
#[derive(Clone, Copy)]
struct Plan {
    overload: (f64, f64),
    judged_from: f64,
    end: f64,
}

impl Plan {
    fn new(minutes: u32) -> Self {
        let end = f64::from(minutes);
        Self { overload: (end / 3.0, end / 3.0 + (end / 60.0).max(1.0 / 12.0)), judged_from: end / 2.0, end }
    }
}

/// What was answered.
#[derive(Default)]
struct Answers {
    requests: AtomicU64,
    /// 429 and 503: try again later.
    put_off: AtomicU64,
    /// Connections that were closed, or not opened.
    closed: AtomicU64,
    /// Anything else than these and 200.
    wrong: AtomicU64,
    /// No answer in ten seconds.
    in_vain: AtomicU64,
    votes: AtomicU64,
    /// Different people who have voted.
    voters: AtomicU64,
    /// When each of the steady people's requests was answered, in minutes, and after what time.
    steady: Mutex<Vec<(f64, Duration)>>,
}

/// Runs for so many minutes; what is wrong in the end.
pub(crate) async fn soak(served: Served, concepts: usize, minutes: u32) -> Result<Vec<String>, Failure> {
    let (plan, answers, began) = (Plan::new(minutes), Arc::new(Answers::default()), Instant::now());
    let at = |minutes: f64| began + Duration::from_secs_f64(minutes * 60.0);
    let mut people = JoinSet::new();
    for number in 0..CONNECTIONS {
        let person = Person::new(&served, number, &answers, began);
        people.spawn(person.live(
            at(0.0),
            at(plan.end),
            Some(Duration::from_secs(CONNECTIONS) / PACE as u32),
        ));
    }
    for number in 0..CROWD {
        let person = Person::new(&served, CONNECTIONS + number, &answers, began);
        people.spawn(person.live(at(plan.overload.0), at(plan.overload.1), None));
    }
    let mut samples = Vec::new();
    while began.elapsed().as_secs_f64() < plan.end * 60.0 {
        samples.push(sample(served.program.id(), began, &answers)?);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    people.join_all().await;
    served.program.stop();
    let trees = EnsembleSettings::for_concepts(concepts).trees;
    Ok(report(&samples, plan, &answers, PER_TREE * trees as f64 / 1024.0 / 1024.0))
}

/// Linux alone says what a process holds in this way.
fn sample(process: u32, began: Instant, answers: &Answers) -> Result<Sample, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.split_whitespace().next().ok_or("no figure")?.parse()?;
    Ok(Sample {
        minutes: began.elapsed().as_secs_f64() / 60.0,
        megabytes: kilobytes / 1024.0,
        files: std::fs::read_dir(format!("/proc/{process}/fd"))?.count() as f64,
        requests: answers.requests.load(Ordering::Relaxed),
        votes: answers.votes.load(Ordering::Relaxed),
        voters: answers.voters.load(Ordering::Relaxed),
    })
}

/// Somebody with a connection, who comes back if it is closed.
struct Person {
    world: World,
    address: SocketAddr,
    rng: ChaCha8Rng,
    answers: Arc<Answers>,
    began: Instant,
}

impl Person {
    fn new(served: &Served, seed: u64, answers: &Arc<Answers>, began: Instant) -> Self {
        let (world, address) = (served.world.clone(), served.program.address);
        Self { world, address, rng: ChaCha8Rng::seed_from_u64(seed), answers: answers.clone(), began }
    }

    /// With a pause between requests they are one of the steady people.
    async fn live(mut self, from: Instant, to: Instant, pause: Option<Duration>) {
        tokio::time::sleep_until(from.into()).await;
        if let Some(pause) = pause {
            // Not all at once.
            tokio::time::sleep(pause.mul_f64(self.rng.random())).await;
        }
        let (mut client, mut who, mut asked) = (None, self.world.newcomer(), None);
        let mut has_voted = false;
        while Instant::now() < to {
            let Some(open) = &mut client else {
                client = Client::connect(self.address, who.clone()).await.ok();
                if client.is_none() {
                    self.count(|answers| &answers.closed);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                continue;
            };
            let vote = asked.take_if(|_| self.rng.random_range(0..5) == 0);
            let vote = vote.map(|question: Value| self.world.vote(&question, &mut self.rng));
            let path = if vote.is_some() { "/api/v1/work/votes" } else { "/api/v1/work/next" };
            let sent = Instant::now();
            match timeout(PATIENCE, open.post(path, vote.as_ref())).await {
                Ok(Ok((200, next))) => {
                    self.count(|answers| &answers.requests);
                    if vote.is_some() {
                        self.count(|answers| &answers.votes);
                        if !std::mem::replace(&mut has_voted, true) {
                            self.count(|answers| &answers.voters);
                        }
                    } else if next["status"] == "all_answered" {
                        who = self.world.newcomer();
                        has_voted = false;
                        open.is_now(who.clone());
                    } else {
                        asked = next["screens"].get(0).cloned();
                    }
                }
                Ok(Ok((429 | 503, _))) => self.count(|answers| &answers.put_off),
                Ok(Ok(_)) => self.count(|answers| &answers.wrong),
                Ok(Err(_)) => {
                    self.count(|answers| &answers.closed);
                    client = None;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(_) => {
                    self.count(|answers| &answers.in_vain);
                    client = None;
                }
            }
            if let Some(pause) = pause {
                let minutes = self.began.elapsed().as_secs_f64() / 60.0;
                if let Ok(mut steady) = self.answers.steady.lock() {
                    steady.push((minutes, sent.elapsed()));
                }
                tokio::time::sleep(pause).await;
            }
        }
    }

    fn count(&self, what: impl Fn(&Answers) -> &AtomicU64) {
        what(&self.answers).fetch_add(1, Ordering::Relaxed);
    }
}

/// Prints what happened; what is wrong, if so many megabytes are allowed for a new voter.
fn report(samples: &[Sample], plan: Plan, answers: &Answers, per_voter: f64) -> Vec<String> {
    let [requests, votes, put_off, closed, wrong, in_vain] = [
        &answers.requests,
        &answers.votes,
        &answers.put_off,
        &answers.closed,
        &answers.wrong,
        &answers.in_vain,
    ]
    .map(|count| count.load(Ordering::Relaxed));
    println!(
        "  {requests} requests answered, {votes} of them votes; {put_off} put off (429 or 503), {closed} connections closed, {in_vain} without an \
         answer in {} s, {wrong} others",
        PATIENCE.as_secs()
    );
    let steady = answers.steady.lock().map(|steady| steady.clone()).unwrap_or_default();
    let times = |from: f64, to: f64| {
        let within = steady.iter().filter(|(at, _)| (from..to).contains(at));
        let mut times: Vec<Duration> = within.map(|(_, time)| *time).collect();
        times.sort();
        shown(&times)
    };
    println!("  steady people before the overload: {}", times(0.0, plan.overload.0));
    println!("  during it: {}", times(plan.overload.0, plan.overload.1));
    println!("  from 10 s after it: {}", times(plan.overload.1 + 1.0 / 6.0, plan.end));
    let most = samples.iter().fold(0.0, |most: f64, sample| most.max(sample.megabytes));
    println!("  memory at most {most:.0} MB");
    for tenth in samples.chunks(samples.len().div_ceil(10)) {
        let [megabytes, files] =
            [|one: &Sample| one.megabytes, |one: &Sample| one.files].map(|value| mean(tenth, value));
        let Sample { minutes, votes, voters, .. } = tenth[tenth.len() - 1];
        println!(
            "  to minute {minutes:5.1}: {megabytes:6.1} MB, {files:5.1} files; {votes:6} votes by {voters:5} people by then"
        );
    }
    let mut failed = Vec::new();
    let growth = Growth::of(samples, plan);
    println!(
        "  second half: memory grows by {:.2} MB a minute, {:.1} more files than before the overload; {:.0} votes and {:.1} new voters a minute, for \
         which {:.2} and {:.2} MB are allowed ({:.1} and {:.0} kB each)",
        growth.megabytes_a_minute,
        growth.files,
        growth.votes_a_minute,
        growth.voters_a_minute,
        growth.votes_a_minute * PER_VOTE,
        growth.voters_a_minute * per_voter,
        PER_VOTE * 1024.0,
        per_voter * 1024.0
    );
    failed.extend(growth.verdict(per_voter));
    let leaking: Vec<Sample> = samples
        .iter()
        .map(|sample| Sample {
            megabytes: sample.megabytes + sample.requests as f64 / 1024.0,
            files: sample.files + (sample.requests / 1_000) as f64,
            ..*sample
        })
        .collect();
    let control = Growth::of(&leaking, plan);
    println!(
        "  control, with a leak of 1 kB a request and a file a thousand: {:.2} MB a minute, {:.1} files",
        control.megabytes_a_minute, control.files
    );
    if control.verdict(per_voter).len() != 2 {
        failed.push("the planted leak goes unnoticed: soak for longer".to_owned());
    }
    if in_vain + wrong > 0 {
        failed.push(format!("{in_vain} requests without an answer, {wrong} with a wrong one"));
    }
    println!("  {}", if failed.is_empty() { "bounded".to_owned() } else { failed.join("; ") });
    failed
}

struct Growth {
    megabytes_a_minute: f64,
    votes_a_minute: f64,
    voters_a_minute: f64,
    files: f64,
}

impl Growth {
    fn of(samples: &[Sample], plan: Plan) -> Self {
        let judged: Vec<Sample> =
            samples.iter().copied().filter(|sample| sample.minutes >= plan.judged_from).collect();
        // Until then connections are still being opened.
        let settled = plan.overload.0 / 2.0;
        let before: Vec<Sample> = samples
            .iter()
            .copied()
            .filter(|sample| (settled..plan.overload.0).contains(&sample.minutes))
            .collect();
        let late = &judged[judged.len() / 2..];
        let files = mean(late, |sample| sample.files) - mean(&before, |sample| sample.files);
        let megabytes_a_minute = slope(&judged, |sample| sample.megabytes);
        let votes_a_minute = slope(&judged, |sample| sample.votes as f64);
        let voters_a_minute = slope(&judged, |sample| sample.voters as f64);
        Self { megabytes_a_minute, votes_a_minute, voters_a_minute, files }
    }

    fn verdict(&self, per_voter: f64) -> Vec<String> {
        let mut failed = Vec::new();
        let most = MOST_GROWTH + self.votes_a_minute * PER_VOTE + self.voters_a_minute * per_voter;
        // No figure at all is a failure too.
        if most.is_nan() || self.megabytes_a_minute.is_nan() || self.megabytes_a_minute >= most {
            let grows = self.megabytes_a_minute;
            failed.push(format!("memory grows by {grows:.2} MB a minute, {most:.2} are allowed"));
        }
        if self.files.is_nan() || self.files >= SPARE_FILES {
            failed.push(format!("{:.1} more files are open", self.files));
        }
        failed
    }
}

fn mean(samples: &[Sample], value: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(value).sum::<f64>() / samples.len() as f64
}

/// The slope of something over time, by least squares.
fn slope(samples: &[Sample], value: impl Fn(&Sample) -> f64) -> f64 {
    let (x, y) = (mean(samples, |one| one.minutes), mean(samples, &value));
    let above: f64 = samples.iter().map(|one| (one.minutes - x) * (value(one) - y)).sum();
    let below: f64 = samples.iter().map(|one| (one.minutes - x).powi(2)).sum();
    above / below
}
