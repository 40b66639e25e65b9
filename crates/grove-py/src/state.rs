//! A belief with the names of its concepts and workers: what a result in Python stands for. Nothing here knows Python.

use std::sync::Arc;

use grove_belief::{
    Answer, Asking, Clash, Correction, Engine, Form, Influence, Question, Report, Screen, Strategy, Why,
    Worker, choose, choose_batch, choose_screens,
};
use grove_formats::{
    ErrorKind, Format, Heading, Hierarchy, Relation, SampleFormat, Source, WriteOptions, read_votes, write,
    write_samples,
};
use grove_tree::{Concept, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use taxogrove::inference::{Findings, Input, Options, Solved, Watch, refine, report, solve};

use crate::error::Failure;

/// From so many votes on they are taken in together, as a campaign does.
const MANY: usize = 16;

/// Concepts, votes, and what is believed.
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) input: Input,
    /// The belief that takes in further votes.
    pub(crate) working: Engine,
    /// What is read of it; none since something has changed.
    reading: Option<Arc<Reading>>,
}

/// A belief with more trees, checked for convergence, and its report.
pub(crate) struct Reading {
    pub(crate) belief: Engine,
    report: Report,
    hierarchy: Hierarchy,
}

/// How questions are to be chosen.
pub(crate) struct Wanted {
    pub(crate) count: usize,
    pub(crate) worker: Option<String>,
    pub(crate) forms: Vec<Form>,
    pub(crate) strategy: Strategy,
    pub(crate) seed: u64,
}

/// What a written hierarchy says about itself.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) title: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) relation: Option<Relation>,
    pub(crate) base: Option<String>,
    pub(crate) license: Option<String>,
}

impl State {
    /// Computes the belief.
    pub(crate) fn infer(input: Input, options: Options, watch: &mut dyn Watch) -> Result<Self, Failure> {
        let solved = solve(&input, &options, watch).map_err(|error| Failure::of(&error, None))?;
        let Solved { working, refined } =
            solved.filter(|_| !watch.is_cancelled()).ok_or(Failure::Cancelled)?;
        let reading = Reading::new(refined, &input)?;
        Ok(Self { options, input, working, reading: Some(Arc::new(reading)) })
    }

    /// A belief that was computed before.
    pub(crate) fn restored(input: Input, options: Options, working: Engine) -> Self {
        Self { options, input, working, reading: None }
    }

    /// What is read of the belief, if nothing has changed since.
    pub(crate) fn fresh_reading(&self) -> Option<Arc<Reading>> {
        self.reading.clone()
    }

    /// What is read of the belief; computed first if something has changed.
    pub(crate) fn reading(&mut self, watch: &mut dyn Watch) -> Result<Arc<Reading>, Failure> {
        if let Some(reading) = &self.reading {
            return Ok(Arc::clone(reading));
        }
        let refined = refine(&self.working, watch).ok_or(Failure::Cancelled)?;
        // An engine that was stopped has fewer trees than the others would read.
        if watch.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let reading = Arc::new(Reading::new(refined, &self.input)?);
        self.reading = Some(Arc::clone(&reading));
        Ok(reading)
    }

    /// The concept, or the root, of this name.
    pub(crate) fn find(&self, name: &str) -> Result<Concept, Failure> {
        let index = self.input.index();
        index.find(name).ok_or_else(|| {
            let nearest = index.nearest(name).map(str::to_owned);
            Failure::input(ErrorKind::UnknownConcept { name: name.to_owned(), nearest })
        })
    }

    /// The concept of this name, which is not the root.
    pub(crate) fn find_concept(&self, name: &str) -> Result<Concept, Failure> {
        let found = self.find(name)?;
        match found.is_root() {
            true => Err(Failure::input(format!("{name:?} is the root; name a concept below it"))),
            false => Ok(found),
        }
    }

    pub(crate) fn name(&self, concept: Concept) -> &str {
        self.input.index().name(concept)
    }

    /// Takes in votes; where their numbers begin, and how many there are. Errors in rows name the row of `rows`.
    pub(crate) fn record(&mut self, votes: &Source, rows: Option<&str>) -> Result<(usize, usize), Failure> {
        let refused = |error: anyhow::Error| Failure::of(&error, rows);
        let read = read_votes(votes, self.input.index()).map_err(|error| refused(error.into()))?;
        let begin = self.input.recorded.extend(&read).map_err(refused)?;
        if rows.is_some() {
            self.input.recorded.count_lines_from(begin);
        }
        self.reading = None;
        let new = self.input.recorded.responses[begin..].to_vec();
        let count = new.len();
        if count < MANY || !matches!(self.working, Engine::Ensemble(_)) {
            new.into_iter().try_for_each(|response| self.working.respond(response).map(drop))?;
        } else {
            self.working.respond_all(&new)?;
            let sweeps = 4 * count / self.input.count().max(1);
            self.working.sweep(sweeps.clamp(2, 4));
        }
        Ok((begin, count))
    }

