//! One screen that a person is answering: what keys and lines of text mean, and what is drawn below the question.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use grove_formats::name_key;
use grove_vocabulary::{Answer, Screen};

use crate::terminal::{columns, cut, wrap};

/// What a person replies to a screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    Answer(grove_vocabulary::Reply<u32>),
    Undo,
    Quit,
}

/// A concept by its number and name; 0 is the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Named {
    pub(super) number: u32,
    pub(super) name: String,
}

/// How many of the concepts that fit what was typed are listed: as many as have a key.
const LISTED: usize = 8;

/// The fewest columns that a name has beside its number.
const LEAST_NAME: usize = 6;

/// A screen, and how far its answer has come.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    screen: Screen<u32>,
    /// What can be chosen: the options; for a place, the root and all other concepts, the likeliest to be wanted first.
    choices: Vec<Named>,
    ticked: Vec<bool>,
    /// Where the arrow keys are.
    cursor: Option<usize>,
    typed: String,
    /// What is wrong with the last key.
    hint: Option<String>,
}

impl Entry {
    /// `choices` are the options in their order, or all that a concept can be placed under.
    pub(super) fn new(screen: Screen<u32>, choices: Vec<Named>) -> Self {
        let ticked = vec![false; choices.len()];
        let cursor = matches!(screen, Screen::Tick { .. }).then_some(0);
        Self { screen, choices, ticked, cursor, typed: String::new(), hint: None }
    }

    /// What each key does. The spaces between a key and what it does do not break.
    pub(super) fn keys(&self) -> String {
        let text = match &self.screen {
            Screen::YesNo(_) => "y~yes, n~no, s~not~sure, u~undo, q~quit".to_owned(),
            Screen::Pick { options, .. } => {
                format!("1~to~{}~choose, 0~none~of~these, s~not~sure, u~undo, q~quit", options.len())
            }
            Screen::Tick { .. } => {
                "space~ticks, enter~when~done, 0~none~of~these, s~not~sure, u~undo, q~quit".to_owned()
            }
            Screen::Place { .. } => {
                "type~a~name, enter~takes~it, 0~top~level, ?~not~sure, backspace~undo, esc~quit".to_owned()
            }
        };
        text.replace('~', "\u{a0}")
    }

