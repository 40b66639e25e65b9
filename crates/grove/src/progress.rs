//! Bars for what takes long: on standard error, and only where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many steps.
pub(crate) fn bar(quiet: bool, steps: u64, what: &str) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let template = format!("{{bar:40}} {{human_pos}} of {{human_len}} {what}, {{eta}} left");
    ProgressBar::new(steps).with_style(style(&template))
}

/// A sign of life while something takes its time whose steps cannot be counted.
pub(crate) fn spinner(quiet: bool, what: &str) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner().with_style(style("{spinner} {msg}, {elapsed}"));
    spinner.set_message(what.to_owned());
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates above are well formed")
}
