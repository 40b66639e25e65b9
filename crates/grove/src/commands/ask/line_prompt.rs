//! Asks line by line, for input or output that is not a terminal.

use std::io::{BufRead, Write};

use grove_store::Answer;

use super::interview::{Prompt, Reply, Screen};

/// Reads a reply from every line.
pub(super) struct LinePrompt<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> LinePrompt<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self { input, output }
    }
}

impl<R: BufRead, W: Write> Prompt for LinePrompt<R, W> {
    fn ask(&mut self, screen: &Screen) -> anyhow::Result<Reply> {
        if let Some(note) = &screen.note {
            writeln!(self.output, "{note}")?;
        }
        writeln!(self.output, "{}. {}", screen.number, screen.asked.text)?;
        for (name, definition) in screen.asked.definitions() {
            writeln!(self.output, "   {name}: {definition}")?;
        }
        self.output.flush()?;
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(Reply::Quit);
            }
            match parse(&String::from_utf8_lossy(&line)) {
                Some(reply) => return Ok(reply),
                None => writeln!(self.output, "answer y (yes), n (no), s (can't say), u (undo) or q (quit)")?,
            }
            self.output.flush()?;
        }
    }
}

/// Parses a line.
fn parse(line: &str) -> Option<Reply> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(Reply::Answer(Answer::Yes)),
        "n" | "no" => Some(Reply::Answer(Answer::No)),
        "s" | "skip" | "can't say" | "cant_say" => Some(Reply::Answer(Answer::CantSay)),
        "u" | "undo" => Some(Reply::Undo),
        "q" | "quit" => Some(Reply::Quit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_in_any_case() {
        let answer = |answer| Some(Reply::Answer(answer));
        assert_eq!(parse("Y\n"), answer(Answer::Yes));
        assert_eq!(parse(" no \r\n"), answer(Answer::No));
        assert_eq!(parse("Can't say"), answer(Answer::CantSay));
        assert_eq!((parse("u"), parse("QUIT")), (Some(Reply::Undo), Some(Reply::Quit)));
        for nonsense in ["", "yy", "maybe", "1"] {
            assert_eq!(parse(nonsense), None, "{nonsense}");
        }
    }
}
