use std::fmt;

use crate::dataset::content_lines;
use crate::error::chance;
use crate::rates::check_concentration;
use crate::{AnswerRates, Error};

/// The description of a crowd.
///
/// # File format
/// Lines `key = value`; empty lines and lines that begin with # are skipped. Missing keys default to [`CrowdSpec::default`].
///
/// | key | value |
/// |---|---|
/// | `people` | how many there are |
/// | `rates` | `qualified`, `open`, `abstract_terms`, `by_relation`, or two chances of yes: if it is true, and if it is not |
/// | `concentration` | how similar people's rates are, 1 or more; `none` if all are equal |
/// | `always_yes`, `always_no` | the share of people who always give this answer, without reading |
/// | `coin` | the share of people who flip a coin |
/// | `coin_yes` | their chance of yes |
/// | `inverted` | the share of people who read and say the opposite |
/// | `fatigue` | the share of attention lost with every answer |
/// | `cant_say` | the chance that a reader answers "can't say" |
///
/// ```
/// # use grove_sim::CrowdSpec;
/// let spec = CrowdSpec::parse(
///     "# an open crowd in which every seventh person does not read
///      people = 42
///      rates = 0.83 0.2
///      always_yes = 0.1
///      always_no = 0.05",
/// )?;
/// assert_eq!(spec.people, 42);
/// # Ok::<(), grove_sim::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct CrowdSpec {
    /// How many people there are.
    pub people: usize,
    /// The mean rates of those who read.
    pub rates: AnswerRates,
    /// How similar people's rates are ([`AnswerRates::individual`]); none if all are equal.
    pub concentration: Option<f64>,
    /// The share of people who say yes without reading.
    pub always_yes: f64,
    /// The share of people who say no without reading.
    pub always_no: f64,
    /// The share of people who flip a coin.
    pub coin: f64,
    /// The coin's chance of yes.
    pub coin_yes: f64,
    /// The share of people who read the question and say the opposite.
    pub inverted: f64,
    /// The share of attention that a reader loses with every answer.
    pub fatigue: f64,
    /// The chance that a reader answers "can't say".
    pub cant_say: f64,
}

const KEYS: &[&str] = &[
    "people",
    "rates",
    "concentration",
    "always_yes",
    "always_no",
    "coin",
    "coin_yes",
    "inverted",
    "fatigue",
    "cant_say",
];

impl Default for CrowdSpec {
    /// Forty people of [`CrowdSpec::open`].
    fn default() -> Self {
        Self::open(40)
    }
}

impl CrowdSpec {
    /// Honest people with these mean rates, with a concentration of 20: a rate of .83 has a standard deviation of .08 among them.
    #[must_use]
    pub fn honest(people: usize, rates: AnswerRates) -> Self {
        Self {
            people,
            rates,
            concentration: Some(20.0),
            always_yes: 0.0,
            always_no: 0.0,
            coin: 0.0,
            coin_yes: 0.5,
            inverted: 0.0,
            fatigue: 0.0,
            cant_say: 0.0,
        }
    }

    /// Workers who passed a test, with [`AnswerRates::qualified`].
    #[must_use]
    pub fn qualified(people: usize) -> Self {
        Self::honest(people, AnswerRates::qualified())
    }

    /// Workers without a test, with [`AnswerRates::open`]. Those rates were measured on everybody, including people who do not read.
    #[must_use]
    pub fn open(people: usize) -> Self {
        Self::honest(people, AnswerRates::open())
    }

    /// People who all err with this one rate, as in the paper.
    ///
    /// # Errors
    /// [`Error::NotAChance`] unless it is within 0 and 1.
    pub fn one_rate(people: usize, noise: f64) -> Result<Self, Error> {
        Ok(Self { concentration: None, ..Self::honest(people, AnswerRates::one(noise)?) })
    }

