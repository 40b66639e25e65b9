//! How often people err in forms other than yes/no.

use crate::Error;
use crate::noise::{BetaPrior, LEAST_RATE, Rates, Relation};

/// The chances of each kind of error in a pick.
///
/// Where options are above the concept, the right answer is the most specific of them: the lowest. Where only one of them is above, nobody can name a
/// wider one, and where all of them are, nobody can name a wrong one; the chance of that error is then one of the right answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PickRates {
    /// "None of these" where some options are above.
    pub missed: f64,
    /// An option that is not above, where others are.
    pub wrong: f64,
    /// An option that is above, but not the lowest.
    pub wider: f64,
    /// Any option where none of them is above.
    pub unfounded: f64,
}

/// The chances that a box is ticked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TickRates {
    /// A box that should be.
    pub found: f64,
    /// A box that should not be.
    pub unfounded: f64,
    /// A box below another one that is ticked, whether or not it should be: it goes without saying, and some people leave it empty.
    pub redundant: f64,
}

/// How often a box below a ticked one is ticked too, where rates are given.
const REDUNDANT: f64 = 0.8;

/// The chances of each kind of error in a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlaceRates {
    /// Something above the concept, the top level included, that is not directly above it.
    pub wider: f64,
    /// A concept that is not above it.
    pub wrong: f64,
}

/// How often somebody errs in the forms other than yes/no.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FormRates {
    /// In picks.
    pub pick: PickRates,
    /// In ticks, for every box.
    pub tick: TickRates,
    /// In places.
    pub place: PlaceRates,
}

/// How many rates there are.
pub(crate) const RATES: usize = 9;

impl FormRates {
    /// What given rates of yes/no answers mean for the other forms, with n the chance of a false no and y that of a
    /// false yes (both equal the noise, where one rate was given):
    ///
    /// * a pick is wrong with chance n where options are above the concept (half of it "none of these", a quarter each a wrong option and one that is too wide),
    ///   and with chance y where none is;
    /// * a box that should be ticked is not with chance n, and one that should not be is with chance y; one below another that is ticked is ticked in four of
    ///   five cases, so that it says next to nothing;
    /// * a place is wrong with chance n, half of it too wide and half elsewhere.
    #[must_use]
    pub fn told(rates: &Rates) -> Self {
        let (missed, unfounded) = (1.0 - rates.yes(Relation::Above), rates.yes(Relation::Neither));
        Self {
            pick: PickRates { missed: missed / 2.0, wrong: missed / 4.0, wider: missed / 4.0, unfounded },
            tick: TickRates { found: 1.0 - missed, unfounded, redundant: REDUNDANT },
            place: PlaceRates { wider: missed / 2.0, wrong: missed / 2.0 },
        }
        .within_reason()
    }

    /// The same rates, none of them nearer to 0 or 1 than [`LEAST_RATE`].
    ///
    /// # Errors
    /// [`Error::BadRate`] for a rate, or a sum of rates of errors that exclude each other, that is not within 0 and 1.
    pub fn checked(self) -> Result<Self, Error> {
        let Self { pick, tick, place } = self;
        let sums = [pick.missed + pick.wrong + pick.wider, place.wider + place.wrong];
        match self.all().iter().chain(&sums).find(|rate| !(0.0..=1.0).contains(*rate)) {
            Some(&rate) => Err(Error::BadRate(rate)),
            None => Ok(Self { pick, tick, place }.within_reason()),
        }
    }

    fn within_reason(self) -> Self {
        let [
            missed,
            wrong,
            wider,
            pick_unfounded,
            found,
            tick_unfounded,
            redundant,
            place_wider,
            place_wrong,
        ] = self.all();
        let one = |rate: f64| rate.clamp(LEAST_RATE, 1.0 - LEAST_RATE);
        let [_, missed, wrong, wider] = apart([1.0 - missed - wrong - wider, missed, wrong, wider]);
        let [_, place_wider, place_wrong] =
            apart([1.0 - place_wider - place_wrong, place_wider, place_wrong]);
        Self {
            pick: PickRates { missed, wrong, wider, unfounded: one(pick_unfounded) },
            tick: TickRates { found: one(found), unfounded: one(tick_unfounded), redundant: one(redundant) },
            place: PlaceRates { wider: place_wider, wrong: place_wrong },
        }
    }

    /// All rates in a fixed order.
    pub(crate) fn all(&self) -> [f64; RATES] {
        let Self { pick, tick, place } = self;
        [
            pick.missed,
            pick.wrong,
            pick.wider,
            pick.unfounded,
            tick.found,
            tick.unfounded,
            tick.redundant,
            place.wider,
            place.wrong,
        ]
    }

