//! Simulated people who answer at the pace of real ones.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use grove_belief::Worker;
use grove_campaign::{Campaign, Next};
use grove_sim::Crowd;
use grove_store::{Answer, Question, SubmittedVote, Vote, VoteId, WorkerId};
use grove_tree::Concept;
use indicatif::ProgressBar;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

/// The least and the most seconds that a person takes for an answer.
const THINKING: (f64, f64) = (3.0, 9.0);

/// What the simulated people share.
pub(super) struct People {
    pub(super) live: Campaign,
    pub(super) crowd: Mutex<Crowd>,
    /// How many concepts they know: not those that are added later.
    pub(super) known: u32,
    /// Votes that are left to give.
    pub(super) left: AtomicU32,
    pub(super) bar: ProgressBar,
    pub(super) seed: u64,
    pub(super) speed: f64,
}

impl People {
    /// All answer at the same time, until the votes are used up.
    pub(super) async fn answer(self) {
        let people = Arc::new(self);
        let workers = people.crowd.lock().unwrap_or_else(PoisonError::into_inner).workers();
        let tasks: Vec<_> = workers.map(|worker| tokio::spawn(people.clone().one_person(worker))).collect();
        for task in tasks {
            if let Err(error) = task.await {
                eprintln!("a simulated person failed: {error}");
            }
        }
        people.bar.finish_and_clear();
    }

    async fn one_person(self: Arc<Self>, worker: Worker) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(worker.index() as u64 + 1);
        let Ok(name) = WorkerId::new(format!("person-{:02}", worker.index() + 1)) else { return };
        loop {
            let seconds = rng.random_range(THINKING.0..THINKING.1) / self.speed;
            tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
            match self.live.next(&name).await {
                Ok(Next::Ask { screens }) => {
                    for asked in screens {
                        if !self.take_vote() {
                            return;
                        }
                        if let Some(question) = asked.screen.question() {
                            self.vote(worker, &name, *question, &mut rng).await;
                        }
                    }
                }
                // A pause ends; questions that were handed out may become free again.
                Ok(Next::Paused { .. } | Next::AllHandedOut) => {}
                Ok(Next::Stopped { .. } | Next::AllAnswered | Next::Full | Next::LinkUsedUp) | Err(_) => {
                    return;
                }
            }
        }
    }

    fn take_vote(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    /// Answers a question. The vote may be refused if somebody has removed the concept meanwhile.
    async fn vote(&self, worker: Worker, name: &WorkerId, asked: Question, rng: &mut ChaCha8Rng) {
        let known = asked.upper <= self.known && asked.lower <= self.known;
        let answer = match asked.map(|number| Concept::new(number as usize)) {
            question if known => {
                self.crowd.lock().unwrap_or_else(PoisonError::into_inner).answer(worker, question, rng)
            }
            _ => Answer::CantSay,
        };
        let vote = Vote { worker: name.clone(), question: asked, answer };
        let vote = SubmittedVote::new(VoteId(Uuid::now_v7()), vote);
        if self.live.vote(vote).await.is_ok() {
            self.bar.inc(1);
        }
    }
}
