//! Simulated people who answer at the pace of real ones.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use grove_belief::{Question, Worker};
use grove_campaign::{Leased, Live, Next};
use grove_sim::Crowd;
use grove_store::{Answer, SubmittedVote, Vote, VoteId, WorkerId};
use grove_tree::Concept;
use indicatif::ProgressBar;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

use crate::args::Demo;

/// Seconds that a person takes for an answer at least, and at most.
const THINKING: (f64, f64) = (3.0, 9.0);

/// What the people of the demo share.
pub(super) struct People {
    live: Live,
    crowd: Mutex<Crowd>,
    /// How many concepts they have in mind: what joins later is unknown to them.
    known: u32,
    /// Votes that they may still give.
    left: AtomicU32,
    bar: ProgressBar,
    seed: u64,
    speed: f64,
}

impl People {
    pub(super) fn new(live: Live, crowd: Crowd, known: u32, options: &Demo, bar: ProgressBar) -> Self {
        Self {
            live,
            crowd: Mutex::new(crowd),
            known,
            left: AtomicU32::new(options.votes),
            bar,
            seed: options.seed,
            speed: options.speed,
        }
    }

    /// All answer side by side until their votes are given.
    pub(super) async fn answer(self) {
        let people = Arc::new(self);
        let workers = people.crowd.lock().unwrap_or_else(PoisonError::into_inner).workers();
        let tasks: Vec<_> = workers.map(|worker| tokio::spawn(people.clone().one_answers(worker))).collect();
        for task in tasks {
            if let Err(error) = task.await {
                eprintln!("a simulated person left: {error}");
            }
        }
        people.bar.finish_and_clear();
    }

    async fn one_answers(self: Arc<Self>, worker: Worker) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(worker.index() as u64 + 1);
        let Ok(name) = WorkerId::new(format!("person-{:02}", worker.index() + 1)) else { return };
        loop {
            let seconds = rng.random_range(THINKING.0..THINKING.1) / self.speed;
            tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
            match self.live.next(&name).await {
                Ok(Next::Questions(questions)) => {
                    for leased in questions {
                        if !self.one_more() {
                            return;
                        }
                        self.vote(worker, &name, &leased, &mut rng).await;
                    }
                }
                // A pause ends; what has been handed out may come back.
                Ok(Next::Paused { .. } | Next::AllHandedOut) => {}
                Ok(Next::Stopped { .. } | Next::AllAnswered) | Err(_) => return,
            }
        }
    }

    fn one_more(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    /// Answers what was asked. What cannot be recorded any more, because somebody has removed a concept, is nobody's loss.
    async fn vote(&self, worker: Worker, name: &WorkerId, leased: &Leased, rng: &mut ChaCha8Rng) {
        let asked = leased.asked.question;
        let known = asked.upper <= self.known && asked.lower <= self.known;
        let question = Question::path(Concept::new(asked.upper as usize), Concept::new(asked.lower as usize));
        let answer = match question {
            Ok(question) if known => {
                self.crowd.lock().unwrap_or_else(PoisonError::into_inner).answer(worker, question, rng)
            }
            _ => grove_belief::Answer::CantSay,
        };
        let answer = match answer {
            grove_belief::Answer::Yes => Answer::Yes,
            grove_belief::Answer::No => Answer::No,
            grove_belief::Answer::CantSay => Answer::CantSay,
        };
        let vote = Vote { worker: name.clone(), question: asked, answer };
        let vote = SubmittedVote { id: VoteId(Uuid::now_v7()), vote };
        if self.live.vote(vote).await.is_ok() {
            self.bar.inc(1);
        }
    }
}
