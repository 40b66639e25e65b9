//! Power loss: what a writer does to its files is recorded; then the power goes at random points of the record, and the store has to open what a disk may have
//! kept. New files are taken to be in their folder as soon as they are made.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::record::{DATABASE, Disk, Recording, Step};
use crate::writer::{self, Folder, WriterMode};

/// How often an acknowledged vote was lost, or the database damaged.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Harm {
    lost: u32,
    damaged: u32,
}

/// Lets the power go at random points.
async fn power_goes(recording: &Recording, seed: u64, points: u32) -> Harm {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ends: Vec<_> = (0..points).map(|_| rng.random_range(0..=recording.steps.len())).collect();
    ends.sort_unstable();
    let mut disk = Disk::new(recording.before.clone());
    let (mut done, mut acknowledged, mut harm) = (0, Vec::new(), Harm::default());
    for end in ends {
        for step in &recording.steps[done..end] {
            disk.step(step);
            if let Step::Acknowledge(vote) = step {
                acknowledged.push(*vote);
            }
        }
        done = end;
        let found = Folder::new();
        for (name, content) in disk.after_power_loss(&mut rng) {
            std::fs::write(found.0.join(name), content).unwrap();
        }
        match writer::lost(&found.file(DATABASE), recording.campaign, &acknowledged).await {
            Ok(0) => {}
            Ok(_) => harm.lost += 1,
            Err(_) => harm.damaged += 1,
        }
    }
    harm
}

const CLIENTS: u32 = 4;
/// Each client's votes: enough for the write-ahead log to be copied back into the database more than once.
const VOTES: u32 = 100;

#[tokio::test]
async fn power_loss_takes_no_acknowledged_vote() {
    let recording = Recording::of(WriterMode::Honest, CLIENTS, VOTES).await;
    let copied_back =
        recording.steps.iter().any(|step| matches!(step, Step::Write { file, .. } if file == DATABASE));
    assert!(copied_back, "the write-ahead log was never copied back: too little was tried");
    assert_eq!(power_goes(&recording, 1, 300).await, Harm::default());
}

/// The control: with less flushing, the same replay sees votes lost or the database damaged.
#[tokio::test]
async fn power_loss_is_seen_to_take_votes_that_are_not_flushed() {
    let normal = power_goes(&Recording::of(WriterMode::Normal, 1, CLIENTS * VOTES).await, 1, 40).await;
    assert!(normal.lost > 0, "{normal:?}");
    let off = power_goes(&Recording::of(WriterMode::Off, 1, CLIENTS * VOTES).await, 1, 40).await;
    assert!(off.damaged > 0, "{off:?}");
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn power_loss_at_six_thousand_points() {
    for seed in 1..=3 {
        let recording = Recording::of(WriterMode::Honest, CLIENTS, 2 * VOTES).await;
        assert_eq!(power_goes(&recording, seed, 2_000).await, Harm::default(), "seed {seed}");
    }
}
