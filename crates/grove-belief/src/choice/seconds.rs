use crate::{Form, Screen};

/// How long people take for a screen, in seconds: a + b k for one with k options, with log2(k + 1) in place of k for a pick, and log2(N + 1) for a
/// place among N concepts.
///
/// To begin with: 5 s for yes/no; 2.8 + 2.2 log2(k + 1) for a pick (9 s for six options); 3 + 1.2 k for a tick (10 s
/// for six boxes); 3 + log2(N + 1) for a place, whose name is typed (8 s among 26 concepts, 11 s among 196). A
/// campaign replaces these by what its own people take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seconds {
    /// For a yes/no question.
    pub yes_no: f64,
    /// For a pick: a and b.
    pub pick: [f64; 2],
    /// For a tick: a and b.
    pub tick: [f64; 2],
    /// For a place: a and b.
    pub place: [f64; 2],
}

impl Default for Seconds {
    fn default() -> Self {
        Self { yes_no: 5.0, pick: [2.8, 2.2], tick: [3.0, 1.2], place: [3.0, 1.0] }
    }
}

impl Seconds {
    /// How long a screen of a form takes, with so many options, among so many concepts.
    #[must_use]
    pub fn of(&self, form: Form, options: usize, concepts: usize) -> f64 {
        let line = |[a, b]: [f64; 2], x: f64| a + b * x;
        match form {
            Form::YesNo => self.yes_no,
            Form::Pick => line(self.pick, (options as f64 + 1.0).log2()),
            Form::Tick => line(self.tick, options as f64),
            Form::Place => line(self.place, (concepts as f64 + 1.0).log2()),
        }
    }

    /// How long a screen takes, among so many concepts.
    #[must_use]
    pub fn of_screen(&self, screen: &Screen, concepts: usize) -> f64 {
        self.of(screen.form(), screen.options().len(), concepts)
    }

    /// The same formulas, each scaled so that its median fits the measured times of some screens, given as (form,
    /// options, concepts, seconds). A form that was answered fewer than ten times stays as it is.
    #[must_use]
    pub fn fitted(&self, answered: impl IntoIterator<Item = (Form, usize, usize, f64)>) -> Self {
        const LEAST: usize = 10;
        let mut ratios: [Vec<f64>; 4] = Default::default();
        for (form, options, concepts, seconds) in answered {
            let ratio = seconds / self.of(form, options, concepts);
            if ratio.is_finite() && ratio > 0.0 {
                ratios[form as usize].push(ratio);
            }
        }
        let [yes_no, pick, tick, place] = ratios.map(|mut ratios| {
            ratios.sort_by(f64::total_cmp);
            if ratios.len() < LEAST { 1.0 } else { ratios[ratios.len() / 2] }
        });
        Self {
            yes_no: self.yes_no * yes_no,
            pick: self.pick.map(|part| part * pick),
            tick: self.tick.map(|part| part * tick),
            place: self.place.map(|part| part * place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_what_is_stated() {
        let seconds = Seconds::default();
        assert_eq!(seconds.of(Form::YesNo, 0, 9), 5.0);
        assert!((seconds.of(Form::Pick, 6, 9) - 8.976).abs() < 1e-3);
        assert!((seconds.of(Form::Tick, 6, 9) - 10.2).abs() < 1e-9);
        assert!((seconds.of(Form::Place, 0, 26) - 7.755).abs() < 1e-3);
    }

    #[test]
    fn follows_the_median_of_enough_answers() {
        let seconds = Seconds::default();
        let answers =
            |number: usize| (0..number).map(|at| (Form::YesNo, 0, 9, if at == 0 { 900.0 } else { 3.0 }));
        assert_eq!(seconds.fitted(answers(9)), seconds);
        let fitted = seconds.fitted(answers(11));
        assert!((fitted.yes_no - 3.0).abs() < 1e-12 && fitted.pick == seconds.pick);
        assert_eq!(seconds.fitted([(Form::Pick, 2, 9, f64::NAN); 20]), seconds);
    }
}