    /// What is wrong with the last key.
    pub(super) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Takes in a key; the reply if that completes one.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Reply> {
        self.hint = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Reply::Quit);
        }
        match (&self.screen, key.code) {
            (_, KeyCode::Up) => self.step(-1),
            (_, KeyCode::Down | KeyCode::Tab) => self.step(1),
            (_, KeyCode::Enter) => return self.enter(),
            (Screen::Place { .. }, code) => return self.key_of_place(code),
            (_, KeyCode::Char('s' | 'S' | '?')) => return said(grove_vocabulary::Reply::CantSay),
            (_, KeyCode::Char('u' | 'U') | KeyCode::Backspace) => return Some(Reply::Undo),
            (_, KeyCode::Char('q' | 'Q') | KeyCode::Esc) => return Some(Reply::Quit),
            (Screen::YesNo(_), KeyCode::Char('y' | 'Y')) => return said(grove_vocabulary::Reply::Yes),
            (Screen::YesNo(_), KeyCode::Char('n' | 'N')) => return said(grove_vocabulary::Reply::No),
            (Screen::YesNo(_), _) => {}
            (_, KeyCode::Char('0')) if self.ticked.contains(&true) => {
                self.hint = Some("some boxes are ticked; enter takes them".to_owned());
            }
            (_, KeyCode::Char('0')) => return said(grove_vocabulary::Reply::None),
            (Screen::Pick { .. }, KeyCode::Char(digit @ '1'..='9')) => {
                return self.choice(digit).and_then(|at| self.take(at));
            }
            (Screen::Tick { .. }, KeyCode::Char(digit @ '1'..='9')) => {
                if let Some(at) = self.choice(digit) {
                    self.toggle(at);
                }
            }
            (Screen::Tick { .. }, KeyCode::Char(' ')) => {
                if let Some(at) = self.cursor {
                    self.toggle(at);
                }
            }
            _ => {}
        }
        None
    }

    fn key_of_place(&mut self, code: KeyCode) -> Option<Reply> {
        match code {
            KeyCode::Char('?') => return said(grove_vocabulary::Reply::CantSay),
            KeyCode::Char('0') if self.typed.is_empty() => return said(grove_vocabulary::Reply::Top),
            KeyCode::Backspace if self.typed.is_empty() => return Some(Reply::Undo),
            KeyCode::Esc if self.typed.is_empty() => return Some(Reply::Quit),
            KeyCode::Esc => {
                self.typed.clear();
                self.cursor = None;
            }
            KeyCode::Backspace => {
                self.typed.pop();
                self.cursor = (!self.typed.is_empty()).then_some(0);
            }
            KeyCode::Char(letter) => {
                let before = self.typed.clone();
                self.typed.push(letter);
                let found = !self.found().is_empty();
                if !found {
                    self.typed = before;
                    // A digit that begins no name is the number of one that is listed.
                    if let Some(at) = self.choice(letter) {
                        return self.take(at);
                    }
                    self.hint = Some(format!("no name goes on with {letter:?}"));
                }
                self.cursor = (!self.typed.is_empty()).then_some(0);
            }
            _ => {}
        }
        None
    }

    fn step(&mut self, by: isize) {
        let listed = self.listed().len();
        if listed > 0 {
            let at = self.cursor.map_or(if by > 0 { 0 } else { listed - 1 }, |at| {
                (at as isize + by).rem_euclid(listed as isize) as usize
            });
            self.cursor = Some(at);
        }
    }

    fn enter(&mut self) -> Option<Reply> {
        match &self.screen {
            Screen::YesNo(_) => None,
            Screen::Tick { .. } if self.ticked.contains(&true) => {
                let ticked = self.choices.iter().zip(&self.ticked).filter(|(_, ticked)| **ticked);
                said(grove_vocabulary::Reply::Ticked(ticked.map(|(one, _)| one.number).collect()))
            }
            Screen::Tick { .. } => {
                self.hint = Some("tick what applies, or press 0 if none of these does".to_owned());
                None
            }
            Screen::Pick { .. } | Screen::Place { .. } => {
                let at = self.cursor.and_then(|at| self.listed().get(at).copied());
                if at.is_none() {
                    self.hint = Some("choose one first".to_owned());
                }
                self.take(at?)
            }
        }
    }

    fn toggle(&mut self, at: usize) {
        self.ticked[at] = !self.ticked[at];
        self.cursor = Some(at);
    }

    /// What a digit stands for, as a place among the choices.
    fn choice(&self, digit: char) -> Option<usize> {
        let at = digit.to_digit(10)?.checked_sub(1)? as usize;
        self.listed().get(at).copied()
    }

    fn take(&self, at: usize) -> Option<Reply> {
        let number = self.choices[at].number;
        said(match &self.screen {
            Screen::Place { .. } if number == 0 => grove_vocabulary::Reply::Top,
            Screen::Place { .. } => grove_vocabulary::Reply::Under(number),
            _ => grove_vocabulary::Reply::Picked(number),
        })
    }

    /// The choices on the screen, as places among all.
    fn listed(&self) -> Vec<usize> {
        match &self.screen {
            Screen::YesNo(_) => Vec::new(),
            Screen::Place { .. } => self.found().into_iter().take(LISTED).collect(),
            _ => (0..self.choices.len()).collect(),
        }
    }

    /// The choices that fit what was typed: names that begin with it, then those with a word that does, then others that have it within.
    fn found(&self) -> Vec<usize> {
        let typed = name_key(&self.typed);
        if typed.is_empty() {
            return (0..self.choices.len()).collect();
        }
        let rank = |name: &str| {
            let key = name_key(name);
            match key.find(&typed)? {
                0 if key.len() == typed.len() => Some(0),
                0 => Some(1),
                _ if key.split([' ', '-']).any(|word| word.starts_with(&typed)) => Some(2),
                _ => Some(3),
            }
        };
        let ranked = self.choices.iter().enumerate();
        let mut ranked: Vec<(u8, usize)> =
            ranked.filter_map(|(at, one)| Some((rank(&one.name)?, at))).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, at)| at).collect()
    }

    /// What is drawn below the question, in at most so many lines, which are at most so wide. Long names wrap; where there are more lines than that, those
    /// around the cursor are shown.
    pub(super) fn lines(&self, width: usize, height: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut room = height;
        if let Screen::Place { .. } = self.screen {
            lines.extend(wrap(&format!("> {}_", self.typed), width, 2));
            room = room.saturating_sub(lines.len() + 1).max(1);
        }
        let listed = self.listed();
        let items: Vec<Vec<String>> =
            listed.iter().enumerate().map(|(at, &choice)| self.item(at, choice, width)).collect();
        let total: usize = items.iter().map(Vec::len).sum();
        let (mut from, mut to) = (0, items.len());
        if total > room {
            let cursor = self.cursor.unwrap_or(0).min(items.len().saturating_sub(1));
            (from, to) = (cursor, cursor + 1);
            let used = |from: usize, to: usize| items[from..to].iter().map(Vec::len).sum::<usize>();
            while to < items.len() && used(from, to + 1) <= room {
                to += 1;
            }
            while from > 0 && used(from - 1, to) <= room {
                from -= 1;
            }
        }
        lines.extend(items[from..to].iter().flatten().cloned());
        let more = match &self.screen {
            Screen::Place { .. } => self.found().len() - (to - from),
            _ => items.len() - (to - from),
        };
        if more > 0 && (total <= room || height > lines.len()) {
            lines.push(cut(&format!("  … {more} more"), width));
        }
        lines.truncate(height.max(1));
        lines
    }

    fn item(&self, at: usize, choice: usize, width: usize) -> Vec<String> {
        let cursor = if self.cursor == Some(at) { ">" } else { " " };
        let digit = if at < 9 { (at + 1).to_string() } else { " ".to_owned() };
        let named = &self.choices[choice];
        let name = match (&self.screen, named.number) {
            (Screen::Place { .. }, 0) => format!("at the top level ({})", named.name),
            _ => named.name.clone(),
        };
        let head = match &self.screen {
            Screen::Tick { .. } => {
                format!("{cursor}{digit} [{}] ", if self.ticked[choice] { 'x' } else { ' ' })
            }
            _ => format!("{cursor}{digit} "),
        };
        let indent = columns(&head);
        if indent + LEAST_NAME > width {
            // Beside its number the name would have no room; it stands below.
            let width = width.max(2);
            let below = wrap(&name, width, 0);
            return std::iter::once(cut(head.trim_end(), width)).chain(below).collect();
        }
        let spaces = " ".repeat(indent);
        wrap(&name, width - indent, 0)
            .into_iter()
            .enumerate()
            .map(|(line, text)| format!("{}{text}", if line == 0 { &head } else { &spaces }))
            .collect()
    }

    /// Reads a line of text as a reply; what to write instead if it is none.
    pub(super) fn line(&self, line: &str) -> Result<Reply, String> {
        let word = line.trim();
        let key = name_key(word);
        let named = |key: &str| self.choices.iter().position(|choice| name_key(&choice.name) == key);
        let by_number = |word: &str| -> Option<usize> {
            let at = word.parse::<usize>().ok()?.checked_sub(1)?;
            (at < self.choices.len()).then_some(at)
        };
        // A name counts before a word of ours: there may be a concept "top".
        match (&self.screen, key.as_str()) {
            (Screen::Pick { .. } | Screen::Place { .. }, key) if named(key).is_some() => {
                return named(key).and_then(|at| self.take(at)).ok_or_else(String::new);
            }
            (_, "s" | "skip" | "?" | "not sure" | "can't say" | "cant_say") => {
                return Ok(Reply::Answer(grove_vocabulary::Reply::CantSay));
            }
            (_, "u" | "undo") => return Ok(Reply::Undo),
            (_, "q" | "quit") => return Ok(Reply::Quit),
            (Screen::Pick { .. } | Screen::Tick { .. }, "0" | "none" | "none of these") => {
                return Ok(Reply::Answer(grove_vocabulary::Reply::None));
            }
            (Screen::Place { .. }, "0" | "top" | "top level") => {
                return Ok(Reply::Answer(grove_vocabulary::Reply::Top));
            }
            _ => {}
        }
        let reply = match &self.screen {
            Screen::YesNo(_) => match key.as_str() {
                "y" | "yes" => Some(Answer::Yes.into()),
                "n" | "no" => Some(Answer::No.into()),
                _ => None,
            },
            Screen::Pick { .. } => {
                by_number(word).map(|at| grove_vocabulary::Reply::Picked(self.choices[at].number))
            }
            Screen::Tick { .. } => {
                let separators: &[char] = if word.contains(',') { &[','] } else { &[' '] };
                let parts = word.split(separators).map(str::trim).filter(|part| !part.is_empty());
                let found = parts.map(|part| by_number(part).or_else(|| named(&name_key(part))));
                let found = named(&key).map(|at| vec![at]).or_else(|| found.collect());
                found.filter(|found| !found.is_empty()).map(|found| {
                    let mut found: Vec<u32> = found.into_iter().map(|at| self.choices[at].number).collect();
                    found.dedup();
                    grove_vocabulary::Reply::Ticked(found)
                })
            }
            Screen::Place { .. } => None,
        };
        reply.map(Reply::Answer).ok_or_else(|| self.expected())
    }

    /// What can be written as a reply.
    pub(super) fn expected(&self) -> String {
        match &self.screen {
            Screen::YesNo(_) => "answer y (yes), n (no), s (not sure), u (undo) or q (quit)".to_owned(),
            Screen::Pick { options, .. } => {
                format!(
                    "answer a number from 1 to {} or a name, 0 (none of these), s (not sure), u (undo) or q (quit)",
                    options.len()
                )
            }
            Screen::Tick { .. } => {
                "answer numbers or names such as 1, 3; 0 (none of these), s (not sure), u (undo) or q (quit)"
                    .to_owned()
            }
            Screen::Place { .. } => {
                "answer the name of a concept, 0 (top level), ? (not sure), u (undo) or q (quit)".to_owned()
            }
        }
    }
}

