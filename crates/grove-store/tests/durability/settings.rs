//! Every acknowledged group has been flushed.

use crate::record::{Recording, Step};
use crate::writer::WriterMode;

/// Returns the number of acknowledged votes, of flushes of the write-ahead log, and of votes acknowledged while earlier writes to the
/// write-ahead log had not been flushed.
async fn count(mode: WriterMode, clients: u32, votes: u32) -> (u32, u32, u32) {
    let (mut acknowledged, mut flushes, mut early) = (0, 0, 0);
    let mut loose = false;
    for step in Recording::of(mode, clients, votes).await.steps {
        match step {
            Step::Write { file, .. } if file.ends_with("-wal") => loose = true,
            Step::Flush { file } if file.ends_with("-wal") => {
                flushes += 1;
                loose = false;
            }
            Step::Acknowledge(_) => {
                acknowledged += 1;
                early += u32::from(loose);
            }
            _ => {}
        }
    }
    (acknowledged, flushes, early)
}

#[tokio::test]
async fn each_vote_of_one_client_is_flushed() {
    let (acknowledged, flushes, early) = count(WriterMode::Honest, 1, 50).await;
    assert_eq!((acknowledged, early), (50, 0));
    assert!(flushes >= 50, "{flushes} flushes");
    // The control.
    let (acknowledged, _, early) = count(WriterMode::Normal, 1, 50).await;
    assert_eq!((acknowledged, early), (50, 50));
}

#[tokio::test]
async fn many_clients_share_flushes() {
    let (acknowledged, flushes, _) = count(WriterMode::Honest, 32, 10).await;
    assert_eq!(acknowledged, 320);
    assert!((10..=160).contains(&flushes), "{flushes} flushes for 320 votes by 32 clients");
}
