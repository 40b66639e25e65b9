//! Questions and answers line by line, where the input or the output is no terminal.

use std::io::{BufRead, Write};

use grove_store::Answer;

use super::answering::{Person, Said, Scene};

/// Reads an answer from every line.
pub(super) struct Lines<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Lines<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self { input, output }
    }
}

impl<R: BufRead, W: Write> Person for Lines<R, W> {
    fn ask(&mut self, scene: &Scene) -> anyhow::Result<Said> {
        if let Some(note) = &scene.note {
            writeln!(self.output, "{note}")?;
        }
        writeln!(self.output, "{}. {}", scene.number, scene.asked.text)?;
        for definition in scene.definitions() {
            writeln!(self.output, "   {definition}")?;
        }
        self.output.flush()?;
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(Said::Quit);
            }
            match read(&String::from_utf8_lossy(&line)) {
                Some(said) => return Ok(said),
                None => writeln!(self.output, "answer y (yes), n (no), s (can't say), u (undo) or q (end)")?,
            }
            self.output.flush()?;
        }
    }
}

/// What a line says.
fn read(line: &str) -> Option<Said> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(Said::Answer(Answer::Yes)),
        "n" | "no" => Some(Said::Answer(Answer::No)),
        "s" | "skip" | "can't say" | "cant_say" => Some(Said::Answer(Answer::CantSay)),
        "u" | "undo" => Some(Said::Undo),
        "q" | "quit" => Some(Said::Quit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_in_any_case() {
        let answer = |answer| Some(Said::Answer(answer));
        assert_eq!(read("Y\n"), answer(Answer::Yes));
        assert_eq!(read(" no \r\n"), answer(Answer::No));
        assert_eq!(read("Can't say"), answer(Answer::CantSay));
        assert_eq!((read("u"), read("QUIT")), (Some(Said::Undo), Some(Said::Quit)));
        for nonsense in ["", "yy", "maybe", "1"] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }
}
