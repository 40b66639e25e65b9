//! Questions and answers on a terminal: one key an answer, and the hierarchy before your eyes.

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

use super::answering::{Person, Said, Scene};
use crate::terminal;

const KEYS: &str = "y yes   n no   s can't say   u undo   q end";

/// Lines below the hierarchy: the progress, the question with two definitions, the keys, a note, and air between them.
const BELOW: usize = 9;

/// A terminal that hands over every key at once. It is as it was when this goes, whatever happens.
pub(super) struct Screen {
    out: Stdout,
    colour: bool,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        // From here on, dropping puts things back.
        let mut screen = Self { out: io::stdout(), colour: terminal::may_colour() };
        execute!(screen.out, EnterAlternateScreen, DisableLineWrap, Hide)?;
        Ok(screen)
    }

    fn draw(&mut self, scene: &Scene) -> io::Result<()> {
        let height = size().map_or(24, |(_, rows)| usize::from(rows));
        queue!(self.out, MoveTo(0, 0), Clear(ClearType::All))?;
        let drawing = terminal::draw(&scene.hierarchy, self.colour);
        let lines: Vec<&str> = drawing.lines().collect();
        for line in window(&lines, &scene.asked.child.name, height.saturating_sub(BELOW)) {
            self.line(line)?;
        }
        self.line("")?;
        self.line(&scene.progress)?;
        self.line("")?;
        queue!(self.out, SetAttribute(Attribute::Bold))?;
        self.line(&format!("{}. {}", scene.number, scene.asked.text))?;
        queue!(self.out, SetAttribute(Attribute::Reset))?;
        for definition in scene.definitions() {
            self.line(&format!("   {definition}"))?;
        }
        self.line("")?;
        self.line(KEYS)?;
        self.line(scene.note.as_deref().unwrap_or_default())?;
        self.out.flush()
    }

    /// In raw mode a line's end does not go back to the left by itself.
    fn line(&mut self, text: &str) -> io::Result<()> {
        write!(self.out, "{text}\r\n")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody left to tell should this fail.
        let _ = execute!(self.out, Show, EnableLineWrap, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

impl Person for Screen {
    fn ask(&mut self, scene: &Scene) -> anyhow::Result<Said> {
        self.draw(scene)?;
        loop {
            match event::read()? {
                Event::Key(key) if key.kind == KeyEventKind::Press => {
                    if let Some(said) = read(key) {
                        return Ok(said);
                    }
                }
                Event::Resize(..) => self.draw(scene)?,
                _ => {}
            }
        }
    }
}

/// What a key says.
fn read(key: KeyEvent) -> Option<Said> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Said::Quit);
    }
    match key.code {
        KeyCode::Char('y' | 'Y') => Some(Said::Answer(Answer::Yes)),
        KeyCode::Char('n' | 'N') => Some(Said::Answer(Answer::No)),
        KeyCode::Char('s' | 'S') => Some(Said::Answer(Answer::CantSay)),
        KeyCode::Char('u' | 'U') | KeyCode::Backspace => Some(Said::Undo),
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(Said::Quit),
        _ => None,
    }
}

/// As many lines as fit, those around the one of a concept.
fn window<'l>(lines: &'l [&'l str], concept: &str, room: usize) -> &'l [&'l str] {
    let room = room.max(3);
    if lines.len() <= room {
        return lines;
    }
    let about = lines.iter().position(|line| name_in(line) == concept).unwrap_or_default();
    let from = about.saturating_sub(room / 2).min(lines.len() - room);
    &lines[from..from + room]
}

/// The line without its branches, colour and certainty.
fn name_in(line: &str) -> &str {
    let name = line.trim_start_matches(['│', '├', '└', '─', ' ']).trim_start_matches("\x1b[31m");
    name.rsplit_once(" or under ")
        .map_or(name, |(name, _)| name)
        .trim_end_matches(" ?")
        .rsplit_once(' ')
        .map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_about_the_concept() {
        let text: Vec<String> =
            (1..=20).map(|number| format!("├─ concept {number} 0.50 ? or under root 0.30")).collect();
        let lines: Vec<&str> = text.iter().map(String::as_str).collect();
        assert_eq!(window(&lines, "concept 9", 20).len(), 20);
        let seen = window(&lines, "concept 9", 5);
        assert_eq!((seen.len(), name_in(seen[2])), (5, "concept 9"));
        assert_eq!(name_in(window(&lines, "concept 20", 5)[4]), "concept 20");
        assert_eq!(name_in(window(&lines, "not there", 5)[0]), "concept 1");
    }

    #[test]
    fn keys_are_read() {
        let key = |code| read(KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(key(KeyCode::Char('y')), Some(Said::Answer(Answer::Yes)));
        assert_eq!(key(KeyCode::Char('N')), Some(Said::Answer(Answer::No)));
        assert_eq!(key(KeyCode::Char('s')), Some(Said::Answer(Answer::CantSay)));
        assert_eq!((key(KeyCode::Backspace), key(KeyCode::Esc)), (Some(Said::Undo), Some(Said::Quit)));
        assert_eq!(key(KeyCode::Char('x')), None);
        let control = |code| read(KeyEvent::new(KeyCode::Char(code), KeyModifiers::CONTROL));
        assert_eq!((control('c'), control('y')), (Some(Said::Quit), None));
    }
}
