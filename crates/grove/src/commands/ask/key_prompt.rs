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
use crate::terminal;

const KEYS: &str = "y yes   n no   s can't say   u undo   q quit";

/// Lines below the hierarchy: the progress, the question with two definitions, the keys, a note, and empty lines between them.
const BELOW: usize = 9;

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
        let height = size().map_or(24, |(_, rows)| usize::from(rows));
        queue!(self.out, MoveTo(0, 0), Clear(ClearType::All))?;
        let lines = terminal::draw_lines(&screen.hierarchy, self.colour);
        let is_child = |concept| screen.hierarchy.name(concept) == screen.asked.lower_name;
        let child = lines.iter().position(|(concept, _)| is_child(*concept)).unwrap_or_default();
        for (_, line) in window(&lines, child, height.saturating_sub(BELOW)) {
            self.line(line)?;
        }
        self.line("")?;
        self.line(&screen.progress)?;
        self.line("")?;
        queue!(self.out, SetAttribute(Attribute::Bold))?;
        self.line(&format!("{}. {}", screen.number, screen.asked.text))?;
        queue!(self.out, SetAttribute(Attribute::Reset))?;
        for (name, definition) in screen.asked.definitions() {
            self.line(&format!("   {name}: {definition}"))?;
        }
        self.line("")?;
        self.line(KEYS)?;
        self.line(screen.note.as_deref().unwrap_or_default())?;
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

/// As many lines as fit, around one of them.
fn window<T>(lines: &[T], around: usize, height: usize) -> &[T] {
    let height = height.max(3).min(lines.len());
    let from = around.saturating_sub(height / 2).min(lines.len() - height);
    &lines[from..from + height]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_around_the_concept() {
        let lines: Vec<usize> = (1..=20).collect();
        assert_eq!(window(&lines, 8, 20).len(), 20);
        assert_eq!(window(&lines, 8, 5), [7, 8, 9, 10, 11]);
        assert_eq!(window(&lines, 19, 5), [16, 17, 18, 19, 20]);
        assert_eq!(window(&lines, 0, 5), [1, 2, 3, 4, 5]);
        assert_eq!(window(&lines[..2], 0, 5), [1, 2]);
    }

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
