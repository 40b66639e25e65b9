//! A result as text, and back.

use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use grove_belief::{ENGINE_REVISION, Engine, Evidence, Worker};
use grove_formats::{ConceptList, Format, Hierarchy, Source, WriteOptions, read_hierarchy, write};
use grove_tree::Concept;
use grove_vocabulary::{Correction, Response};
use serde::{Deserialize, Serialize};
use taxogrove::inference::{AssumedNoise, Input, Options, RecordedVotes, Watch};

use crate::error::Failure;
use crate::names;
use crate::state::State;

/// The version of the file; names and meanings of fields never change within one.
const VERSION: u32 = 1;

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Saved {
    /// What kind of file it is, and its version.
    taxogrove: u32,
    /// The revision of the engine that computed the belief.
    revision: u32,
    engine: String,
    noise: String,
    prior: String,
    root: Option<String>,
    seed: u64,
    /// The concepts, all directly under the root, as nested JSON, which keeps all that is known of them.
    concepts: String,
    workers: Vec<String>,
    /// Everything that was ever said, by numbers; that which was withdrawn is marked in `withdrawn`.
    votes: Vec<Response<u32, u32>>,
    lines: Vec<usize>,
    repeated: usize,
    withdrawn: Vec<usize>,
    corrections: Vec<Correction<u32>>,
    /// The trees of an ensemble. Other engines are computed again.
    belief: Option<String>,
}

impl State {
    /// All that is needed to continue.
    pub(crate) fn save(&self) -> Result<String, Failure> {
        let Self { options, input, working, .. } = self;
        let flat = Hierarchy::new(input.heading(), input.entries())?;
        let number = |concept: Concept| concept.index() as u32;
        let vote = |response: &grove_belief::Response| {
            let Response { worker, screen, reply } = response.clone().map(number);
            Response { worker: worker.index() as u32, screen, reply }
        };
        let recorded = &input.recorded;
        let mut counts = vec![false; recorded.responses.len()];
        working.evidence().responses().for_each(|(id, _)| counts[id.index()] = true);
        let saved = Saved {
            taxogrove: VERSION,
            revision: ENGINE_REVISION,
            engine: names::of(options.engine),
            noise: options.noise.to_string(),
            prior: names::of(options.prior),
            root: options.root.clone(),
            seed: options.seed,
            concepts: write(&flat, Format::Json, &WriteOptions::default())?,
            workers: recorded.workers.clone(),
            votes: recorded.responses.iter().map(vote).collect(),
            lines: recorded.lines.clone(),
            repeated: recorded.repeated,
            withdrawn: (0..counts.len()).filter(|&at| !counts[at]).collect(),
            corrections: working.evidence().corrections().iter().map(|(_, one)| one.map(number)).collect(),
            belief: working.freeze().map(|bytes| BASE64_STANDARD.encode(bytes)),
        };
        Ok(serde_json::to_string(&saved)? + "\n")
    }

    /// What was saved. The belief continues bit for bit if this revision of the engine saved it, and is computed again otherwise.
    pub(crate) fn load(text: &str, file: &str, watch: &mut dyn Watch) -> Result<Self, Failure> {
        let damaged = |problem: &dyn std::fmt::Display| {
            Failure::input(format!("{file}: this is not a saved result ({problem}); save it again"))
        };
        let saved: Saved = serde_json::from_str(text).map_err(|error| damaged(&error))?;
        if saved.taxogrove != VERSION {
            return Err(Failure::input(format!(
                "{file}: this file has version {}, but only version {VERSION} can be read; update taxogrove",
                saved.taxogrove
            )));
        }
        let options = Options {
            engine: names::parse("engine", &saved.engine)?,
            noise: AssumedNoise::from_str(&saved.noise).map_err(|error| damaged(&error))?,
            prior: names::parse("prior", &saved.prior)?,
            root: saved.root.clone(),
            seed: saved.seed,
        };
        let flat = read_hierarchy(&Source::new("concepts.json", saved.concepts.as_bytes())?);
        let list = ConceptList::of(flat.map_err(|error| damaged(&error))?);
        let mut input = Input::new(Some(list), None, &options, None).map_err(|error| damaged(&error))?;
        let evidence = saved.restore(&mut input).map_err(|error| damaged(&error))?;
        let bytes = saved.belief.as_ref().filter(|_| saved.revision == ENGINE_REVISION);
        let bytes = bytes.and_then(|text| BASE64_STANDARD.decode(text).ok());
        if let Some(bytes) = bytes {
            let working = Engine::thaw(evidence, options.seed, &bytes)?;
            return Ok(Self::restored(input, options, working));
        }
        watch.begin("placing the concepts", None);
        let working =
            options.engine.start(evidence, options.seed).map_err(|error| Failure::of(&error, None))?;
        Ok(Self::restored(input, options, working))
    }
}

impl Saved {
    /// The votes and corrections as evidence, with the same numbers as before.
    fn restore(&self, input: &mut Input) -> Result<Evidence, grove_belief::Error> {
        let mut evidence = Evidence::new(input.count(), input.settings.clone())?;
        let concept = |number: u32| Concept::new(number as usize);
        let mut responses = Vec::with_capacity(self.votes.len());
        for vote in &self.votes {
            let Response { worker, screen, reply } = vote.clone().map(concept);
            if worker as usize >= self.workers.len() {
                return Err(grove_belief::Error::UnknownWorker(worker as usize));
            }
            let response = grove_belief::Response { worker: Worker::new(worker), screen, reply };
            let id = evidence.respond(response.clone())?;
            if self.withdrawn.binary_search(&id.index()).is_ok() {
                evidence.withdraw(id)?;
            }
            responses.push(response);
        }
        for correction in &self.corrections {
            evidence.correct(correction.map(concept))?;
        }
        let mut lines = self.lines.clone();
        lines.resize(responses.len(), 0);
        input.recorded =
            RecordedVotes { responses, lines, workers: self.workers.clone(), repeated: self.repeated };
        Ok(evidence)
    }
}
