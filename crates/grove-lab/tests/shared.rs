//! Several machines that share the cells of an experiment through PostgreSQL.

#[path = "../../grove-store/tests/conformance/postgres.rs"]
mod postgres;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grove_lab::{Experiment, Options, Progress, Share, SharedCells, Silent, Size, run};
use sqlx::{Connection as _, PgConnection};

/// Counts the cells that were computed.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Progress for Counted {
    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn folder(name: &str) -> PathBuf {
    let out = std::env::temp_dir().join(format!("grove-lab-shared-{name}-{}", std::process::id()));
    fs::remove_dir_all(&out).ok();
    out
}

/// The rows of all tables in order, without their heads, seconds and revisions.
fn rows(out: &Path) -> Vec<String> {
    let tables = fs::read_dir(out.join("results"))
        .expect("the folder is there")
        .map(|file| file.expect("it can be read").path());
    let mut rows = Vec::new();
    for table in tables.filter(|path| path.extension().is_some_and(|ending| ending == "csv")) {
        let text = fs::read_to_string(&table).expect("the table can be read");
        rows.extend(
            text.lines().skip(1).map(|row| row.rsplitn(3, ',').nth(2).expect("rows have seconds").to_owned()),
        );
    }
    rows.sort_unstable();
    rows
}

async fn machine(url: &str, out: &Path, threads: usize) -> Options {
    let share = Share::Database(Arc::new(SharedCells::connect(url).await.expect("the server runs")));
    Options { out: out.to_owned(), size: Size::Quick, seed: 1, threads, share }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_cell_is_computed_once_and_everybody_gets_it() {
    if postgres::is_missing() {
        return;
    }
    let url = postgres::new_database().await;
    let (alone, one, two) = (folder("alone"), folder("one"), folder("two"));
    let (here, there) = (machine(&url, &one, 2).await, machine(&url, &two, 1).await);
    let counted = Counted::default();
    std::thread::scope(|scope| {
        scope.spawn(|| run(Experiment::Weights, &here, &counted).unwrap());
        scope.spawn(|| run(Experiment::Weights, &there, &counted).unwrap());
    });
    // Whoever ended first collects what the other still computed.
    let collected = Counted::default();
    for options in [&here, &there] {
        let page = std::thread::scope(|scope| {
            scope.spawn(|| run(Experiment::Weights, options, &collected).unwrap()).join().unwrap()
        });
        assert!(page.contains("## Weights from samples"), "{page}");
    }
    let plain = Options { out: alone.clone(), size: Size::Quick, seed: 1, threads: 2, share: Share::All };
    run(Experiment::Weights, &plain, &Silent).unwrap();
    assert_eq!((rows(&one), rows(&two)), (rows(&alone), rows(&alone)));
    assert_eq!(counted.0.load(Ordering::Relaxed), rows(&alone).len());
    assert_eq!(collected.0.load(Ordering::Relaxed), 0);
    for folder in [alone, one, two] {
        fs::remove_dir_all(folder).unwrap();
    }
}

/// A claim protects a cell until it runs out; then another machine takes it.
#[tokio::test(flavor = "multi_thread")]
async fn cells_of_a_dead_machine_are_taken_over() {
    if postgres::is_missing() {
        return;
    }
    let url = postgres::new_database().await;
    let out = folder("dead");
    let options = machine(&url, &out, 1).await;
    // A machine that has claimed everything and reports no more.
    let mut db = PgConnection::connect(&url).await.unwrap();
    let page = std::thread::scope(|scope| scope.spawn(|| run(Experiment::Weights, &options, &Silent)).join());
    assert!(page.unwrap().unwrap().contains("## Weights from samples"));
    let forget =
        "UPDATE grove_lab_cells SET outcome = NULL, claimant = 'dead', claimed_until = now() + $1::interval";
    sqlx::query(forget).bind("1 hour").execute(&mut db).await.unwrap();
    let late = Options { out: folder("late"), ..machine(&url, &out, 1).await };
    let again =
        || std::thread::scope(|scope| scope.spawn(|| run(Experiment::Weights, &late, &Silent)).join());
    assert!(again().unwrap().unwrap().contains("computed by others"));
    sqlx::query(forget).bind("-1 second").execute(&mut db).await.unwrap();
    assert!(again().unwrap().unwrap().contains("## Weights from samples"));
    for folder in [out, late.out] {
        fs::remove_dir_all(folder).unwrap();
    }
}

#[tokio::test]
async fn an_address_that_makes_no_sense_is_refused() {
    let error = SharedCells::connect("grove.db").await.unwrap_err().to_string();
    assert!(error.contains("postgres://"), "{error}");
}
