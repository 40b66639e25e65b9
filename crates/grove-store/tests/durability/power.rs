//! Power loss: what a writer does to its files is recorded; then power is lost at random points of the recording, and the store has to open what a disk may
//! have kept. New files are assumed to be in their folder as soon as they are created.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::record::{DATABASE, Disk, Recording, Step};
use crate::writer::{self, Folder, WriterMode};

/// How often an acknowledged vote was lost, or the database damaged.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Harm {
    lost: u32,
    damaged: u32,
}

/// Simulates power loss at random points.
pub(crate) async fn lose_power(recording: &Recording, seed: u64, points: u32) -> Harm {
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
/// Votes per client: enough for more than one checkpoint of the write-ahead log.
const VOTES: u32 = 100;

#[tokio::test]
async fn no_acknowledged_vote_is_lost() {
    let recording = Recording::of(WriterMode::Honest, CLIENTS, VOTES).await;
    let has_checkpoint =
        recording.steps.iter().any(|step| matches!(step, Step::Write { file, .. } if file == DATABASE));
    assert!(has_checkpoint, "there was no checkpoint: too few votes for a test");
    assert_eq!(lose_power(&recording, 1, 300).await, Harm::default());
}

/// The control: with weaker flushing, the same simulation finds votes lost or the database damaged.
#[tokio::test]
async fn votes_that_are_not_flushed_are_lost() {
    let normal = lose_power(&Recording::of(WriterMode::Normal, 1, CLIENTS * VOTES).await, 1, 40).await;
    assert!(normal.lost > 0, "{normal:?}");
    let off = lose_power(&Recording::of(WriterMode::Off, 1, CLIENTS * VOTES).await, 1, 40).await;
    assert!(off.damaged > 0, "{off:?}");
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn power_loss_at_six_thousand_points() {
    for seed in 1..=3 {
        let recording = Recording::of(WriterMode::Honest, CLIENTS, 2 * VOTES).await;
        assert_eq!(lose_power(&recording, seed, 2_000).await, Harm::default(), "seed {seed}");
    }
}
