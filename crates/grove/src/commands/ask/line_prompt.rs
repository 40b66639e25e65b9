//! Asks line by line, for input or output that is not a terminal.

use std::io::{BufRead, Write};

use grove_store::Screen;

use super::entry::Reply;
use super::interview::{Prompt, Shown};

/// Reads a reply from every line.
pub(super) struct LinePrompt<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> LinePrompt<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self { input, output }
    }

    fn show(&mut self, shown: &Shown) -> anyhow::Result<()> {
        if let Some(note) = &shown.note {
            writeln!(self.output, "{note}")?;
        }
        writeln!(self.output, "{}. {}", shown.number, shown.asked.text)?;
        if let Screen::Pick { .. } | Screen::Tick { .. } = shown.asked.screen {
            for (at, option) in shown.asked.options().iter().enumerate() {
                writeln!(self.output, "   {} {}", at + 1, option.name)?;
            }
        }
        for (name, definition) in shown.asked.definitions() {
            writeln!(self.output, "   {name}: {definition}")?;
        }
        Ok(self.output.flush()?)
    }
}

impl<R: BufRead, W: Write> Prompt for LinePrompt<R, W> {
    fn ask(&mut self, shown: &mut Shown) -> anyhow::Result<Reply> {
        self.show(shown)?;
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(Reply::Quit);
            }
            match shown.entry.line(&String::from_utf8_lossy(&line)) {
                Ok(reply) => return Ok(reply),
                Err(expected) => writeln!(self.output, "{expected}")?,
            }
            self.output.flush()?;
        }
    }
}
