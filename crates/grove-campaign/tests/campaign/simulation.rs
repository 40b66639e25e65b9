//! The whole loop in one thread with one seed: people who ask, answer, send twice, leave, undo; programs that die at any step; a store that
//! refuses. Whatever happens, the same things hold; and the same seed tells the same story.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use grove_campaign::{Campaign, CampaignOptions, Follower, Next, Settings};
use grove_store::{Answer, CampaignId, Entry, Event, Question, Store, SubmittedVote, Vote, VoteId, WorkerId};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

use crate::bench::{Bench, log_of, quick, worker};

const STEPS: usize = 60;
const PEOPLE: usize = 5;

/// Planted faults, which have to be noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// Votes are taken for acknowledged that were never sent.
    LosesVotes,
    /// The program forgets its leases before every question, and nobody is told.
    ForgetsLeases,
    /// An answer in the log is another one than was believed.
    AltersLog,
}

struct World {
    bench: Bench,
    id: CampaignId,
    live: Campaign,
    rng: ChaCha8Rng,
    /// Who holds what, as far as the people know.
    held: BTreeMap<usize, Vec<Question>>,
    /// Acknowledged and not taken back.
    votes: HashMap<VoteId, SubmittedVote>,
    last: BTreeMap<usize, SubmittedVote>,
    story: Vec<String>,
    /// What should never have happened.
    broken: Option<String>,
    fault: Option<Fault>,
}

fn person(number: usize) -> WorkerId {
    worker(&format!("p{number}"))
}

async fn live_on(store: &Store, bench: &Bench, id: CampaignId) -> Campaign {
    let clock = bench.clock.clone();
    let options = CampaignOptions { clock, queue: 3, reserve: 30, ..CampaignOptions::default() };
    Campaign::open_with(store, id, options).await.unwrap()
}

impl World {
    async fn new(seed: u64, settings: &Settings, fault: Option<Fault>) -> Self {
        let bench = Bench::new().await;
        let campaign = bench.campaign(settings, &["a", "b", "c", "d"]).await;
        let id = campaign.id();
        drop(campaign);
        let live = live_on(&bench.store, &bench, id).await;
        live.step().await.unwrap();
        let (held, votes, last) = Default::default();
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { bench, id, live, rng, held, votes, last, story: Vec::new(), broken: None, fault }
    }

    async fn step(&mut self) {
        let who = self.rng.random_range(0..PEOPLE);
        let told = match self.rng.random_range(0..16) {
            0..5 => self.ask(who).await,
            5..10 => self.answer(who).await,
            10 => self.send_again(who).await,
            11 => self.undo(who).await,
            12 => {
                self.bench.clock.pass(Duration::from_secs(50));
                self.held.clear();
                "time passes".to_owned()
            }
            13 => self.die().await,
            14 => self.refuse().await,
            _ => format!("believed: {:?}", self.live.step().await.map_err(|error| error.to_string())),
        };
        self.story.push(told);
    }

    async fn ask(&mut self, who: usize) -> String {
        if self.fault == Some(Fault::ForgetsLeases) {
            let store = self.bench.again().await;
            self.live = live_on(&store, &self.bench, self.id).await;
        }
        let next = self.live.next(&person(who)).await.unwrap();
        let Next::Ask { screens } = &next else { return format!("{who} gets nothing") };
        let mine: Vec<Question> = screens.iter().map(|asked| *asked.screen.question().unwrap()).collect();
        for question in &mine {
            let answered = |sent: &SubmittedVote| {
                sent.response.worker == person(who) && sent.response.screen.question() == Some(question)
            };
            if self.votes.values().any(answered) {
                self.broken = Some(format!("{who} is asked again about {question:?}"));
            }
            if self.held.iter().any(|(other, held)| *other != who && held.contains(question)) {
                self.broken = Some(format!("{question:?} is held by another"));
            }
        }
        let told =
            format!("{who} gets {:?}", mine.iter().map(|one| (one.upper, one.lower)).collect::<Vec<_>>());
        self.held.insert(who, mine);
        told
    }

    async fn answer(&mut self, who: usize) -> String {
        let Some(question) = self.held.get_mut(&who).and_then(Vec::pop) else { return "silence".to_owned() };
        let answer = [Answer::Yes, Answer::No, Answer::CantSay][self.rng.random_range(0..3)];
        let id = VoteId(Uuid::from_u128(self.rng.random()));
        let vote = SubmittedVote::new(id, Vote { worker: person(who), question, answer });
        if self.fault != Some(Fault::LosesVotes) {
            self.live.vote(vote.clone()).await.unwrap();
        }
        self.votes.insert(vote.id, vote.clone());
        self.last.insert(who, vote);
        format!("{who} says {answer:?}")
    }

    async fn send_again(&mut self, who: usize) -> String {
        let Some(vote) = self.last.get(&who) else { return "nothing to send again".to_owned() };
        let receipt = self.live.vote(vote.clone()).await.unwrap();
        if !receipt.repeated {
            self.broken = Some("a vote sent again was new".to_owned());
        }
        "sent again".to_owned()
    }

    async fn undo(&mut self, who: usize) -> String {
        // Only what is still there can be taken back.
        let Some(vote) = self.last.get(&who).filter(|vote| self.votes.contains_key(&vote.id)).cloned() else {
            return "nothing to undo".to_owned();
        };
        if self.live.withdraw(&vote.response.worker, vote.id).await.is_err() {
            self.broken = Some("an acknowledged vote is not there".to_owned());
        }
        self.votes.remove(&vote.id);
        "undone".to_owned()
    }

