//! Attacks on `grove serve`, and what others notice of them:
//!
//! ```sh
//! cargo bench -p taxogrove --bench attack
//! ```
//!
//! A worker asks for questions all the while. It prints the slowest of a hundred of its requests and the memory of the server for each
//! attack, and fails if one is beyond what [SECURITY.md](../../../SECURITY.md) promises. The attackers come from many addresses of the
//! loopback network, which Linux has without asking.

#[path = "../tests/served/client.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod client;
#[path = "../../grove-store/tests/conformance/postgres.rs"]
mod postgres;
#[path = "../tests/served/program.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod program;
#[path = "../tests/served/world.rs"]
#[expect(dead_code, reason = "shared with tests that use more of it")]
mod world;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use client::{Client, Failure};
use program::Program;
use world::World;

/// The slowest of a hundred requests of others may take so long.
const PATIENCE: Duration = Duration::from_millis(200);
/// The memory that the server may take, in MB.
const MEMORY: u64 = 600;

const RIGHT: &str = "name=ann&password=a+long+password";
const WRONG: &str = "name=ann&password=not+this+one";

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("grove-attack-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder)?;
    let database = folder.join("grove.db").display().to_string();
    let world = World::make(&database, 30, None).await;
    let program = Program::start(&database);
    let mut failed = Vec::new();
    {
        let target = Target { world: &world, address: program.address, process: program.id() };
        target.attack("nothing", &mut failed, async { Ok("a quiet server".to_owned()) }).await?;
        target.attack("800 parallel logins", &mut failed, logins(program.address)).await?;
        target.attack("5,000 half-sent headers", &mut failed, half_open(program.address)).await?;
        target.attack("5,000 slow bodies", &mut failed, slow_bodies(program.address)).await?;
        target.attack("one address, 5,000 connections", &mut failed, one_address(program.address)).await?;
    }
    drop(program);

    for database in [folder.join("guesses.db").display().to_string(), postgres_or_nothing().await] {
        if !database.is_empty() {
            guess(&database, &mut failed).await?;
        }
    }
    stop_under_load(&folder.join("stop.db").display().to_string(), &mut failed).await?;
    std::fs::remove_dir_all(&folder)?;
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("; ").into()),
    }
}

async fn postgres_or_nothing() -> String {
    if postgres::is_missing() { String::new() } else { postgres::new_database().await }
}

struct Target<'a> {
    world: &'a World,
    address: SocketAddr,
    process: u32,
}

impl Target<'_> {
    /// Measures what a worker and the machine notice of an attack.
    async fn attack(
        &self,
        name: &str,
        failed: &mut Vec<String>,
        attack: impl Future<Output = Result<String, Failure>>,
    ) -> Result<(), Failure> {
        let (over, is_over) = watch::channel(false);
        let working = tokio::spawn(work(self.world.clone(), self.address, is_over.clone()));
        let watching = tokio::spawn(peak(self.process, is_over));
        let told = attack.await?;
        // What it leaves behind counts too.
        tokio::time::sleep(Duration::from_secs(3)).await;
        over.send_replace(true);
        let (mut times, memory) = (working.await??, watching.await?);
        times.sort();
        let slowest = times[(times.len() - 1) * 99 / 100];
        println!(
            "{name}: {told}; a worker's p99 of {} requests {:.1} ms, the longest {:.1} ms; memory at most {memory} MB",
            times.len(),
            slowest.as_secs_f64() * 1e3,
            times[times.len() - 1].as_secs_f64() * 1e3,
        );
        if slowest > PATIENCE {
            failed.push(format!("{name}: others wait {slowest:?}"));
        }
        if memory > MEMORY {
            failed.push(format!("{name}: {memory} MB"));
        }
        Ok(())
    }
}

/// A worker who asks for questions until the attack is over.
async fn work(
    world: World,
    address: SocketAddr,
    is_over: watch::Receiver<bool>,
) -> Result<Vec<Duration>, Failure> {
    let mut client = Client::connect(address, world.newcomer()).await?;
    let mut times = Vec::new();
    while !*is_over.borrow() {
        let began = Instant::now();
        let (status, next) = client.post("/api/v1/work/next", None).await?;
        times.push(began.elapsed());
        assert_eq!(status, 200, "{next}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(times)
}

/// The most memory that a process had, in MB.
async fn peak(process: u32, is_over: watch::Receiver<bool>) -> u64 {
    let mut most = 0;
    while !*is_over.borrow() {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) / 1024);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    most
}

/// A connection from one of many addresses.
async fn connect(nth: usize, to: SocketAddr) -> Result<TcpStream, Failure> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from(([127, 1, (nth / 250) as u8, (nth % 250) as u8 + 1], 0)))?;
    Ok(socket.connect(to).await?)
}