    /// The rates that [`FormRates::all`] lists.
    pub(crate) fn from_all(rates: [f64; RATES]) -> Self {
        let [missed, wrong, wider, unfounded, found, tick_unfounded, redundant, place_wider, place_wrong] =
            rates;
        Self {
            pick: PickRates { missed, wrong, wider, unfounded },
            tick: TickRates { found, unfounded: tick_unfounded, redundant },
            place: PlaceRates { wider: place_wider, wrong: place_wrong },
        }
    }

    /// The mean of several; `None` if there are none.
    pub(crate) fn mean(all: impl Iterator<Item = Self>) -> Option<Self> {
        let (mut sum, mut count) = ([0.0; RATES], 0.0);
        for rates in all {
            sum.iter_mut().zip(rates.all()).for_each(|(sum, rate)| *sum += rate);
            count += 1.0;
        }
        (count > 0.0).then(|| Self::from_all(sum.map(|sum| sum / count)))
    }
}

/// Chances that exclude each other, each of them at least the least rate.
fn apart<const M: usize>(chances: [f64; M]) -> [f64; M] {
    let chances = chances.map(|chance| chance.max(LEAST_RATE));
    let total: f64 = chances.iter().sum();
    // The rest after taking the least rate from all keeps its proportions.
    let (over, most) = (total - M as f64 * LEAST_RATE, 1.0 - M as f64 * LEAST_RATE);
    if over > 0.0 { chances.map(|chance| LEAST_RATE + (chance - LEAST_RATE) * most / over) } else { chances }
}

/// What is believed about a worker's rates in forms other than yes/no, before their first answer: counts of imaginary answers, for each form on
/// its own. A worker who does not read is one with bad rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FormPriors {
    /// Picks with options above the concept: the right one, and then the errors in the order of [`PickRates`].
    pub(crate) pick: [f64; 4],
    /// Picks with none: some option, or none.
    pub(crate) unfounded_pick: BetaPrior,
    /// Boxes that should be ticked: ticked, or not.
    pub(crate) found: BetaPrior,
    /// Boxes that should not be: ticked, or not.
    pub(crate) unfounded_tick: BetaPrior,
    /// Boxes below another that is ticked: ticked, or not.
    pub(crate) redundant: BetaPrior,
    /// Places: the right one, and then the errors in the order of [`PlaceRates`].
    pub(crate) place: [f64; 3],
}

impl FormPriors {
    /// Priors with these means, as sure as after so many answers of every kind.
    ///
    /// # Errors
    /// [`Error::BadRate`] as [`FormRates::checked`], and [`Error::BadPrior`] unless the number of answers is positive.
    pub fn around(rates: FormRates, answers: f64) -> Result<Self, Error> {
        if !(answers > 0.0 && answers.is_finite()) {
            return Err(Error::BadPrior);
        }
        Ok(Self::scaled(&rates.checked()?, answers))
    }

    fn scaled(rates: &FormRates, answers: f64) -> Self {
        let FormRates { pick, tick, place } = rates;
        let beta = |rate: f64| BetaPrior { yes: answers * rate, no: answers * (1.0 - rate) };
        let right = 1.0 - pick.missed - pick.wrong - pick.wider;
        Self {
            pick: [right, pick.missed, pick.wrong, pick.wider].map(|rate| answers * rate),
            unfounded_pick: beta(pick.unfounded),
            found: beta(tick.found),
            unfounded_tick: beta(tick.unfounded),
            redundant: beta(tick.redundant),
            place: [1.0 - place.wider - place.wrong, place.wider, place.wrong].map(|rate| answers * rate),
        }
    }

    /// The mean rates.
    #[must_use]
    pub fn mean(&self) -> FormRates {
        let (picks, places): (f64, f64) = (self.pick.iter().sum(), self.place.iter().sum());
        let [_, missed, wrong, wider] = self.pick.map(|count| count / picks);
        FormRates {
            pick: PickRates { missed, wrong, wider, unfounded: self.unfounded_pick.mean() },
            tick: TickRates {
                found: self.found.mean(),
                unfounded: self.unfounded_tick.mean(),
                redundant: self.redundant.mean(),
            },
            place: PlaceRates { wider: self.place[1] / places, wrong: self.place[2] / places },
        }
        .within_reason()
    }
}

impl Default for FormPriors {
    /// An open crowd, which errs in one of five picks and places, and passes over three of ten boxes; as sure as after six answers.
    fn default() -> Self {
        let rates = FormRates {
            pick: PickRates { missed: 0.1, wrong: 0.06, wider: 0.04, unfounded: 0.2 },
            tick: TickRates { found: 0.7, unfounded: 0.1, redundant: 0.7 },
            place: PlaceRates { wider: 0.12, wrong: 0.08 },
        };
        Self::scaled(&rates, 6.0)
    }
}

/// The number of concepts above a typical one, without its parent: those among whom one that is too wide is named.
const TYPICAL_WIDER: f64 = 2.0;