    /// Withdraws a vote by its number.
    pub(crate) fn withdraw(&mut self, number: usize) -> Result<(), Failure> {
        let found = self.working.evidence().responses().find(|(id, _)| id.index() == number);
        let (id, _) = found.ok_or(grove_belief::Error::UnknownVote(number))?;
        self.reading = None;
        self.working.withdraw(id)?;
        Ok(())
    }

    /// Adds a correction; whether it is new.
    pub(crate) fn correct(&mut self, correction: Correction) -> Result<bool, Failure> {
        if self.working.evidence().corrections().iter().any(|(_, known)| known == correction) {
            return Ok(false);
        }
        self.working.correct(correction).map_err(|error| match error {
            grove_belief::Error::Clash(clash) => Failure::input(self.clash(clash)),
            other => other.into(),
        })?;
        self.reading = None;
        Ok(true)
    }

    /// Corrections that no hierarchy fulfils, by name.
    fn clash(&self, clash: Clash) -> String {
        let named =
            clash.0.into_iter().map(|correction| correction.map(|concept| self.name(concept)).to_string());
        format!("no hierarchy can have all of: {}; undo one of them", named.collect::<Vec<_>>().join(", "))
    }

    /// Undoes the corrections of a concept, or only those about the two; how many.
    pub(crate) fn free(&mut self, lower: Concept, upper: Option<Concept>) -> Result<usize, Failure> {
        let is_meant = |correction: &Correction| {
            let about = correction.upper().copied().unwrap_or(Concept::ROOT);
            *correction.subject() == lower && upper.is_none_or(|upper| upper == about)
        };
        let all = self.working.evidence().corrections().iter();
        let meant: Vec<_> = all.filter(|(_, correction)| is_meant(correction)).map(|(id, _)| id).collect();
        if meant.is_empty() {
            let name = self.name(lower);
            return Err(Failure::input(format!("there is no correction of {name:?} to undo")));
        }
        self.reading = None;
        for &id in &meant {
            self.working.take_back(id)?;
        }
        Ok(meant.len())
    }

    /// The corrections in force, as JSON with names.
    pub(crate) fn corrections(&self) -> Value {
        let named = |correction: Correction| correction.map(|concept| self.name(concept).to_owned());
        let all = self.working.evidence().corrections().iter();
        json!(all.map(|(_, correction)| named(correction)).collect::<Vec<_>>())
    }

    /// Everything that was said, as JSON with names, and whether it counts.
    pub(crate) fn votes(&self) -> Value {
        let recorded = &self.input.recorded;
        let mut counts = vec![false; recorded.responses.len()];
        self.working.evidence().responses().for_each(|(id, _)| counts[id.index()] = true);
        let vote = |(number, response): (usize, &grove_belief::Response)| {
            let named = response.clone().map(|concept| self.name(concept).to_owned());
            let worker = &recorded.workers[response.worker.index()];
            let named = grove_vocabulary::Response { worker, screen: named.screen, reply: named.reply };
            let mut object = json!(named);
            object["number"] = json!(number);
            object["counts"] = json!(counts[number]);
            object
        };
        recorded.responses.iter().enumerate().map(vote).collect()
    }

    /// Who said yes, and who said no, to one concept being above another; by their last vote that counts.
    pub(crate) fn voters(&self, upper: Concept, lower: Concept) -> [Vec<&str>; 2] {
        let mut last: Vec<Option<Answer>> = vec![None; self.input.recorded.workers.len()];
        for (_, vote) in self.working.evidence().votes() {
            if (vote.question.upper, vote.question.lower) == (upper, lower) {
                last[vote.worker.index()] = Some(vote.answer);
            }
        }
        [Answer::Yes, Answer::No].map(|answer| {
            let names = self.input.recorded.workers.iter().zip(&last);
            names.filter(|(_, said)| **said == Some(answer)).map(|(name, _)| name.as_str()).collect()
        })
    }

    /// The votes behind a placement, as JSON with names.
    pub(crate) fn why(
        &self,
        reading: &Reading,
        child: Concept,
        parent: Option<Concept>,
    ) -> Result<Value, Failure> {
        let why = Why::of(&*reading.belief, child, parent)?;
        let vote = |influence: &Influence| {
            let response = &self.input.recorded.responses[influence.vote.index()];
            let question = response.screen.question();
            json!({
                "number": influence.vote.index(),
                "worker": self.input.recorded.workers[response.worker.index()],
                "upper": question.map(|question| self.name(question.upper)),
                "lower": question.map(|question| self.name(question.lower)),
                "kind": question.map(|question| question.kind),
                "answer": response.reply.answer(),
                "weight": influence.log_odds,
            })
        };
        Ok(json!({
            "child": self.name(why.child),
            "parent": self.name(why.parent),
            "certainty": why.certainty,
            "above": why.above,
            "direct": why.direct.iter().map(vote).collect::<Vec<_>>(),
            "indirect": why.indirect.iter().map(vote).collect::<Vec<_>>(),
        }))
    }