    /// Reads a description in the format above.
    ///
    /// # Errors
    /// [`Error::BadLine`] and [`Error::TooManyHabits`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut spec = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for (line, found) in content_lines(text) {
            let bad = |problem: String| Error::line(line, problem);
            let Some((key, value)) = found.split_once('=').map(|(key, value)| (key.trim(), value.trim()))
            else {
                return Err(bad(format!("expected `key = value`, but found {:?}", found.trim())));
            };
            if !KEYS.contains(&key) {
                return Err(bad(format!("{key:?} is not known; the keys are {}", KEYS.join(", "))));
            }
            if seen.contains(&key) {
                return Err(bad(format!("{key} was given before; keep one of the lines")));
            }
            seen.push(key);
            spec.set(key, value).map_err(|expected| bad(format!("{key} is {value:?}; give {expected}")))?;
        }
        spec.check()?;
        Ok(spec)
    }

    /// Sets the value of a known key, or returns what was expected.
    fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        match key {
            "people" => {
                let people = value.parse().ok().filter(|&people| people > 0);
                self.people = people.ok_or("a whole number of at least 1")?;
            }
            "rates" => {
                let expected =
                    "qualified, open, abstract_terms, by_relation, or two chances of yes such as 0.9 0.1";
                self.rates = rates_from(value).ok_or(expected)?;
            }
            "concentration" => {
                self.concentration = concentration_from(value).ok_or("a number of at least 1, or none")?;
            }
            _ => {
                let chance = chance_from(value).ok_or("a number within 0 and 1")?;
                self.chances().filter(|(known, _)| *known == key).for_each(|(_, field)| *field = chance);
            }
        }
        Ok(())
    }

    /// The values of the last seven [`KEYS`].
    fn chances(&mut self) -> impl Iterator<Item = (&'static str, &mut f64)> {
        let Self { always_yes, always_no, coin, coin_yes, inverted, fatigue, cant_say, .. } = self;
        let values = [always_yes, always_no, coin, coin_yes, inverted, fatigue, cant_say];
        KEYS[3..].iter().copied().zip(values)
    }

    /// The shares of people who are not honest: [always yes, always no, coin, inverted].
    pub(crate) fn habits(&self) -> [f64; 4] {
        [self.always_yes, self.always_no, self.coin, self.inverted]
    }

    /// Checks that all values are within their bounds.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.people == 0 {
            return Err(Error::NoPeople);
        }
        self.concentration.map_or(Ok(()), check_concentration)?;
        for (key, value) in self.clone().chances() {
            chance(key, *value)?;
        }
        let others: f64 = self.habits().iter().sum();
        if others > 1.0 + 1e-9 { Err(Error::TooManyHabits(others)) } else { Ok(()) }
    }
}

fn chance_from(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value| (0.0..=1.0).contains(value))
}

fn concentration_from(text: &str) -> Option<Option<f64>> {
    let number = || text.parse().ok().filter(|&concentration| check_concentration(concentration).is_ok());
    if text == "none" { Some(None) } else { number().map(Some) }
}

fn rates_from(text: &str) -> Option<AnswerRates> {
    match text {
        "qualified" => Some(AnswerRates::qualified()),
        "open" => Some(AnswerRates::open()),
        "abstract_terms" => Some(AnswerRates::abstract_terms()),
        "by_relation" => Some(AnswerRates::by_relation()),
        numbers => {
            let (yes_if_true, yes_if_false) = numbers.split_once(char::is_whitespace)?;
            AnswerRates::two(chance_from(yes_if_true)?, chance_from(yes_if_false.trim_start())?).ok()
        }
    }
}