fn said(reply: grove_vocabulary::Reply<u32>) -> Option<Reply> {
    Some(Reply::Answer(reply))
}

#[cfg(test)]
mod tests {
    use grove_vocabulary::{Question, Reply as Said};

    use super::*;

    fn named(names: &[&str], from: u32) -> Vec<Named> {
        (from..).zip(names).map(|(number, name)| Named { number, name: (*name).to_owned() }).collect()
    }

    fn yes_no() -> Entry {
        Entry::new(Question::path(1, 2).unwrap().into(), Vec::new())
    }

    fn pick() -> Entry {
        Entry::new(Screen::pick(9, vec![1, 2, 3]).unwrap(), named(&["fruit", "bread", "drink"], 1))
    }

    fn tick() -> Entry {
        Entry::new(Screen::tick(9, vec![1, 2, 3]).unwrap(), named(&["lime", "pear", "soda"], 1))
    }

    fn place() -> Entry {
        let names = ["food", "fruit", "citrus fruit", "Früchte", "bread", "7-grain bread"];
        Entry::new(Screen::place(9).unwrap(), named(&names, 0))
    }

    fn press(entry: &mut Entry, keys: &str) -> Option<Reply> {
        let code = |key: char| match key {
            '\n' => KeyCode::Enter,
            'v' => KeyCode::Down,
            '^' => KeyCode::Up,
            '<' => KeyCode::Backspace,
            '!' => KeyCode::Esc,
            other => KeyCode::Char(other),
        };
        let mut reply = None;
        for key in keys.chars() {
            assert_eq!(reply, None, "{keys:?} goes on after a reply");
            reply = entry.key(KeyEvent::new(code(key), KeyModifiers::NONE));
        }
        reply
    }

