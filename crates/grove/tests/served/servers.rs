//! Several servers on one PostgreSQL: killed, paused, asked to stop.

use std::time::{Duration, Instant};

use grove_campaign::Follower;
use grove_store::{Entry, Event};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use sqlx::{Connection as _, PgConnection};

use crate::kill::{each_vote_once, log, served_as_logged};
use crate::people::{People, Seen};
use crate::postgres;
use crate::program::Program;
use crate::world::World;

const CONCEPTS: usize = 8;
/// Few, so that the belief is soon back after every take-over.
const TREES: u32 = 32;
/// How long a take-over may take at the most, on a machine that has other things to do.
const TAKEN_OVER: Duration = Duration::from_secs(20);

/// Some servers, and a look into their database.
struct Servers {
    database: String,
    running: Vec<Program>,
    db: PgConnection,
}

impl Servers {
    async fn start(database: &str, count: usize) -> Self {
        let db = PgConnection::connect(database).await.expect("the database runs");
        let running = (0..count).map(|_| Program::start(database)).collect();
        Self { database: database.to_owned(), running, db }
    }

    fn addresses(&self) -> Vec<std::net::SocketAddr> {
        self.running.iter().map(|program| program.address).collect()
    }

    /// How many beliefs a server holds.
    async fn held(&mut self, server: usize) -> i64 {
        let name = format!("http://{}", self.running[server].address);
        self.held_by(&name).await
    }

    async fn held_by(&mut self, name: &str) -> i64 {
        let sql = "SELECT count(*) FROM grove.holders WHERE name = $1 AND holder <> $2";
        let query = sqlx::query_scalar(sql).bind(name).bind(uuid::Uuid::nil());
        query.fetch_one(&mut self.db).await.expect("a number")
    }