    /// What to ask next, as JSON with names.
    pub(crate) fn next_questions(&self, wanted: &Wanted) -> Result<Value, Failure> {
        let known = wanted.worker.as_ref().and_then(|name| {
            let key = name.trim();
            self.input.recorded.workers.iter().position(|worker| worker == key)
        });
        let number = known.unwrap_or(self.input.recorded.workers.len());
        let worker = Worker::new(u32::try_from(number).map_err(Failure::input)?);
        let rng = &mut ChaCha8Rng::seed_from_u64(wanted.seed);
        rng.set_stream(self.working.evidence().recorded() as u64);
        let belief = &*self.working;
        let screens: Vec<(Screen, f64, Option<f64>)> = if wanted.forms == [Form::YesNo] {
            let chosen = self.choose(wanted, worker, rng);
            chosen.into_iter().map(|choice| (choice.question.into(), choice.gain, None)).collect()
        } else {
            let workers = vec![worker; wanted.count];
            let chosen = choose_screens(belief, &Asking::with(&wanted.forms), &workers, &|_| false, rng);
            chosen.into_iter().map(|(_, choice)| (choice.screen, choice.gain, Some(choice.seconds))).collect()
        };
        let object = |(screen, gain, seconds): (Screen, f64, Option<f64>)| {
            let above = screen.question().map(|question| belief.path(question.upper, question.lower));
            let form = screen.form();
            let named = screen.map(|concept| self.name(concept).to_owned());
            let text = named.to_string();
            let mut object = json!(named);
            let more = [
                ("form", json!(form)),
                ("gain", json!(gain)),
                ("seconds", json!(seconds)),
                ("above", json!(above)),
                ("text", json!(text)),
            ];
            more.into_iter().for_each(|(key, value)| object[key] = value);
            object
        };
        Ok(screens.into_iter().map(object).collect())
    }

    /// Yes/no questions: several by joint gain, where that is the rule; otherwise one after the other.
    fn choose(&self, wanted: &Wanted, worker: Worker, rng: &mut ChaCha8Rng) -> Vec<grove_belief::Choice> {
        let belief = &*self.working;
        if wanted.strategy == Strategy::Gain && wanted.count > 1 {
            let chosen = choose_batch(belief, &vec![worker; wanted.count], &|_| false, rng);
            return chosen.into_iter().map(|(_, choice)| choice).collect();
        }
        let mut chosen: Vec<grove_belief::Choice> = Vec::new();
        while chosen.len() < wanted.count {
            let is_chosen = |question: Question| chosen.iter().any(|choice| choice.question == question);
            match choose(belief, wanted.strategy, worker, &is_chosen, rng) {
                Some(choice) => chosen.push(choice),
                None => break,
            }
        }
        chosen
    }

    /// The object of `grove infer --json`, as text.
    pub(crate) fn findings(&self, reading: &Reading) -> Result<String, Failure> {
        let Reading { report, hierarchy, .. } = reading;
        let findings = Findings::new(&self.options, &self.input, report, hierarchy, None);
        Ok(serde_json::to_string_pretty(&findings)? + "\n")
    }
}

impl Reading {
    fn new(belief: Engine, input: &Input) -> Result<Self, Failure> {
        let (report, hierarchy) = report(&belief, input).map_err(|error| Failure::of(&error, None))?;
        Ok(Self { belief, report, hierarchy })
    }

    /// Trees drawn from the belief.
    pub(crate) fn sample(&self, count: usize, seed: u64) -> Vec<Tree> {
        self.belief.sample(count, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    /// The hierarchy as text in a format.
    pub(crate) fn export(&self, format: Format, written: Written) -> Result<String, Failure> {
        let default = WriteOptions::default();
        let base = written.base.clone().unwrap_or(default.base);
        let options = WriteOptions { base, license: written.license.clone(), ..default };
        Ok(write(&self.headed(written)?, format, &options)?)
    }

    /// Trees drawn from the belief, as text.
    pub(crate) fn export_samples(
        &self,
        format: SampleFormat,
        written: Written,
        count: usize,
        seed: u64,
    ) -> Result<String, Failure> {
        Ok(write_samples(&self.headed(written)?, &self.sample(count, seed), format)?)
    }

    fn headed(&self, written: Written) -> Result<Hierarchy, Failure> {
        let own = self.hierarchy.heading().clone();
        let heading = Heading {
            title: written.title.unwrap_or(own.title),
            language: written.language.unwrap_or(own.language),
            relation: written.relation.unwrap_or(own.relation),
            root: own.root,
            origin: own.origin,
        };
        Ok(self.hierarchy.clone().with_heading(heading)?)
    }
}
