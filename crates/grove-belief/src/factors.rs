//! Answers whose chance depends on several concepts at once: on which of some concepts are above another, and on which of these is the lowest.
//!
//! A pick is one such factor. A tick is one for every box: it matters whether the upper concept is above the box, and whether a box that is
//! ticked is. Scores of pairs cannot hold them: two options above a concept are not twice the evidence.

use grove_tree::Concept;

use crate::form_rates::FormRates;
use crate::{Reply, Response, Screen, Worker};

/// One answer, or one box, as a function of what is above a concept.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Factor {
    /// The concept that others may be above.
    pub(crate) lower: Concept,
    /// Those that matter. For a box: the upper concept, and then the other boxes that are ticked.
    pub(crate) options: Vec<Concept>,
    pub(crate) said: Said,
    pub(crate) worker: Worker,
}

/// What was said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Said {
    /// The option with this index was picked.
    Picked(u8),
    /// None of the options was.
    None,
    /// The box was ticked, or left empty.
    Ticked(bool),
}

/// Which options are above the concept, as bits; and the lowest of them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Above {
    pub(crate) mask: u16,
    pub(crate) lowest: Option<u8>,
}

impl Above {
    /// The options of `self`, and those of `wider`, which are all above them.
    pub(crate) fn under(self, wider: Self) -> Self {
        Self { mask: self.mask | wider.mask, lowest: self.lowest.or(wider.lowest) }
    }

    /// One option.
    pub(crate) fn one(option: usize) -> Self {
        Self { mask: 1 << option, lowest: Some(option as u8) }
    }

    /// The same with one more option that is not the lowest, unless it is the only one.
    pub(crate) fn and(self, option: usize) -> Self {
        self.under(Self::one(option))
    }

    pub(crate) fn has(self, option: usize) -> bool {
        self.mask >> option & 1 == 1
    }
}

impl Factor {
    /// Whether the screen asked about this option: a tick does about one, and not about other boxes that were ticked.
    pub(crate) fn asks_about(&self, option: Concept) -> bool {
        match self.said {
            Said::Ticked(_) => self.options[0] == option,
            Said::Picked(_) | Said::None => self.options.contains(&option),
        }
    }

    /// ln of the chance of what was said.
    pub(crate) fn log(&self, above: Above, rates: &FormRates) -> f64 {
        let (count, options) = (above.mask.count_ones(), self.options.len());
        match self.said {
            Said::None if count == 0 => rates.log_unfounded(false, options),
            Said::None => rates.log_missed(),
            Said::Picked(_) if count == 0 => rates.log_unfounded(true, options),
            Said::Picked(option) if above.lowest == Some(option) => rates.log_lowest(count, options),
            Said::Picked(option) if above.has(option.into()) => rates.log_wider(count),
            Said::Picked(_) => rates.log_wrong(count, options),
            // Below a box that is ticked, another may be ticked or not, whatever is above both.
            Said::Ticked(ticked) if above.mask > 1 => rates.log_redundant(ticked),
            Said::Ticked(ticked) => rates.log_tick(above.has(0), ticked),
        }
    }

    /// Whether scores of pairs cannot hold it.
    pub(crate) fn is_joint(&self) -> bool {
        self.options.len() > 1
    }

    /// The index of a concept among the options.
    pub(crate) fn option(&self, concept: Concept) -> Option<usize> {
        self.options.iter().position(|option| *option == concept)
    }

    /// What stands in for it where only scores of pairs can be held: for every pair (upper, lower), what is gained if it holds.
    ///
    /// # Formula
    /// ln (1-m) k / f for the picked one of k options, and nothing for the others; ln m / (1-f) for every option under "none".
    pub(crate) fn pair_scores(&self, rates: &FormRates) -> Vec<(Concept, f64)> {
        let options = self.options.len();
        match self.said {
            Said::Picked(option) => {
                let gain = rates.log_missed().exp_m1();
                vec![(self.options[usize::from(option)], (-gain).ln() - rates.log_unfounded(true, options))]
            }
            Said::None => {
                let gain = rates.log_missed() - rates.log_unfounded(false, options);
                self.options.iter().map(|&option| (option, gain)).collect()
            }
            Said::Ticked(ticked) => {
                vec![(self.options[0], rates.log_tick(true, ticked) - rates.log_tick(false, ticked))]
            }
        }
    }

