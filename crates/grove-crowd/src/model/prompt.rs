use grove_vocabulary::{Form, Reply, Screen};
use sha2::{Digest, Sha256};

/// The version of the prompts. One model with one version is one worker: another version is somebody else, whose errors differ.
pub const PROMPT_VERSION: u32 = 1;

/// A screen in words, for a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asking {
    /// The screen by concept numbers.
    pub screen: Screen<u32>,
    /// The question as people read it.
    pub text: String,
    /// The names of the options in their order; of a place, of all concepts that may be above, with their numbers.
    pub options: Vec<(u32, String)>,
    /// Names with their definitions, as far as there are any.
    pub definitions: Vec<(String, String)>,
    /// The subject of the campaign.
    pub title: String,
}

/// What is sent to a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prompt {
    /// What it is told about its task.
    pub system: String,
    /// The question.
    pub user: String,
    /// How much it may answer, in tokens.
    pub most_tokens: u32,
    form: Form,
    options: Vec<(u32, String)>,
}

/// Labels of options: one token each in every common tokenizer.
const LABELS: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// Tokens that an answer of one word may need. Models that think before they answer need more than any such limit: they are given up soon, with advice.
const SHORT: u32 = 8;
const LONG: u32 = 64;

impl Prompt {
    /// The prompt for a screen.
    #[must_use]
    pub fn new(asking: &Asking) -> Self {
        let form = asking.screen.form();
        let how = match form {
            Form::YesNo => "Answer with one word: Yes or No. If you do not know, answer Unsure.",
            Form::Pick => {
                "Answer with the letter of the most specific option that is right, and nothing else. Answer None if none is right, Unsure if you do \
                 not know."
            }
            Form::Tick => {
                "Answer with the letters of all options that are right, separated by commas, and nothing else. Answer None if none is right, Unsure \
                 if you do not know."
            }
            Form::Place => {
                "Answer with the name of the one concept that it is directly under, exactly as it is listed, and nothing else. Answer Top if it is \
                 under none of them, Unsure if you do not know."
            }
        };
        let title = asking.title.trim();
        let about = if title.is_empty() { String::new() } else { format!(" The subject is: {title}.") };
        let system = format!("You help to arrange concepts in a hierarchy.{about} {how}");
        let mut user = asking.text.clone();
        match form {
            Form::Pick | Form::Tick => {
                for (label, (_, name)) in LABELS.iter().zip(&asking.options) {
                    user.push_str(&format!("\n{}. {name}", char::from(*label)));
                }
            }
            Form::Place => {
                user.push_str("\nConcepts:");
                for (_, name) in &asking.options {
                    user.push_str(&format!("\n- {name}"));
                }
            }
            Form::YesNo => {}
        }
        for (at, (name, definition)) in asking.definitions.iter().enumerate() {
            let head = if at == 0 { "\n\nDefinitions:" } else { "" };
            user.push_str(&format!("{head}\n- {name}: {definition}"));
        }
        let most_tokens = if matches!(form, Form::YesNo | Form::Pick) { SHORT } else { LONG };
        Self { system, user, most_tokens, form, options: asking.options.clone() }
    }

    /// The form of the screen.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The length of all its text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.system.len() + self.user.len()
    }

    /// A hash of version and text, for provenance.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(PROMPT_VERSION.to_be_bytes());
        for text in [&self.system, &self.user] {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
        hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What the words of an answer mean; `None` if they are no answer.
    #[must_use]
    pub fn read(&self, text: &str) -> Option<Reply<u32>> {
        let words = normalised(text);
        match words.as_str() {
            "" => return None,
            "unsure" | "unknown" | "i don't know" | "i do not know" | "can't say" | "cannot say"
            | "not sure" => {
                return Some(Reply::CantSay);
            }
            _ => {}
        }
        match self.form {
            Form::YesNo => match words.split([' ', ',', '.']).next()? {
                "yes" | "true" | "y" => Some(Reply::Yes),
                "no" | "false" | "n" => Some(Reply::No),
                "unsure" => Some(Reply::CantSay),
                _ => None,
            },
            Form::Pick => match self.labelled(&words)?.as_slice() {
                [] => Some(Reply::None),
                [one] => Some(Reply::Picked(*one)),
                _ => None,
            },
            Form::Tick => {
                let ticked = self.labelled(&words)?;
                Some(if ticked.is_empty() { Reply::None } else { Reply::Ticked(ticked) })
            }
            Form::Place => {
                if matches!(words.as_str(), "top" | "none" | "top level" | "the top level") {
                    return Some(Reply::Top);
                }
                let found = self.options.iter().find(|(_, name)| normalised(name) == words);
                found.map(|(number, _)| Reply::Under(*number))
            }
        }
    }

    /// The options whose letters or names an answer lists, in their order; `None` if there is anything else in it.
    fn labelled(&self, words: &str) -> Option<Vec<u32>> {
        if matches!(words, "none" | "none of these" | "none of the options" | "none of them") {
            return Some(Vec::new());
        }
        let mut chosen = vec![false; self.options.len()];
        for part in words.split([',', ';', '\n']).flat_map(|part| part.split(" and ")) {
            let part = part.trim().trim_end_matches(['.', ')']);
            if part.is_empty() {
                continue;
            }
            let by_label =
                LABELS.iter().position(|label| part == char::from(*label).to_ascii_lowercase().to_string());
            let labelled_name = part.split_once(['.', ')']).map(|(label, name)| (label.trim(), name.trim()));
            let by_name = |name: &str| self.options.iter().position(|(_, option)| normalised(option) == name);
            let at = by_label
                .or_else(|| by_name(part))
                .or_else(|| labelled_name.and_then(|(_, name)| by_name(name)))?;
            *chosen.get_mut(at)? = true;
        }
        let ticked = self.options.iter().zip(&chosen).filter(|(_, chosen)| **chosen);
        let ticked: Vec<u32> = ticked.map(|((number, _), _)| *number).collect();
        (!ticked.is_empty()).then_some(ticked)
    }
}