/// Logarithms of chances. They are computed when they are needed: every chain has rates for every worker, so logarithms of all of them would take twice as much
/// memory as the rates do.
impl FormRates {
    /// ln of the chance of "none of these" where some options are above.
    pub(crate) fn log_missed(&self) -> f64 {
        self.pick.missed.ln()
    }

    /// The lowest of `above` options, of `options` in all.
    pub(crate) fn log_lowest(&self, above: u32, options: usize) -> f64 {
        let wrong = if (above as usize) < options { self.pick.wrong } else { 0.0 };
        let wider = if above > 1 { self.pick.wider } else { 0.0 };
        (1.0 - self.pick.missed - wrong - wider).ln()
    }

    /// One of `above` options that is not the lowest.
    pub(crate) fn log_wider(&self, above: u32) -> f64 {
        self.pick.wider.ln() - f64::from(above - 1).ln()
    }

    /// One of `options` of which `above` others are above.
    pub(crate) fn log_wrong(&self, above: u32, options: usize) -> f64 {
        self.pick.wrong.ln() - ((options - above as usize) as f64).ln()
    }

    /// One of `options` where none is above; or none of them.
    pub(crate) fn log_unfounded(&self, picked: bool, options: usize) -> f64 {
        let rate = self.pick.unfounded;
        if picked { rate.ln() - (options as f64).ln() } else { (-rate).ln_1p() }
    }

    /// A box, by whether it should be ticked and whether it is.
    pub(crate) fn log_tick(&self, above: bool, ticked: bool) -> f64 {
        log_of(if above { self.tick.found } else { self.tick.unfounded }, ticked)
    }

    /// A box below one that is ticked, by whether it is ticked too.
    pub(crate) fn log_redundant(&self, ticked: bool) -> f64 {
        log_of(self.tick.redundant, ticked)
    }

    /// What a place under a concept adds to the log-likelihood if that is above, and if it is the parent besides.
    ///
    /// # Formula
    /// With c the chance of naming the parent, a that of any other concept above, of which there are typically two, and b that of any of the N - 1
    /// others: ln (a/2) / (b/(N-1)) for the path, and ln c / (a/2) for the edge. For one at the top level, the edge alone counts. That
    /// the chances of all answers sum to 1 only for a concept of typical depth makes a difference of a few hundredths.
    pub(crate) fn log_place(&self, concepts: usize) -> [f64; 2] {
        let PlaceRates { wider, wrong } = self.place;
        let (parent, wider, wrong) = ((1.0 - wider - wrong).ln(), wider.ln(), wrong.ln());
        let wider = wider - TYPICAL_WIDER.ln();
        [wider - (wrong - ((concepts.max(2) - 1) as f64).ln()), parent - wider]
    }
}

/// ln of the chance of what has this rate, or of its opposite.
fn log_of(rate: f64, is_so: bool) -> f64 {
    if is_so { rate.ln() } else { (-rate).ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_noise_is_the_chance_of_a_wrong_answer() {
        let FormRates { pick, tick, place } = FormRates::told(&Rates::one(0.08).unwrap());
        assert!((pick.missed + pick.wrong + pick.wider - 0.08).abs() < 1e-9 && pick.unfounded == 0.08);
        assert!((tick.found - 0.92).abs() < 1e-12 && tick.unfounded == 0.08);
        assert!((place.wider + place.wrong - 0.08).abs() < 1e-9);
    }

    #[test]
    fn no_rate_is_certain() {
        let sure = FormRates::told(&Rates::one(0.0).unwrap());
        assert!(sure.all().iter().all(|rate| (LEAST_RATE..=1.0 - LEAST_RATE).contains(rate)), "{sure:?}");
        let bad = PickRates { missed: 0.5, wrong: 0.4, wider: 0.2, unfounded: 0.1 };
        assert_eq!(FormRates { pick: bad, ..sure }.checked(), Err(Error::BadRate(0.5 + 0.4 + 0.2)));
        let hopeless = PickRates { missed: 0.5, wrong: 0.5, wider: 0.0, unfounded: 1.0 };
        let checked = FormRates { pick: hopeless, ..sure }.checked().unwrap().pick;
        assert!(1.0 - checked.missed - checked.wrong - checked.wider >= LEAST_RATE - 1e-12);
    }

    #[test]
    fn priors_have_the_means_that_they_were_made_with() {
        let rates = FormRates::told(&Rates::two(0.2, 0.1).unwrap());
        let mean = FormPriors::around(rates, 20.0).unwrap().mean();
        for (one, other) in mean.all().iter().zip(rates.all()) {
            assert!((one - other).abs() < 1e-9);
        }
        assert_eq!(FormPriors::around(rates, 0.0), Err(Error::BadPrior));
    }
}