    /// The factors that a response is made of: none if it says nothing, or is a vote or a place, which pairs can hold.
    pub(crate) fn of(response: &Response) -> Vec<Self> {
        let worker = response.worker;
        match (&response.screen, &response.reply) {
            (Screen::Pick { lower, options }, reply) => {
                let said = match reply {
                    Reply::Picked(picked) => {
                        options.iter().position(|option| option == picked).map(|at| Said::Picked(at as u8))
                    }
                    Reply::None => Some(Said::None),
                    _ => None,
                };
                let factor = |said| Self { lower: *lower, options: options.clone(), said, worker };
                said.map(factor).into_iter().collect()
            }
            (Screen::Tick { upper, options }, reply @ (Reply::Ticked(_) | Reply::None)) => {
                let ticked = reply.concepts();
                let of_box = |&lower: &Concept| {
                    let others = ticked.iter().copied().filter(|other| *other != lower);
                    let options = std::iter::once(*upper).chain(others).collect();
                    Self { lower, options, said: Said::Ticked(ticked.contains(&lower)), worker }
                };
                options.iter().map(of_box).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// All factors, with an index by concept.
#[derive(Clone, Default, Debug)]
pub(crate) struct Factors {
    all: Vec<Option<Factor>>,
    /// For every concept, the factors about what is above it, and those that have it as an option.
    about: Vec<Vec<u32>>,
    naming: Vec<Vec<u32>>,
    count: usize,
    joint: usize,
}

impl Factors {
    pub(crate) fn new(count: usize) -> Self {
        Self { about: vec![Vec::new(); count + 1], naming: vec![Vec::new(); count + 1], ..Self::default() }
    }

    pub(crate) fn grow(&mut self, count: usize) {
        self.about.resize(count + 1, Vec::new());
        self.naming.resize(count + 1, Vec::new());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether there are some that scores of pairs cannot hold.
    pub(crate) fn any_joint(&self) -> bool {
        self.joint > 0
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Factor> {
        self.all.iter().flatten()
    }

    /// The factors about what is above a concept.
    pub(crate) fn about(&self, concept: Concept) -> impl Iterator<Item = &Factor> {
        self.about[concept.index()].iter().filter_map(|&at| self.all[at as usize].as_ref())
    }

    /// The factors that have a concept as an option.
    pub(crate) fn naming(&self, concept: Concept) -> impl Iterator<Item = &Factor> {
        self.naming[concept.index()].iter().filter_map(|&at| self.all[at as usize].as_ref())
    }

    pub(crate) fn insert(&mut self, factor: Factor) -> u32 {
        let at = u32::try_from(self.all.len()).expect("fewer answers than 32 bits count");
        self.about[factor.lower.index()].push(at);
        for option in &factor.options {
            self.naming[option.index()].push(at);
        }
        self.count += 1;
        self.joint += usize::from(factor.is_joint());
        self.all.push(Some(factor));
        at
    }

    pub(crate) fn remove(&mut self, at: u32) {
        let Some(factor) = self.all[at as usize].take() else { return };
        self.about[factor.lower.index()].retain(|other| *other != at);
        for option in &factor.options {
            self.naming[option.index()].retain(|other| *other != at);
        }
        self.count -= 1;
        self.joint -= usize::from(factor.is_joint());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FormRates;
    use crate::form_rates::PickRates;

    fn pick(said: Said, options: usize) -> Factor {
        let options = (2..2 + options).map(Concept::new).collect();
        Factor { lower: Concept::new(1), options, said, worker: Worker::new(0) }
    }

    /// Whatever is above, in whatever order, the chances of all answers sum to 1.
    #[test]
    fn the_answers_to_a_pick_sum_to_one() {
        let mut rates = FormRates::told(&crate::Rates::two(0.2, 0.3).unwrap());
        rates.pick = PickRates { missed: 0.2, wrong: 0.1, wider: 0.05, unfounded: 0.3 };
        for options in 1..=8 {
            for mask in 0..1_u16 << options {
                for lowest in
                    (0..options as u8).filter(|lowest| mask >> lowest & 1 == 1).map(Some).chain([None])
                {
                    if lowest.is_none() != (mask == 0) {
                        continue;
                    }
                    let above = Above { mask, lowest };
                    let picked =
                        (0..options as u8).map(|at| pick(Said::Picked(at), options).log(above, &rates).exp());
                    let total = picked.sum::<f64>() + pick(Said::None, options).log(above, &rates).exp();
                    assert!((total - 1.0).abs() < 1e-12, "{options} {mask:b} {total}");
                }
            }
        }
    }

    #[test]
    fn a_factor_can_be_taken_out_again() {
        let mut factors = Factors::new(4);
        let kept = factors.insert(pick(Said::None, 1));
        let gone = factors.insert(pick(Said::Picked(1), 3));
        assert!(factors.any_joint());
        factors.remove(gone);
        factors.remove(gone);
        assert_eq!(factors.iter().count(), 1);
        assert_eq!(factors.about(Concept::new(1)).count(), 1);
        assert_eq!(factors.naming(Concept::new(3)).count(), 0);
        assert!(!factors.any_joint() && !factors.is_empty() && kept == 0);
    }
}