/// Words without case, decoration and outer punctuation.
pub(super) fn normalised(text: &str) -> String {
    let plain = text
        .replace(['*', '`', '"', '\u{201c}', '\u{201d}', '\u{2581}', '\u{120}'], " ")
        .replace('\u{2019}', "'");
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    words
        .trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '.' | ':' | '!' | '\''))
        .to_owned()
}

/// "Is a lime a kind of fruit?", for tests.
#[cfg(test)]
pub(super) fn lime() -> Prompt {
    Prompt::new(&Asking {
        screen: grove_vocabulary::Question::path(1, 2).unwrap().into(),
        text: "Is a lime a kind of fruit?".into(),
        options: Vec::new(),
        definitions: Vec::new(),
        title: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_vocabulary::Question;

    fn asking(screen: Screen<u32>) -> Asking {
        let names = [(5, "fruit"), (1, "soft drink"), (3, "citrus fruit")];
        Asking {
            screen,
            text: "What is a lime a kind of?".to_owned(),
            options: names.map(|(number, name)| (number, name.to_owned())).to_vec(),
            definitions: vec![("lime".to_owned(), "a green fruit".to_owned())],
            title: "Food".to_owned(),
        }
    }

    fn prompt(screen: Screen<u32>) -> Prompt {
        Prompt::new(&asking(screen))
    }

    #[test]
    fn yes_and_no_are_read_as_models_write_them() {
        let prompt = prompt(Question::path(1, 2).unwrap().into());
        for (text, reply) in [
            ("Yes", Reply::Yes),
            (" yes.\n", Reply::Yes),
            ("**No**", Reply::No),
            ("No, a lime is not a drink.", Reply::No),
            ("Unsure", Reply::CantSay),
            ("I don\u{2019}t know.", Reply::CantSay),
        ] {
            assert_eq!(prompt.read(text), Some(reply), "{text:?}");
        }
        for text in ["", "As a language model", "Nothing", "Yesterday"] {
            assert_eq!(prompt.read(text), None, "{text:?}");
        }
    }

    #[test]
    fn options_are_read_by_letter_and_by_name() {
        let pick = prompt(Screen::pick(2, vec![5, 1, 3]).unwrap());
        assert!(pick.user.contains("A. fruit") && pick.user.contains("C. citrus fruit"), "{}", pick.user);
        for text in ["C", "c.", "C) citrus fruit", "Citrus fruit", "C. citrus fruit"] {
            assert_eq!(pick.read(text), Some(Reply::Picked(3)), "{text:?}");
        }
        assert_eq!(pick.read("None of these."), Some(Reply::None));
        for text in ["A, C", "D", "Z", "cheese"] {
            assert_eq!(pick.read(text), None, "{text:?}");
        }
        let tick = prompt(Screen::tick(2, vec![5, 1, 3]).unwrap());
        assert_eq!(tick.read("C, A"), Some(Reply::Ticked(vec![5, 3])));
        assert_eq!(tick.read("fruit and citrus fruit"), Some(Reply::Ticked(vec![5, 3])));
        assert_eq!(tick.read("None"), Some(Reply::None));
        assert_eq!(tick.read("A, cheese"), None);
        let place = prompt(Screen::place(2).unwrap());
        assert_eq!(place.read("Soft drink"), Some(Reply::Under(1)));
        assert_eq!(place.read("Top"), Some(Reply::Top));
        assert_eq!(place.read("drink"), None);
    }

    #[test]
    fn every_reply_fits_its_screen() {
        for screen in [
            Screen::pick(2, vec![5, 1, 3]).unwrap(),
            Screen::tick(2, vec![5, 1, 3]).unwrap(),
            Screen::place(2).unwrap(),
        ] {
            let prompt = prompt(screen.clone());
            for text in ["A", "B, C", "None", "Top", "fruit", "Unsure", "soft drink, fruit"] {
                if let Some(reply) = prompt.read(text) {
                    reply.check(&screen).unwrap();
                }
            }
        }
    }

    #[test]
    fn the_hash_changes_with_the_text() {
        let one = prompt(Screen::pick(2, vec![5, 1, 3]).unwrap());
        let other = Prompt::new(&Asking {
            title: "Drinks".into(),
            ..asking(Screen::pick(2, vec![5, 1, 3]).unwrap())
        });
        assert_eq!(one.hash(), prompt(Screen::pick(2, vec![5, 1, 3]).unwrap()).hash());
        assert_ne!(one.hash(), other.hash());
    }
}