    /// Killed without a word, and started again at once or after a while.
    async fn die(&mut self) -> String {
        let store = self.bench.again().await;
        self.live = live_on(&store, &self.bench, self.id).await;
        // Leases are volatile.
        self.held.clear();
        if self.rng.random_range(0..2) == 0 {
            self.bench.clock.pass(Duration::from_secs(20));
        }
        "died".to_owned()
    }

    /// The store goes away under the program's feet: nothing is acknowledged, and another program goes on.
    async fn refuse(&mut self) -> String {
        let store = self.bench.again().await;
        let doomed = live_on(&store, &self.bench, self.id).await;
        store.close().await;
        let question = Question { kind: grove_store::Kind::Path, upper: 1, lower: 2 };
        let vote = Vote { worker: person(9), question, answer: Answer::Yes };
        let vote = SubmittedVote::new(VoteId(Uuid::from_u128(7)), vote);
        assert!(doomed.vote(vote).await.is_err());
        assert!(doomed.step().await.is_err());
        "refused".to_owned()
    }

    /// What must hold at the end.
    async fn audit(mut self) -> Result<Vec<String>, String> {
        if let Some(broken) = self.broken {
            return Err(broken);
        }
        self.bench.clock.pass(Duration::from_secs(100));
        while self.live.step().await.unwrap() {}
        let stored: HashSet<VoteId> =
            self.live.with_state(|state| state.votes().alive().map(|vote| vote.id).collect());
        if stored != self.votes.keys().copied().collect() {
            return Err(format!("{} votes are stored, {} were acknowledged", stored.len(), self.votes.len()));
        }
        let digest = self.live.snapshot().digest;
        let mut log = log_of(&self.live, &self.bench).await;
        if self.fault == Some(Fault::AltersLog) {
            alter(&mut log, &self.votes);
        }
        let replayed = Follower::replay(&log).unwrap();
        if (replayed.digest(), replayed.astray()) != (digest, None) {
            return Err("the belief is not the one that the log tells".to_owned());
        }
        if self.live.lag() != 0 {
            return Err(format!("{} votes still wait", self.live.lag()));
        }
        self.story.push(digest.to_string());
        Ok(self.story)
    }
}

/// Turns the last yes or no that counts into its opposite.
fn alter(log: &mut [Entry], votes: &HashMap<VoteId, SubmittedVote>) {
    for entry in log.iter_mut().rev() {
        let Event::VoteCast(cast) = &mut entry.event else { continue };
        let Some(vote) = cast.response.vote().filter(|_| votes.contains_key(&cast.id)) else { continue };
        let answer = match vote.answer {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Yes,
            Answer::CantSay => continue,
        };
        cast.response = Vote { answer, ..vote }.into();
        return;
    }
}

async fn run(seed: u64, settings: &Settings, fault: Option<Fault>) -> Result<Vec<String>, String> {
    let mut world = World::new(seed, settings, fault).await;
    for _ in 0..STEPS {
        world.step().await;
    }
    world.audit().await
}

#[tokio::test]
async fn whatever_happens_the_same_things_hold() {
    for seed in 0..50 {
        if let Err(broken) = run(seed, &quick(), None).await {
            panic!("seed {seed}: {broken}");
        }
    }
}

/// `cargo test --release -p grove-campaign --test campaign -- --ignored ten_thousand_stories`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn ten_thousand_stories() {
    // Each story is told by one thread; several are told at once.
    let tellers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut telling = tokio::task::JoinSet::new();
    for teller in 0..tellers {
        telling.spawn(async move {
            for seed in (1_000 + teller..11_000).step_by(tellers as usize) {
                let settings = Settings { questions_per_task: 1 + (seed % 3) as u32, ..quick() };
                if let Err(broken) = run(seed, &settings, None).await {
                    panic!("seed {seed}: {broken}");
                }
            }
        });
    }
    telling.join_all().await;
}

#[tokio::test]
async fn the_same_seed_tells_the_same_story() {
    let settings = Settings { questions_per_task: 2, ..quick() };
    let story = run(77, &settings, None).await.unwrap();
    assert_eq!(run(77, &settings, None).await.unwrap(), story);
    assert_ne!(run(78, &settings, None).await.unwrap(), story);
}

/// Each planted fault is noticed, with every seed, and by a check that is meant for it.
#[tokio::test]
async fn planted_faults_are_noticed() {
    // A vote that was lost is asked for again, is new when it is sent again, or is not there in the end.
    let faults: [(Fault, &[&str]); 3] = [
        (Fault::LosesVotes, &["asked again", "sent again was new", "acknowledged"]),
        (Fault::ForgetsLeases, &["is held by another"]),
        (Fault::AltersLog, &["the belief is not the one"]),
    ];
    for (fault, noticed_by) in faults {
        for seed in 0..3 {
            let Err(broken) = run(seed, &quick(), Some(fault)).await else {
                panic!("{fault:?} goes unnoticed with seed {seed}");
            };
            assert!(
                noticed_by.iter().any(|check| broken.contains(check)),
                "{fault:?}, seed {seed}: {broken}"
            );
        }
    }
}