    /// Waits until every belief is held by one of the servers, and each has its own.
    async fn settle(&mut self, campaigns: usize) {
        let began = Instant::now();
        loop {
            let mut held = Vec::new();
            for server in 0..self.running.len() {
                held.push(self.held(server).await as usize);
            }
            if held.iter().sum::<usize>() == campaigns {
                println!("{campaigns} beliefs on {} servers: {held:?}", self.running.len());
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{held:?} of {campaigns} beliefs are held");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until a server holds nothing any more, and returns how long that took.
    async fn taken_over_from(&mut self, name: &str) -> Duration {
        let began = Instant::now();
        while self.held_by(name).await > 0 {
            assert!(began.elapsed() < TAKEN_OVER, "nobody takes over");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        began.elapsed()
    }
}

/// No vote lost, none doubled, and every belief as the log tells.
async fn audit(database: &str, worlds: &[World], seen: &[Vec<Seen>], program: &Program) {
    for (world, seen) in worlds.iter().zip(seen) {
        let acknowledged: Vec<_> = seen.iter().flat_map(|seen| seen.acknowledged.clone()).collect();
        served_as_logged(database, world, program).await;
        let log = log(database, world).await;
        each_vote_once(&log, &acknowledged);
        epochs_never_fall(&log);
    }
}

/// Nothing that a former owner had begun comes after what its successor has written.
fn epochs_never_fall(log: &[Entry]) {
    let epochs: Vec<i64> = log
        .iter()
        .filter_map(|entry| match entry.event {
            Event::Advanced { epoch, .. } => Some(epoch),
            _ => None,
        })
        .collect();
    assert!(epochs.is_sorted(), "{epochs:?}");
}

/// How often a request was sent again at the most, and how many were.
fn retries<'a>(seen: impl Iterator<Item = &'a Seen>) -> (u32, usize) {
    let retries: Vec<u32> = seen.flat_map(|seen| seen.retries.clone()).collect();
    (retries.iter().max().copied().unwrap_or(0), retries.iter().filter(|&&tries| tries > 0).count())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

async fn servers_survive(campaigns: usize, kills: usize, seed: u64) {
    let database = postgres::new_database().await;
    let worlds = World::make_several(&database, CONCEPTS, Some(TREES), campaigns).await;
    let mut servers = Servers::start(&database, 3).await;
    servers.settle(campaigns).await;
    let people = People::start(&worlds, 1, servers.addresses());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut take_overs, mut dead) = (Vec::new(), Vec::new());
    for _ in 0..kills {
        people.more(rng.random_range(1..60)).await;
        let victim = rng.random_range(0..servers.running.len());
        let name = format!("http://{}", servers.running[victim].address);
        let held = servers.held_by(&name).await;
        dead.push(servers.running[victim].address);
        drop(servers.running.remove(victim));
        people.go_to(servers.addresses());
        if held > 0 {
            take_overs.push(servers.taken_over_from(&name).await);
        }
        servers.running.push(Program::start(&servers.database));
        people.go_to(servers.addresses());
        servers.settle(campaigns).await;
    }
    people.more(10).await;
    let seen = people.stop(campaigns).await;
    let all = || seen.iter().flatten();
    let votes: usize = all().map(|seen| seen.acknowledged.len()).sum();
    let (most, retried) = retries(all());
    let refused: Vec<_> = all().flat_map(|seen| &seen.refusals).collect();
    println!(
        "{votes} votes between {kills} kills; {retried} requests sent again, at most {most} times; refusals: {refused:?}"
    );
    println!("take-over: median {:?}, of {take_overs:?}", median(take_overs.clone()));
    audit(&database, &worlds, &seen, &servers.running[0]).await;
    // Who knows three addresses, of which one is dead, tries one other: whatever it is asked, any server can answer.
    assert!(retried > 0 && most == 1, "{retried} requests were sent again, at most {most} times");
    // The control: who knows two dead ones first has to try twice.
    let people = People::start(&worlds[..1], 1, vec![dead[0], dead[1], servers.running[0].address]);
    people.more(1).await;
    let seen = people.stop(1).await;
    assert_eq!(retries(seen.iter().flatten()), (2, 1));
    assert!(median(take_overs) < Duration::from_secs(3), "take-overs are slow");
}

/// `kill -9` of any server under load.
#[tokio::test(flavor = "multi_thread")]
async fn three_servers_survive_the_death_of_any() {
    if postgres::is_missing() {
        return;
    }
    servers_survive(4, 10, 5).await;
}

/// `cargo test -p taxogrove --test served -- --ignored --nocapture three_servers_survive_fifty`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes some minutes"]
async fn three_servers_survive_fifty_deaths() {
    servers_survive(30, 50, 6).await;
}

/// A server that sleeps while another takes over, and wakes up in the middle of its work, writes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_paused_server_does_no_harm() {
    if postgres::is_missing() {
        return;
    }
    let database = postgres::new_database().await;
    let worlds = World::make_several(&database, CONCEPTS, Some(TREES), 2).await;
    let mut servers = Servers::start(&database, 2).await;
    servers.settle(2).await;
    for round in 0..4 {
        let paused = if servers.held(round % 2).await > 0 { round % 2 } else { 1 - round % 2 };
        let other = 1 - paused;
        let people = People::start(&worlds, 2, servers.addresses());
        people.more(20).await;
        let name = format!("http://{}", servers.running[paused].address);
        servers.running[paused].signal("STOP");
        people.go_to(vec![servers.running[other].address]);
        let took = servers.taken_over_from(&name).await;
        println!("taken over from a paused server in {took:?}");
        people.more(20).await;
        servers.running[paused].signal("CONT");
        // Back to its own, which it gets from the other.
        servers.settle(2).await;
        people.more(20).await;
        let seen = people.stop(2).await;
        audit(&database, &worlds, &seen, &servers.running[other]).await;
    }
}

/// A server that is asked to stop hands over at once; those that stay show what the new owner publishes, without computing it.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_hands_over() {
    if postgres::is_missing() {
        return;
    }
    let database = postgres::new_database().await;
    let worlds = World::make_several(&database, CONCEPTS, Some(TREES), 4).await;
    let mut servers = Servers::start(&database, 3).await;
    servers.settle(4).await;
    let people = People::start(&worlds, 1, servers.addresses());
    people.more(40).await;
    let leaving = servers.running.remove(0);
    let name = format!("http://{}", leaving.address);
    people.go_to(servers.addresses());
    let began = Instant::now();
    leaving.stop();
    println!("stopped in {:?}, taken over in {:?}", began.elapsed(), servers.taken_over_from(&name).await);
    servers.settle(4).await;
    people.more(40).await;
    let seen = people.stop(4).await;
    for program in &servers.running {
        audit(&database, &worlds, &seen, program).await;
    }
}

/// The time of its processors that a process has used, in seconds.
fn processor_time(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    // After the name, which may hold spaces: user time and system time are the 12th and 13th, in hundredths.
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a name").split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<f64>().expect("a number") / 100.0).sum()
}

/// Votes a second, and milliseconds of the processors for a vote, of some servers with a campaign each.
async fn speed(count: usize) -> (f64, f64) {
    let database = postgres::new_database().await;
    let mut servers = Servers::start(&database, count).await;
    // Campaigns until two fall to different servers.
    let worlds = World::make_several(&database, 30, None, 6).await;
    servers.settle(6).await;
    let mut chosen: Vec<(World, std::net::SocketAddr)> = Vec::new();
    for world in worlds {
        let sql = "SELECT name FROM grove.holders WHERE campaign = $1";
        let query = sqlx::query_scalar(sql).bind(world.campaign.0);
        let owner: String = query.fetch_one(&mut servers.db).await.expect("it is held");
        let address = owner.trim_start_matches("http://").parse().expect("an address");
        let is_new = chosen.iter().all(|(_, other)| *other != address);
        if chosen.len() < 2 && (is_new || count == 1) {
            chosen.push((world, address));
        }
    }
    assert_eq!(chosen.len(), 2, "all campaigns fell to one server; run again");
    let people: Vec<People> = chosen
        .iter()
        .map(|(world, address)| People::start(std::slice::from_ref(world), 32, vec![*address]))
        .collect();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let used = |servers: &Servers| servers.running.iter().map(|one| processor_time(one.id())).sum::<f64>();
    let votes = || people.iter().map(People::total).sum::<usize>();
    let (before, counted, began) = (used(&servers), votes(), Instant::now());
    tokio::time::sleep(Duration::from_secs(15)).await;
    let counted = (votes() - counted) as f64;
    let result = (counted / began.elapsed().as_secs_f64(), (used(&servers) - before) * 1e3 / counted);
    for people in people {
        people.stop(1).await;
    }
    result
}

/// `cargo test --release -p taxogrove --test served -- --ignored --nocapture two_servers_are_no_slower`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures, on a machine that does nothing else"]
async fn two_servers_are_no_slower_than_one() {
    let mut rounds = [Vec::new(), Vec::new()];
    for _ in 0..3 {
        for count in [1, 2] {
            let (votes, cost) = speed(count).await;
            println!("{count} servers: {votes:.0} votes/s, {cost:.3} ms of the processors for a vote");
            rounds[count - 1].push((votes, cost));
        }
    }
    let best = |rounds: &[(f64, f64)]| rounds.iter().map(|round| round.0).fold(0.0, f64::max);
    let cheapest = |rounds: &[(f64, f64)]| rounds.iter().map(|round| round.1).fold(f64::MAX, f64::min);
    assert!(best(&rounds[1]) >= best(&rounds[0]), "two servers take fewer votes than one");
    assert!(cheapest(&rounds[1]) <= 1.1 * cheapest(&rounds[0]), "a vote costs more with two servers");
}

/// The check above can fail: a log whose records were written by two owners at once.
#[test]
fn records_of_two_owners_at_once_are_noticed() {
    let record = |position: i64, epoch: i64| Entry {
        position: grove_store::Position(position),
        at: grove_store::Moment(0),
        actor: grove_store::Actor::Grove,
        event: Event::Advanced { votes_to: grove_store::Position(0), work: serde_json::Value::Null, epoch },
    };
    epochs_never_fall(&[record(1, 1), record(2, 2), record(3, 2)]);
    let mixed = [record(1, 1), record(2, 2), record(3, 1)];
    assert!(std::panic::catch_unwind(|| epochs_never_fall(&mixed)).is_err());
    assert!(Follower::replay(&[]).expect("an empty log").astray().is_none());
}