    fn answers(mut entry: Entry, keys: &str) -> Option<Reply> {
        press(&mut entry, keys)
    }

    #[test]
    fn yes_no_has_a_key_for_each_answer() {
        assert_eq!(answers(yes_no(), "y"), said(Said::Yes));
        assert_eq!(answers(yes_no(), "N"), said(Said::No));
        assert_eq!(answers(yes_no(), "s"), said(Said::CantSay));
        assert_eq!((answers(yes_no(), "<"), answers(yes_no(), "!")), (Some(Reply::Undo), Some(Reply::Quit)));
        assert_eq!(answers(yes_no(), "1x\n0"), None);
        let mut entry = yes_no();
        let control =
            |entry: &mut Entry, code| entry.key(KeyEvent::new(KeyCode::Char(code), KeyModifiers::CONTROL));
        assert_eq!((control(&mut entry, 'c'), control(&mut entry, 'y')), (Some(Reply::Quit), None));
    }

    #[test]
    fn a_pick_is_one_digit_or_arrows() {
        assert_eq!(answers(pick(), "2"), said(Said::Picked(2)));
        assert_eq!(answers(pick(), "vv\n"), said(Said::Picked(2)));
        assert_eq!(answers(pick(), "^\n"), said(Said::Picked(3)));
        assert_eq!(answers(pick(), "0"), said(Said::None));
        assert_eq!(answers(pick(), "u"), Some(Reply::Undo));
        assert_eq!(answers(pick(), "4y n\n"), None, "no such option, and nothing chosen");
    }

    #[test]
    fn ticks_are_toggled_and_none_is_said() {
        assert_eq!(answers(tick(), " \n"), said(Said::Ticked(vec![1])));
        assert_eq!(answers(tick(), " vv 1\n"), said(Said::Ticked(vec![3])), "ticked and unticked");
        assert_eq!(answers(tick(), "21\n"), said(Said::Ticked(vec![1, 2])));
        let mut entry = tick();
        assert_eq!(press(&mut entry, "\n"), None);
        assert!(entry.hint().is_some_and(|hint| hint.contains("press 0")), "an empty screen needs a none");
        assert_eq!(press(&mut entry, "0"), said(Said::None));
        let mut entry = tick();
        assert_eq!(press(&mut entry, "10"), None, "a box is ticked");
        assert!(entry.hint().is_some());
    }