/// The status of a login from one of many addresses, and the cookies that it gives.
async fn log_in(nth: usize, to: SocketAddr, form: &str, cookie: &str) -> Result<(u16, String), Failure> {
    let mut stream = connect(nth, to).await?;
    let length = form.len();
    let request = format!(
        "POST /login HTTP/1.1\r\nhost: {to}\r\norigin: http://{to}\r\ncookie: {cookie}\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{form}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let cookies = answer.lines().filter_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
    Ok((status, cookies.collect::<Vec<_>>().join("; ")))
}

/// How often each status came.
fn counted(mut statuses: Vec<u16>) -> String {
    statuses.sort_unstable();
    let parts =
        statuses.chunk_by(|one, other| one == other).map(|part| format!("{} times {}", part.len(), part[0]));
    parts.collect::<Vec<_>>().join(", ")
}

async fn logins(to: SocketAddr) -> Result<String, Failure> {
    let mut attackers = JoinSet::new();
    for nth in 0..800 {
        attackers.spawn(async move {
            let form = format!("name=name{nth}&password=not+this+one");
            log_in(nth, to, &form, "").await.map_or(0, |(status, _)| status)
        });
    }
    Ok(counted(attackers.join_all().await))
}

/// Opens connections, sends so much on each, and then a byte now and then.
async fn trickle(
    to: SocketAddr,
    count: usize,
    addresses: usize,
    start: &'static str,
) -> Result<String, Failure> {
    let began = Instant::now();
    let mut attackers = JoinSet::new();
    for nth in 0..count {
        attackers.spawn(async move {
            let Ok(mut stream) = connect(1_000 + nth % addresses, to).await else { return false };
            if stream.write_all(start.as_bytes()).await.is_err() {
                return false;
            }
            let end = Instant::now() + Duration::from_secs(25);
            let mut answer = [0; 64];
            loop {
                let read = tokio::time::timeout(Duration::from_secs(2), stream.read(&mut answer)).await;
                match read {
                    Ok(_) => return false,
                    Err(_) if Instant::now() > end => return true,
                    Err(_) if stream.write_all(b"x").await.is_err() => return false,
                    Err(_) => {}
                }
            }
        });
        if nth % 100 == 99 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    let open = attackers.join_all().await.into_iter().filter(|is_open| *is_open).count();
    Ok(format!("{open} still open after {:.0} s", began.elapsed().as_secs_f64()))
}

async fn half_open(to: SocketAddr) -> Result<String, Failure> {
    trickle(to, 5_000, 100, "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ").await
}

async fn slow_bodies(to: SocketAddr) -> Result<String, Failure> {
    let start = "POST /login HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\n\
                 content-type: application/x-www-form-urlencoded\r\ncontent-length: 10000\r\n\r\nname=";
    trickle(to, 5_000, 100, start).await
}

async fn one_address(to: SocketAddr) -> Result<String, Failure> {
    trickle(to, 5_000, 1, "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ").await
}

/// Guesses at one account over three servers, from one address and from many.
async fn guess(database: &str, failed: &mut Vec<String>) -> Result<(), Failure> {
    World::make(database, 5, Some(8)).await;
    let programs = [(); 3].map(|()| Program::start(database));
    let addresses: Vec<SocketAddr> = programs.iter().map(|program| program.address).collect();
    let (_, device) = log_in(1, addresses[0], RIGHT, "").await?;
    let mut wrong = 0;
    let mut attackers = JoinSet::new();
    for nth in 0..300 {
        let to = addresses[nth % 3];
        attackers.spawn(async move {
            // A hundred from one address, and then each from its own.
            let from = if nth < 100 { 2 } else { nth };
            log_in(from, to, WRONG, "").await.map_or(0, |(status, _)| status)
        });
        if nth % 10 == 9 {
            while let Some(status) = attackers.join_next().await {
                wrong += usize::from(status? == 403);
            }
        }
    }
    let mut own = Vec::new();
    for to in &addresses {
        own.push(log_in(2, *to, RIGHT, &device).await?.0);
    }
    let stranger = log_in(700, addresses[1], RIGHT, "").await?.0;
    let kind = if database.starts_with("postgres") { "PostgreSQL" } else { "SQLite" };
    println!(
        "guesses at an account, three servers on {kind}: {wrong} of 300 checked; the owner on a known device: {own:?}; elsewhere: {stranger}"
    );
    if wrong > 10 || own != [303; 3] || stranger != 429 {
        failed.push(format!("guesses on {kind}: {wrong} {own:?} {stranger}"));
    }
    Ok(())
}

/// Asks a server to stop while it is busy.
async fn stop_under_load(database: &str, failed: &mut Vec<String>) -> Result<(), Failure> {
    let world = World::make(database, 200, None).await;
    let program = Program::start(database);
    let address = program.address;
    let mut workers = JoinSet::new();
    for _ in 0..16 {
        let world = world.clone();
        workers.spawn(async move {
            // They go on until the server is gone.
            let Ok(mut client) = Client::connect(address, world.newcomer()).await else { return };
            while client.post("/api/v1/work/next", None).await.is_ok() {}
        });
    }
    let mut held = Vec::new();
    for nth in 0..100 {
        let mut stream = connect(nth, address).await?;
        stream.write_all(b"GET / HTTP/1.1\r\nx-slow: ").await?;
        held.push(stream);
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let began = Instant::now();
    tokio::task::spawn_blocking(|| program.stop()).await?;
    let took = began.elapsed();
    println!("asked to stop under load: {:.1} s", took.as_secs_f64());
    if took > Duration::from_secs(5) {
        failed.push(format!("stopping took {took:?}"));
    }
    Ok(())
}
