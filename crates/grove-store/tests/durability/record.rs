//! A recording of what a process did to its files, and what a disk may have kept of it after a power loss.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use grove_store::{CampaignId, VoteId};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::writer::{self, Folder, WriterMode};

/// The unit that a disk writes completely or not at all.
const SECTOR: usize = 512;
/// The file to which acknowledgements are written.
const ACKNOWLEDGED: &str = "acknowledged";
pub(crate) const DATABASE: &str = "grove.db";

/// One operation on a file.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Write { file: String, offset: usize, bytes: Vec<u8> },
    Truncate { file: String, length: usize },
    Flush { file: String },
    Acknowledge(VoteId),
}

/// What a writer did to a database that was completely on disk.
pub(crate) struct Recording {
    pub(crate) campaign: CampaignId,
    pub(crate) before: Files,
    pub(crate) steps: Vec<Step>,
}

impl Recording {
    /// Records a writer with this many clients and votes per client.
    pub(crate) async fn of(mode: WriterMode, clients: u32, votes: u32) -> Self {
        let recording = Self::with(mode, clients, votes, &[]).await;
        assert_eq!(recording.acknowledged(), (clients * votes) as usize);
        recording
    }

    /// Records a writer whose environment tells the recorder which calls are to fail.
    pub(crate) async fn with(mode: WriterMode, clients: u32, votes: u32, faults: &[(&str, String)]) -> Self {
        let (folder, outside) = (Folder::new(), Folder::new());
        let place = folder.file(DATABASE);
        let campaign = writer::prepare(&place).await;
        let before = files(&folder.0);
        let to = outside.file("record");
        let status = writer::command(&place, campaign, mode, clients, votes)
            .env("LD_PRELOAD", recorder(&outside.0))
            .env("RECORD_FOLDER", &folder.0)
            .env("RECORD_TO", &to)
            .env("WRITER_ACKNOWLEDGES_TO", folder.file(ACKNOWLEDGED))
            .envs(faults.iter().map(|(name, value)| (name, value)))
            .status()
            .unwrap();
        assert!(status.success());
        let steps = read(Path::new(&to));
        Self { campaign, before, steps }
    }

    /// How many votes were acknowledged.
    pub(crate) fn acknowledged(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Acknowledge(_))).count()
    }
}

fn files(folder: &Path) -> Files {
    let paths = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths.map(|path| (name(&path), std::fs::read(path).unwrap())).collect()
}

/// Compiles the recorder and returns the path of the library.
fn recorder(folder: &Path) -> String {
    let library = folder.join("recorder.so").display().to_string();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/durability/recorder.c");
    let compiled =
        Command::new("cc").args(["-O2", "-shared", "-fPIC", "-o", &library, source, "-ldl"]).status();
    assert!(compiled.expect("there is a C compiler, since SQLite was compiled").success());
    library
}

/// Reads a recording.
fn read(path: &Path) -> Vec<Step> {
    let bytes = std::fs::read(path).unwrap();
    let (mut at, mut steps) = (0, Vec::new());
    while at < bytes.len() {
        let end = at + bytes[at..].iter().position(|&byte| byte == b'\n').unwrap();
        let head = std::str::from_utf8(&bytes[at..end]).unwrap();
        let [kind, file, offset, length] = head.split(' ').collect::<Vec<_>>()[..] else { panic!("{head}") };
        let (offset, length): (usize, usize) = (offset.parse().unwrap(), length.parse().unwrap());
        let data = bytes[end + 1..end + 1 + length].to_vec();
        at = end + 1 + length;
        let file = file.to_owned();
        steps.push(match kind {
            "write" if file == ACKNOWLEDGED => {
                Step::Acknowledge(writer::acknowledged(&String::from_utf8(data).unwrap()).unwrap())
            }
            "write" => Step::Write { file, offset, bytes: data },
            "truncate" => Step::Truncate { file, length: offset },
            "flush" => Step::Flush { file },
            _ => panic!("{head}"),
        });
    }
    steps
}

/// Names and contents.
type Files = BTreeMap<String, Vec<u8>>;

/// The files as they may be after power is lost at some point: what was flushed is there; each later write of a sector or change of
/// length may have happened or not.
pub(crate) struct Disk {
    /// The content that has been flushed.
    flushed: Files,
    /// The operations on each file since then.
    loose: BTreeMap<String, Vec<Step>>,
}

impl Disk {
    pub(crate) fn new(flushed: Files) -> Self {
        Self { flushed, loose: BTreeMap::new() }
    }

    pub(crate) fn step(&mut self, step: &Step) {
        match step {
            Step::Write { file, .. } | Step::Truncate { file, .. } => {
                self.loose.entry(file.clone()).or_default().push(step.clone());
            }
            Step::Flush { file } => {
                let content = self.flushed.entry(file.clone()).or_default();
                for step in self.loose.remove(file).unwrap_or_default() {
                    apply(content, &step, &mut || true);
                }
            }
            Step::Acknowledge(_) => {}
        }
    }

    /// One of the possible states of the files.
    pub(crate) fn after_power_loss(&self, rng: &mut ChaCha8Rng) -> Files {
        let mut files = self.flushed.clone();
        for (file, steps) in &self.loose {
            let content = files.entry(file.clone()).or_default();
            // Sometimes nearly everything has arrived, sometimes nearly nothing.
            let share: f64 = rng.random();
            for step in steps {
                apply(content, step, &mut || rng.random_bool(share));
            }
        }
        files
    }
}

/// Applies a step to a file's content, as far as each part has arrived.
fn apply(content: &mut Vec<u8>, step: &Step, arrived: &mut impl FnMut() -> bool) {
    match step {
        Step::Write { offset, bytes, .. } => {
            let mut at = 0;
            while at < bytes.len() {
                // Up to the end of the sector.
                let end = bytes.len().min(at + SECTOR - (offset + at) % SECTOR);
                if arrived() {
                    let place = offset + at..offset + end;
                    if content.len() < place.end {
                        content.resize(place.end, 0);
                    }
                    content[place].copy_from_slice(&bytes[at..end]);
                }
                at = end;
            }
        }
        Step::Truncate { length, .. } => {
            if arrived() {
                content.resize(*length, 0);
            }
        }
        Step::Flush { .. } | Step::Acknowledge(_) => {}
    }
}