    #[test]
    fn a_place_is_found_by_typing() {
        assert_eq!(answers(place(), "bre\n"), said(Said::Under(4)));
        assert_eq!(answers(place(), "fruit\n"), said(Said::Under(1)), "the whole name comes first");
        assert_eq!(answers(place(), "fruitv\n"), said(Said::Under(2)));
        assert_eq!(answers(place(), "fru2"), said(Said::Under(2)), "a digit takes what is listed");
        assert_eq!(answers(place(), "7\n"), said(Said::Under(5)), "a digit that begins a name");
        assert_eq!(answers(place(), "FRÜ\n"), said(Said::Under(3)));
        assert_eq!((answers(place(), "0"), answers(place(), "foo\n")), (said(Said::Top), said(Said::Top)));
        assert_eq!(answers(place(), "?"), said(Said::CantSay));
        assert_eq!(
            (answers(place(), "b<<"), answers(place(), "b!!")),
            (Some(Reply::Undo), Some(Reply::Quit))
        );
        assert_eq!(answers(place(), "\n"), None, "nothing is chosen by accident");
        let mut entry = place();
        assert_eq!(press(&mut entry, "brx"), None);
        assert!(entry.hint().is_some_and(|hint| hint.contains('x')));
        assert_eq!(press(&mut entry, "\n"), said(Said::Under(4)), "what was typed before stays");
    }

    #[test]
    fn lines_are_read_as_keys_are() {
        assert_eq!(yes_no().line(" Yes\r\n"), Ok(Reply::Answer(Said::Yes)));
        assert_eq!(yes_no().line("can't say"), Ok(Reply::Answer(Said::CantSay)));
        assert!(yes_no().line("1").is_err_and(|error| error.contains("y (yes)")));
        assert_eq!(pick().line("2"), Ok(Reply::Answer(Said::Picked(2))));
        assert_eq!(pick().line("Drink"), Ok(Reply::Answer(Said::Picked(3))));
        assert_eq!(pick().line("none"), Ok(Reply::Answer(Said::None)));
        assert!(pick().line("4").is_err() && pick().line("yes").is_err());
        assert_eq!(tick().line("1 3"), Ok(Reply::Answer(Said::Ticked(vec![1, 3]))));
        assert_eq!(tick().line("pear, soda"), Ok(Reply::Answer(Said::Ticked(vec![2, 3]))));
        assert_eq!(tick().line("0"), Ok(Reply::Answer(Said::None)));
        assert!(tick().line("1 9").is_err() && tick().line("").is_err());
        assert_eq!(place().line("citrus fruit"), Ok(Reply::Answer(Said::Under(2))));
        assert_eq!(place().line("food"), Ok(Reply::Answer(Said::Top)));
        assert_eq!(place().line("top"), Ok(Reply::Answer(Said::Top)));
        assert!(place().line("fruits").is_err_and(|error| error.contains("name of a concept")));
        assert_eq!(place().line("undo"), Ok(Reply::Undo));
    }

    #[test]
    fn everything_fits_any_width_and_height() {
        let long =
            ["a counter-revolutionary electroencephalographic organisation", "果物はりんごを含む", "x"];
        let screens = [
            Screen::pick(9, vec![1, 2, 3]).unwrap(),
            Screen::tick(9, vec![1, 2, 3]).unwrap(),
            Screen::place(9).unwrap(),
        ];
        for screen in screens {
            for (width, height) in (1..90).flat_map(|width| [1, 2, 5, 40].map(|height| (width, height))) {
                let mut entry = Entry::new(screen.clone(), named(&long, 1));
                for steps in 0..3 {
                    let lines = entry.lines(width, height);
                    assert!(!lines.is_empty() && lines.len() <= height, "{screen} {width} {height}");
                    // A wide character cannot be divided.
                    let fits = |line: &String| columns(line) <= width.max(2);
                    assert!(lines.iter().all(fits), "{screen} {width} {height} {steps}: {lines:#?}");
                    press(&mut entry, "v");
                }
            }
        }
        let mut entry = tick();
        press(&mut entry, "2");
        assert_eq!(entry.lines(40, 9), [" 1 [ ] lime", ">2 [x] pear", " 3 [ ] soda"]);
        assert_eq!(place().lines(40, 4).len(), 4);
        assert!(place().lines(40, 4).last().unwrap().contains("more"), "{:?}", place().lines(40, 4));
    }
}
