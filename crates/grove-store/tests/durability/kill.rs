//! `kill -9` in the middle of writing. This tests that nothing is acknowledged too early and that no half-finished write is visible; `power` tests the
//! flush to disk.

use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use grove_store::CampaignId;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::postgres;
use crate::writer::{self, Folder, WriterMode};

const CLIENTS: u32 = 8;
const ENDLESS: u32 = 1_000_000;
const KILLS: u32 = 20;
/// With fewer acknowledged votes there are more kills: on a busy machine a writer may not get far.
const ENOUGH: usize = 100;

/// Starts and kills a writer repeatedly; returns how many acknowledged votes are missing, and how many there were.
async fn kill_again_and_again(
    place: &str,
    campaign: CampaignId,
    mode: WriterMode,
    seed: u64,
) -> (usize, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut acknowledged = Vec::new();
    let mut lost = 0;
    for kill in 0..10 * KILLS {
        if kill >= KILLS && acknowledged.len() > ENOUGH {
            break;
        }
        let mut process = writer::command(place, campaign, mode, CLIENTS, ENDLESS).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let reading = std::thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.filter_map(|line| writer::acknowledged(&line)).collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_millis(rng.random_range(60..300)));
        process.kill().unwrap();
        process.wait().unwrap();
        acknowledged.extend(reading.join().unwrap());
        // This also finds votes that are recorded twice.
        lost = writer::lost(place, campaign, &acknowledged)
            .await
            .unwrap_or_else(|problem| panic!("kill {kill}: {problem}"));
        if lost > 0 {
            break;
        }
    }
    (lost, acknowledged.len())
}

async fn survives(place: &str, seed: u64) {
    let campaign = writer::prepare(place).await;
    let (lost, acknowledged) = kill_again_and_again(place, campaign, WriterMode::Honest, seed).await;
    assert!(acknowledged > ENOUGH, "only {acknowledged} votes were acknowledged: too few for a test");
    assert_eq!(lost, 0, "of {acknowledged}");
    // The control: a writer that acknowledges too early is caught.
    let (lost, _) = kill_again_and_again(place, campaign, WriterMode::Hasty, seed).await;
    assert_ne!(lost, 0);
}

#[tokio::test]
async fn sqlite_survives_kill() {
    let folder = Folder::new();
    survives(&folder.file("grove.db"), 1).await;
}

#[tokio::test]
async fn postgresql_survives_kill() {
    if postgres::is_missing() {
        return;
    }
    survives(&postgres::new_database().await, 1).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn both_survive_two_hundred_kills() {
    // A new database each time, so that the checks do not grow.
    for seed in 1..=10 {
        let folder = Folder::new();
        survives(&folder.file("grove.db"), seed).await;
        survives(&postgres::new_database().await, seed).await;
    }
}
