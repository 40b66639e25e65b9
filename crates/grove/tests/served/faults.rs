//! The database's failures, between it and the server, and of the database itself.

use std::time::{Duration, Instant};

use crate::client::Client;
use crate::databases::Databases;
use crate::kill::{each_vote_once, log};
use crate::people::People;
use crate::postgres;
use crate::program::Program;
use crate::proxy::{Proxy, Weather};
use crate::world::World;

const CONCEPTS: usize = 8;
const TREES: u32 = 32;

/// A database behind a proxy, a server, and people who answer.
struct Setting {
    databases: Databases,
    proxy: Proxy,
    database: String,
    world: World,
    program: Program,
    people: People,
}

impl Setting {
    /// Returns when there are a hundred votes.
    async fn start() -> Self {
        let databases = Databases::start();
        let proxy = Proxy::start(databases.primary).await;
        let database = Databases::url(proxy.address);
        let world = World::make(&database, CONCEPTS, Some(TREES)).await;
        let program = Program::start(&database);
        let people = People::start(std::slice::from_ref(&world), 8, vec![program.address]);
        people.more(100).await;
        Self { databases, proxy, database, world, program, people }
    }
}

/// Connections that die silently, cuts and delays: no vote is lost or doubled, and requests soon succeed again.
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_network_is_survived() {
    if postgres::is_missing() {
        return;
    }
    let Setting { databases: _databases, proxy, database, world, program, people } = Setting::start().await;

    for round in 0..3 {
        proxy.forget_connections();
        let silent = people.more(1).await;
        println!("half-open connections, time {round}: {silent:?} until the next vote");
        assert!(silent < Duration::from_secs(10), "{silent:?}");
        people.more(60).await;
    }
    for (name, weather) in [
        ("cut", Weather::Cut),
        ("slow by 5 s", Weather::Slow(Duration::from_secs(5))),
        ("silent", Weather::Silent),
    ] {
        proxy.set(weather);
        tokio::time::sleep(Duration::from_secs(4)).await;
        // The server itself is well, and says that it is not ready.
        let mut client = Client::connect(program.address, Vec::new()).await.expect("it listens");
        assert_eq!(client.get("/healthz").await.expect("it answers").0, 200);
        assert_eq!(client.get("/readyz").await.expect("it answers").0, 503);
        proxy.set(Weather::Fair);
        let (began, _) = (Instant::now(), people.more(1).await);
        println!("{name}: {:?} until the next vote", began.elapsed());
        assert!(began.elapsed() < Duration::from_secs(10), "{name}");
        people.more(40).await;
    }

    let seen = people.stop(1).await.remove(0);
    let refusals: Vec<_> = seen.iter().flat_map(|seen| &seen.refusals).collect();
    assert!(refusals.iter().all(|(status, _)| *status == 503), "{refusals:?}");
    let acknowledged: Vec<_> = seen.iter().flat_map(|seen| seen.acknowledged.clone()).collect();
    println!("{} votes acknowledged, {} requests refused", acknowledged.len(), refusals.len());
    each_vote_once(&log(&database, &world).await, &acknowledged);
}

/// With a synchronous standby nothing is acknowledged that is not on both, and the death of the primary loses nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_has_all_that_was_acknowledged() {
    if postgres::is_missing() {
        return;
    }
    let Setting { mut databases, proxy, database, world, program: _program, people } = Setting::start().await;

    databases.tell("stop-standby");
    // What was on its way.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = people.total();
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert_eq!(people.total(), before, "acknowledged by the primary alone");
    databases.tell("start-standby");
    let back = people.more(1).await;
    println!("the next vote {back:?} after the standby was back");
    people.more(100).await;

    databases.tell("kill-primary");
    databases.tell("promote");
    proxy.lead_to(databases.standby);
    // Those that lead to the dead one.
    proxy.set(Weather::Cut);
    proxy.set(Weather::Fair);
    let back = people.more(1).await;
    println!("the next vote {back:?} after the standby was promoted");
    people.more(100).await;

    let seen = people.stop(1).await.remove(0);
    let acknowledged: Vec<_> = seen.iter().flat_map(|seen| seen.acknowledged.clone()).collect();
    println!("{} votes acknowledged", acknowledged.len());
    each_vote_once(&log(&database, &world).await, &acknowledged);
}
