//! Text that several commands print: counts, headed lists, times, and what is in a campaign's log.

use std::fmt::Write;

use grove_belief::{DOUBTFUL_BELOW, Report, Verdict};
use grove_campaign::{Estimate, State};
use grove_store::{Correction, Moment, Reply, Screen};

/// A number with its unit: "1 vote", "2 votes".
pub(crate) fn count(number: usize, unit: &str) -> String {
    if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") }
}

/// An empty line, a heading and at most `most` lines, indented; nothing for an empty list.
pub(crate) fn section(heading: &str, lines: impl IntoIterator<Item = String>, most: usize) -> String {
    let lines: Vec<String> = lines.into_iter().collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{heading}:\n");
    for line in lines.iter().take(most) {
        let _ = writeln!(text, "  {line}");
    }
    if lines.len() > most {
        let _ = writeln!(text, "  and {} more; --json lists them", lines.len() - most);
    }
    text
}

/// A reason after a colon, or nothing if none was given.
pub(crate) fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

/// A time in UTC, to the second.
pub(crate) fn time(moment: Moment) -> String {
    match jiff::Timestamp::from_second(moment.0.div_euclid(1_000_000)) {
        Ok(time) => time.to_string(),
        // Past the year 9999, which takes a broken clock.
        Err(_) => format!("{} s after 1970", moment.0 / 1_000_000),
    }
}

/// What was said to a screen, in words.
pub(crate) fn answer(state: &State, reply: &Reply) -> String {
    reply.clone().map(|number| state.name_of(number)).to_string()
}

/// A question as it was asked, in quotes, with the options that were shown.
pub(crate) fn question(state: &State, screen: &Screen) -> String {
    let Ok(asked) = state.ask(screen.clone()) else {
        return screen.clone().map(|number| state.name_of(number)).to_string();
    };
    let options: Vec<&str> = asked.options().iter().map(|option| option.name.as_str()).collect();
    match options[..] {
        [] => format!("\"{}\"", asked.text),
        _ => format!("\"{}\" ({})", asked.text, options.join(", ")),
    }
}

/// How many screens are left, and how many minutes: "about 12 screens, 2 minutes left".
pub(crate) fn time_left(left: Estimate) -> String {
    let (screens, minutes) = (left.screens.ceil() as usize, (left.seconds / 60.0).ceil() as usize);
    format!("about {} and {} left", count(screens, "screen"), count(minutes, "minute"))
}

/// A correction in words.
pub(crate) fn correction(state: &State, correction: Correction) -> String {
    correction.map(|number| state.name_of(number)).to_string()
}

/// How many parents are expected to be right, and how many are doubtful.
pub(crate) fn certainty(report: &Report) -> String {
    format!(
        "certainty: {:.1} of {} parents expected to be right, {} below {DOUBTFUL_BELOW}",
        report.expected_right,
        report.concepts.len(),
        report.doubtful.len()
    )
}

/// Whether the certainties can be trusted.
pub(crate) fn convergence(report: &Report) -> String {
    let health = report.health;
    let trees = format!("{:.0} effective trees, R-hat {:.3}", health.effective_trees, health.r_hat);
    match health.verdict {
        Verdict::Converged if health.effective_trees.is_infinite() => {
            "converged: every tree was counted".to_owned()
        }
        Verdict::Converged => format!("converged: {trees}"),
        Verdict::NotConverged => format!("not converged ({trees}): take the certainties as rough"),
        Verdict::Unchecked => format!(
            "the trees agree with each other ({trees}); there are too many concepts to build others for comparison"
        ),
        Verdict::Approximate => {
            "approximate: this engine's certainties are off by more than sampling error".to_owned()
        }
    }
}

/// Whether the certainties have converged; none for an engine that cannot tell.
pub(crate) fn converged(report: &Report) -> Option<bool> {
    match report.health.verdict {
        Verdict::Converged => Some(true),
        Verdict::NotConverged => Some(false),
        Verdict::Unchecked | Verdict::Approximate => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(time(Moment(0)), "1970-01-01T00:00:00Z");
        assert_eq!(time(Moment(1_763_251_199_999_999)), "2025-11-15T23:59:59Z");
        assert_eq!(time(Moment(-1)), "1969-12-31T23:59:59Z");
        assert_eq!(time(Moment(i64::MAX)), "9223372036854 s after 1970");
    }
}
