//! Asks on a terminal: one key per answer, with the hierarchy above the question.

use std::io::{self, Stdout, Write};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};
use grove_store::Answer;

use super::interview::{Prompt, Reply, Screen};
use crate::terminal::{self, wrap};

use super::neighbourhood::neighbourhood;

/// The spaces between a key and what it does do not break.
const KEYS: &str = "y\u{a0}yes, n\u{a0}no, s\u{a0}can't\u{a0}say, u\u{a0}undo, q\u{a0}quit";

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

    fn draw(&mut self, screen: &Screen) -> io::Result<()> {
        let (width, height) =
            size().map_or((80, 24), |(columns, rows)| (usize::from(columns), usize::from(rows)));
        queue!(self.out, MoveTo(0, 0), Clear(ClearType::All))?;
        let question = wrap(&format!("{}. {}", screen.number, screen.asked.text), width, 3);
        let margin = " ".repeat(width.min(12) / 4);
        let definitions = screen.asked.definitions();
        let definitions: Vec<String> = definitions
            .flat_map(|(name, definition)| wrap(&format!("{name}: {definition}"), width - margin.len(), 0))
            .map(|line| format!("{margin}{line}"))
            .collect();
        let keys = wrap(KEYS, width, 0);
        let note = wrap(screen.note.as_deref().unwrap_or_default(), width, 0);
        // The question and the keys come first; what is left of the height is for the hierarchy, and for definitions if there is no more.
        let fixed = question.len() + keys.len() + note.len() + 1;
        let definitions = &definitions[..definitions.len().min(height.saturating_sub(fixed))];
        let left = height.saturating_sub(fixed + definitions.len());
        let progress = wrap(&screen.progress, width, 0);
        if left > progress.len() + 1 {
            let room = left - progress.len() - 2;
            if room >= LEAST {
                let asked = [screen.asked.lower_name.as_str(), screen.asked.upper_name.as_str()];
                for line in neighbourhood(&screen.hierarchy, asked, self.colour, width, room) {
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
        for line in definitions {
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
    fn ask(&mut self, screen: &Screen) -> anyhow::Result<Reply> {
        self.draw(screen)?;
        loop {
            match event::read()? {
                Event::Key(key) if key.kind == KeyEventKind::Press => {
                    if let Some(reply) = parse(key) {
                        return Ok(reply);
                    }
                }
                Event::Resize(..) => self.draw(screen)?,
                _ => {}
            }
        }
    }
}

/// Parses a key.
fn parse(key: KeyEvent) -> Option<Reply> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Reply::Quit);
    }
    match key.code {
        KeyCode::Char('y' | 'Y') => Some(Reply::Answer(Answer::Yes)),
        KeyCode::Char('n' | 'N') => Some(Reply::Answer(Answer::No)),
        KeyCode::Char('s' | 'S') => Some(Reply::Answer(Answer::CantSay)),
        KeyCode::Char('u' | 'U') | KeyCode::Backspace => Some(Reply::Undo),
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(Reply::Quit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read() {
        let key = |code| parse(KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(key(KeyCode::Char('y')), Some(Reply::Answer(Answer::Yes)));
        assert_eq!(key(KeyCode::Char('N')), Some(Reply::Answer(Answer::No)));
        assert_eq!(key(KeyCode::Char('s')), Some(Reply::Answer(Answer::CantSay)));
        assert_eq!((key(KeyCode::Backspace), key(KeyCode::Esc)), (Some(Reply::Undo), Some(Reply::Quit)));
        assert_eq!(key(KeyCode::Char('x')), None);
        let control = |code| parse(KeyEvent::new(KeyCode::Char(code), KeyModifiers::CONTROL));
        assert_eq!((control('c'), control('y')), (Some(Reply::Quit), None));
    }
}