impl fmt::Display for CrowdSpec {
    /// In the format of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let concentration = self.concentration.map_or_else(|| "none".to_owned(), |value| value.to_string());
        writeln!(f, "people = {}\nrates = {}\nconcentration = {concentration}", self.people, self.rates)?;
        self.clone().chances().try_for_each(|(key, value)| writeln!(f, "{key} = {value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl CrowdSpec {
        fn abstract_terms(people: usize) -> Self {
            Self::honest(people, AnswerRates::abstract_terms())
        }

        pub(crate) fn by_relation(people: usize) -> Self {
            Self::honest(people, AnswerRates::by_relation())
        }
    }

    const FULL: &str = "\
people = 42
rates = 0.9 0.15
concentration = 12.5
always_yes = 0.1
always_no = 0.05
coin = 0.02
coin_yes = 0.7
inverted = 0.01
fatigue = 0.002
cant_say = 0.03
";

    #[test]
    fn parses_what_it_displays() {
        let spec = CrowdSpec::parse(FULL).unwrap();
        assert_eq!(spec.rates, AnswerRates::two(0.9, 0.15).unwrap());
        assert_eq!((spec.people, spec.concentration), (42, Some(12.5)));
        assert_eq!((spec.habits(), spec.coin_yes), ([0.1, 0.05, 0.02, 0.01], 0.7));
        assert_eq!((spec.fatigue, spec.cant_say), (0.002, 0.03));
        assert_eq!(spec.to_string(), FULL);
        for preset in [
            CrowdSpec::qualified(3),
            CrowdSpec::open(4),
            CrowdSpec::abstract_terms(5),
            CrowdSpec::by_relation(6),
            CrowdSpec::one_rate(7, 0.05).unwrap(),
        ] {
            assert_eq!(CrowdSpec::parse(&preset.to_string()), Ok(preset));
        }
    }

    #[test]
    fn presets_have_names() {
        let rates = |name: &str| CrowdSpec::parse(&format!("rates={name}")).unwrap().rates;
        assert_eq!(rates("qualified"), AnswerRates::qualified());
        assert_eq!(rates("open"), AnswerRates::open());
        assert_eq!(rates("abstract_terms"), AnswerRates::abstract_terms());
        assert_eq!(rates("by_relation"), AnswerRates::by_relation());
        assert_eq!(CrowdSpec::parse("# nothing said\n"), Ok(CrowdSpec::default()));
    }

    #[test]
    fn every_key_listed_is_understood() {
        for key in KEYS {
            let value = if *key == "rates" { "open" } else { "1" };
            assert!(CrowdSpec::parse(&format!("{key} = {value}")).is_ok(), "{key}");
        }
    }

    #[test]
    fn errors_name_the_line_and_the_remedy() {
        let say = |text: &str| CrowdSpec::parse(text).unwrap_err().to_string();
        assert_eq!(say("\npeople 40"), "line 2: expected `key = value`, but found \"people 40\"");
        assert_eq!(
            say("peeple = 40"),
            "line 1: \"peeple\" is not known; the keys are people, rates, concentration, always_yes, always_no, coin, \
             coin_yes, inverted, fatigue, cant_say"
        );
        assert_eq!(say("coin = 0.1\ncoin = 0.2"), "line 2: coin was given before; keep one of the lines");
        for bad in ["0", "-3", "many", "1.5"] {
            assert_eq!(
                say(&format!("people = {bad}")),
                format!("line 1: people is {bad:?}; give a whole number of at least 1")
            );
        }
        for bad in ["1.1", "-0.1", "NaN", "10%", ""] {
            assert_eq!(
                say(&format!("fatigue = {bad}")),
                format!("line 1: fatigue is {bad:?}; give a number within 0 and 1")
            );
        }
        for bad in ["0.9", "0.9 1.1", "good", "0.9 0.1 0.2"] {
            let found = say(&format!("rates = {bad}"));
            assert!(
                found.starts_with(&format!("line 1: rates is {bad:?}; give qualified, open,")),
                "{found}"
            );
        }
        for bad in ["0", "inf", "some"] {
            assert_eq!(
                say(&format!("concentration = {bad}")),
                format!("line 1: concentration is {bad:?}; give a number of at least 1, or none")
            );
        }
        assert_eq!(
            say("always_yes = 0.75\ncoin = 0.5"),
            "always_yes, always_no, coin and inverted sum to 1.25; lower them to 1 or less"
        );
    }
}
