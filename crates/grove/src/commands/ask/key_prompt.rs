//! Asks on a terminal: one key per answer, with the hierarchy above the question.

use std::io::{self, Stdout, Write};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};

use super::entry::Reply;
use super::interview::{Prompt, Shown};
use super::neighbourhood::neighbourhood;
use crate::terminal::{self, wrap};

/// The fewest lines of a hierarchy that are worth drawing.
const LEAST: usize = 3;

/// A terminal in raw mode. Dropping this restores it, whatever happens.
pub(super) struct KeyPrompt {
    out: Stdout,
    colour: bool,
}

impl KeyPrompt {
    pub(super) fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        // From here on, dropping restores the terminal.
        let mut prompt = Self { out: io::stdout(), colour: terminal::may_colour() };
        execute!(prompt.out, EnterAlternateScreen, DisableLineWrap, Hide)?;
        Ok(prompt)
    }

    /// From top to bottom: the part of the hierarchy that matters, how far it has come, the question, what can be answered, and the keys. The question and
    /// what can be answered come first when there is little room; then definitions; the hierarchy takes what is left.
    fn draw(&mut self, shown: &Shown) -> io::Result<()> {
        let (width, height) = size()
            .map_or((80, 24), |(columns, rows)| (usize::from(columns).max(1), usize::from(rows).max(1)));
        queue!(self.out, MoveTo(0, 0), Clear(ClearType::All))?;
        let question = wrap(&format!("{}. {}", shown.number, shown.asked.text), width, 3);
        let margin = " ".repeat(width.min(12) / 4);
        let definitions: Vec<String> = shown
            .asked
            .definitions()
            .flat_map(|(name, definition)| wrap(&format!("{name}: {definition}"), width - margin.len(), 0))
            .map(|line| format!("{margin}{line}"))
            .collect();
        let keys = wrap(&shown.entry.keys(), width, 0);
        let note = shown.entry.hint().or(shown.note.as_deref()).unwrap_or_default();
        let note = wrap(note, width, 0);
        let fixed = question.len() + keys.len() + note.len() + 1;
        let answers = shown.entry.lines(width, height.saturating_sub(fixed + 1).max(1));
        let fixed = fixed + answers.len();
        let definitions = &definitions[..definitions.len().min(height.saturating_sub(fixed))];
        let left = height.saturating_sub(fixed + definitions.len());
        let progress = wrap(&shown.progress, width, 0);
        if left > progress.len() + 1 {
            let room = left - progress.len() - 2;
            if room >= LEAST {
                let asked: Vec<&str> = shown.asked.concepts.iter().map(|one| one.name.as_str()).collect();
                for line in neighbourhood(&shown.hierarchy, &asked, self.colour, width, room) {
                    self.line(&line)?;
                }
                self.line("")?;
            }
            for line in progress {
                self.line(&line)?;
            }
            self.line("")?;
        }
        queue!(self.out, SetAttribute(Attribute::Bold))?;
        for line in question {
            self.line(&line)?;
        }
        queue!(self.out, SetAttribute(Attribute::Reset))?;
        for line in definitions.iter().chain(&answers) {
            self.line(line)?;
        }
        self.line("")?;
        for line in keys {
            self.line(&line)?;
        }
        // No line break after the last line, which would scroll the first one away.
        write!(self.out, "{}", note.join("\r\n"))?;
        self.out.flush()
    }

    /// In raw mode a newline does not return the cursor to the left.
    fn line(&mut self, text: &str) -> io::Result<()> {
        write!(self.out, "{text}\r\n")
    }
}

impl Drop for KeyPrompt {
    fn drop(&mut self) {
        // There is nothing left to do should this fail.
        let _ = execute!(self.out, Show, EnableLineWrap, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

impl Prompt for KeyPrompt {
    fn ask(&mut self, shown: &mut Shown) -> anyhow::Result<Reply> {
        self.draw(shown)?;
        loop {
            match event::read()? {
                Event::Key(key) if key.kind == KeyEventKind::Press => {
                    if let Some(reply) = shown.entry.key(key) {
                        return Ok(reply);
                    }
                    self.draw(shown)?;
                }
                Event::Resize(..) => self.draw(shown)?,
                _ => {}
            }
        }
    }
}
