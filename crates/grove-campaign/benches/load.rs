//! A started campaign under load: questions and votes from many workers at once, while the belief moves.
//!
//! ```sh
//! cargo bench -p grove-campaign --bench load -- [CONCEPTS] [CLIENTS] [SECONDS] [DATABASE]
//! ```
//!
//! Workers ask for a question and answer it by a random tree, erring once in ten times. Prints what was acknowledged, how long both took, how far the
//! belief was behind, how long it took to catch up, and how long a start takes, from the kept belief and from the log alone.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use grove_campaign::{
    Campaign, CampaignOptions, Follower, NewConcept, Next, Settings, SystemClock, read_log,
};
use grove_store::{Answer, Position, Store, SubmittedVote, Vote, VoteId, WorkerId};
use grove_tree::{Concept, Tree};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

#[derive(Default)]
struct Times {
    asking: Vec<Duration>,
    voting: Vec<Duration>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut number = |default: usize| arguments.next().map_or(Ok(default), |text| text.parse());
    let (concepts, clients, seconds) = (number(100)?, number(64)?, number(20)?);
    let folder = std::env::temp_dir().join(format!("grove-load-{}", Uuid::now_v7()));
    std::fs::create_dir(&folder)?;
    let own = folder.join("grove.db").display().to_string();
    let store = Store::open(&arguments.next().unwrap_or(own)).await?;
    let outcome = run(&store, concepts, clients, Duration::from_secs(seconds as u64)).await;
    store.close().await;
    std::fs::remove_dir_all(&folder)?;
    outcome
}

async fn run(store: &Store, concepts: usize, clients: usize, span: Duration) -> Result<(), Box<dyn Error>> {
    let names: Vec<NewConcept> =
        (1..=concepts).map(|number| NewConcept::named(&format!("concept {number}"))).collect();
    let settings = Settings { seed: 1, ..Settings::default() };
    let name = format!("load {}", Uuid::now_v7());
    let clock = Arc::new(SystemClock);
    let campaign = Campaign::create(store, None, &name, &settings, &names, clock.clone()).await?;
    let id = campaign.id();
    drop(campaign);
    let began = Instant::now();
    let live = Campaign::start(store, id, clock.clone(), CampaignOptions::default()).await?;
    println!(
        "{concepts} concepts, {clients} clients, {}: ready after {:.2?}",
        store.place(),
        began.elapsed()
    );
    let truth = Arc::new(Tree::random(concepts, &mut ChaCha8Rng::seed_from_u64(1)));
    let end = Instant::now() + span;
    let crowd: Vec<_> =
        (0..clients).map(|client| tokio::spawn(answer(live.clone(), truth.clone(), client, end))).collect();
    let mut times = Times::default();
    for client in crowd {
        let own = client.await??;
        times.asking.extend(own.asking);
        times.voting.extend(own.voting);
    }
    let rate = times.voting.len() as f64 / span.as_secs_f64();
    println!("{} votes acknowledged, {rate:.0} a second", times.voting.len());
    show("a question", &mut times.asking);
    show("a vote", &mut times.voting);
    let (began, lag) = (Instant::now(), live.lag());
    live.settle().await?;
    println!("the belief was {lag} votes behind, and caught up in {:.1?}", began.elapsed());
    let certain = || live.snapshot().measures.map_or(0.0, |measures| measures.expected_right);
    println!("expected right: {:.1} of {concepts}", certain());
    let began = Instant::now();
    while live.check().await? {}
    println!("after a check of {:.1?}: {:.1}", began.elapsed(), certain());
    let follower = live.follower().await?;
    let began = Instant::now();
    let copy = follower.belief().is_some().then(|| follower.clone());
    println!("a copy of the belief and the state takes {:.1?}", began.elapsed());
    drop((copy, follower));
    live.close().await?;
    start_again(store, id, clock).await
}

async fn start_again(
    store: &Store,
    id: grove_store::CampaignId,
    clock: Arc<SystemClock>,
) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let campaign = Campaign::open(store, id, clock).await?;
    println!("open again after {:.2?}, from the belief that was kept", began.elapsed());
    let log = read_log(store, id, Position::START).await?;
    let began = Instant::now();
    let replayed = Follower::replay(&log)?;
    println!("replayed {} entries in {:.1?}", log.len(), began.elapsed());
    let same = replayed.digest() == campaign.follower().await?.digest();
    println!("{}", if same { "both are the same to the bit" } else { "THEY DIFFER" });
    Ok(())
}

async fn answer(
    live: Campaign,
    truth: Arc<Tree>,
    client: usize,
    end: Instant,
) -> Result<Times, grove_campaign::Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(client as u64);
    let mut times = Times::default();
    let worker = WorkerId::new(format!("worker {client}"))?;
    while Instant::now() < end {
        let began = Instant::now();
        let next = live.next(&worker).await?;
        times.asking.push(began.elapsed());
        let Next::Questions(leased) = next else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        for one in leased {
            let question = one.asked.question;
            let is_so =
                truth.is_above(Concept::new(question.upper as usize), Concept::new(question.lower as usize));
            let says = is_so != (rng.random_range(0..10) == 0);
            let answer = if says { Answer::Yes } else { Answer::No };
            let vote = SubmittedVote {
                id: VoteId(Uuid::now_v7()),
                vote: Vote { worker: worker.clone(), question, answer },
            };
            let began = Instant::now();
            live.vote(vote).await?;
            times.voting.push(began.elapsed());
        }
    }
    Ok(times)
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| times.get((share * times.len() as f64) as usize).copied().unwrap_or_default();
    println!("{what}: median {:.1?}, 99 of 100 within {:.1?}", at(0.5), at(0.99));
}
