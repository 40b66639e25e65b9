//! Every experiment in its quick form: it runs, continues where it stopped, and is reported from its tables alone.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use grove_lab::{Error, Experiment, Options, Progress, Share, Silent, Size, merge, report, run};

fn options(name: &str) -> Options {
    let out = std::env::temp_dir().join(format!("grove-lab-{name}-{}", std::process::id()));
    fs::remove_dir_all(&out).ok();
    Options { out, size: Size::Quick, seed: 1, threads: 2, share: Share::All }
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Counts the cells that were computed.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Progress for Counted {
    fn begin(&self, _: &str, _: usize, _: usize) {}
    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn end(&self) {}
}

#[test]
fn every_experiment_runs_and_is_reported() {
    let options = options("all");
    assert!(matches!(report(&options.out), Err(Error::NoResults { .. })));
    for experiment in Experiment::ALL {
        let page = run(experiment, &options, &Silent).unwrap();
        let so_far = read(report(&options.out).unwrap());
        let is_last = Some(&experiment) == Experiment::ALL.last();
        assert_eq!(so_far.contains("Not computed yet"), !is_last, "{}", experiment.name());
        assert!(page.contains("quick run"), "{page}");
        // With all cells known, none is computed again, and the page is the same.
        let again = Counted::default();
        assert_eq!(run(experiment, &options, &again).unwrap(), page);
        assert_eq!(again.0.into_inner(), 0, "{} was computed again", experiment.name());
    }
    let page = read(report(&options.out).unwrap());
    let figures: Vec<&str> =
        page.split("](results/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(figures.len() >= Experiment::ALL.len(), "{figures:?}");
    for figure in figures {
        let svg = read(options.out.join("results").join(figure));
        assert!(svg.contains("</svg>") && !svg.contains("NaN") && !svg.contains("inf"), "{figure}");
    }
    assert!(!page.contains("NaN") && !page.contains("![calibration]"), "{page}");
    // Heads of tables are in templates and their rows are not: both must have the same width.
    let width = |line: &str| line.starts_with('|').then(|| line.matches('|').count());
    for (line, next) in page.lines().zip(page.lines().skip(1)) {
        assert!(width(line).zip(width(next)).is_none_or(|(one, other)| one == other), "{line}\n{next}");
    }
    fs::remove_dir_all(options.out).unwrap();
}

/// The rows of a table in order, without their seconds and revision.
fn rows(options: &Options, table: &str) -> Vec<String> {
    let text = read(options.out.join("results").join(table));
    let mut rows: Vec<String> =
        text.lines().map(|row| row.rsplitn(3, ',').last().expect("rows have columns").to_owned()).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn a_result_depends_on_its_settings_and_seed_alone() {
    let (one, two, other) = (options("one"), options("two"), options("other"));
    run(Experiment::Active, &one, &Silent).unwrap();
    run(Experiment::Active, &Options { threads: 1, ..two.clone() }, &Silent).unwrap();
    run(Experiment::Active, &Options { seed: 2, ..other.clone() }, &Silent).unwrap();
    assert_eq!(rows(&one, "active.csv"), rows(&two, "active.csv"));
    // The second seed of the first is the first of the other; the other's second is new.
    let both = rows(&one, "active.csv").iter().filter(|row| rows(&other, "active.csv").contains(row)).count();
    assert_eq!(both, rows(&one, "active.csv").len().div_ceil(2));
    for options in [one, two, other] {
        fs::remove_dir_all(options.out).unwrap();
    }
}

/// The number of rows of all tables.
fn row_count(options: &Options) -> usize {
    let tables = fs::read_dir(options.out.join("results"))
        .expect("the folder is there")
        .flatten()
        .map(|file| file.path());
    tables
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .map(|path| read(path).lines().count() - 1)
        .sum()
}

#[test]
fn parts_computed_apart_become_the_whole() {
    let (whole, merged) = (options("whole"), options("merged"));
    let page = run(Experiment::Weights, &whole, &Silent).unwrap();
    let parts: Vec<Options> = (1..=3)
        .map(|i| Options {
            share: Share::Shard(format!("{i}/3").parse().unwrap()),
            ..options(&format!("part{i}"))
        })
        .collect();
    for part in &parts {
        let text = run(Experiment::Weights, part, &Silent).unwrap();
        assert!(text.contains("/3 of weights is done") && text.contains("grove lab merge"), "{text}");
    }
    let folders: Vec<PathBuf> = parts.iter().map(|part| part.out.clone()).collect();
    let together = merge(&folders, &merged.out).unwrap();
    assert_eq!((together.tables > 0, together.known), (true, 0));
    assert_eq!(together.added, row_count(&whole));
    assert_eq!(rows(&merged, "weights.csv"), rows(&whole, "weights.csv"));
    // Merging again adds nothing, and the page of the merged tables is that of the whole but for the time it took.
    assert_eq!(merge(&folders, &merged.out).unwrap().added, 0);
    let timeless =
        |page: &str| page.lines().filter(|line| !line.contains("second") && !line.contains("minute")).count();
    assert_eq!(timeless(&run(Experiment::Weights, &merged, &Silent).unwrap()), timeless(&page));
    let other = options("none").out;
    assert!(matches!(merge(&[folders[0].clone(), other], &merged.out), Err(Error::NoTables(_))));
    fs::write(folders[1].join("results/weights.csv"), "size,seed,other\n").unwrap();
    assert!(matches!(merge(&folders, &merged.out), Err(Error::BadTable { .. })));
    for options in parts.iter().chain([&whole, &merged]) {
        fs::remove_dir_all(&options.out).unwrap();
    }
}
