//! Heads of compound names: *leather jacket* is a *jacket*, *Lederjacke* a *Jacke*, *veste en cuir* a *veste*.

use std::collections::HashMap;

use crate::name::name_key;

/// Where a language puts the head of a compound name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HeadPosition {
    /// The last word: *leather jacket*.
    Last,
    /// The last word, or the end of it: *Lederjacke*.
    End,
    /// The first word: *veste en cuir*.
    First,
}

/// The fewest letters of a head within a word, and of what is before it: shorter ones are endings.
const LEAST_HEAD: usize = 4;
const LEAST_BEFORE: usize = 3;

/// The same for languages that write words of two or three characters without spaces.
const LEAST_SIGNS: usize = 2;

impl HeadPosition {
    /// By the first part of a language tag. Where a language is not known, names are mostly English.
    fn of(language: &str) -> Self {
        match primary(language).as_str() {
            "de" | "nl" | "sv" | "da" | "nb" | "nn" | "no" | "is" | "fi" | "et" | "hu" | "af" | "lb"
            | "fy" | "zh" | "ja" | "ko" => Self::End,
            "fr" | "es" | "it" | "pt" | "ca" | "gl" | "ro" | "oc" | "ar" | "he" | "fa" | "id" | "ms"
            | "vi" | "th" | "sw" | "cy" | "ga" => Self::First,
            _ => Self::Last,
        }
    }
}

fn primary(language: &str) -> String {
    language.split(['-', '_']).next().unwrap_or_default().to_lowercase()
}

/// What comes before the head ends here: a *leg of lamb* is a leg, *Saft mit Eis* a Saft.
fn ends_head(word: &str, language: &str) -> bool {
    match primary(language).as_str() {
        "de" => matches!(
            word,
            "von" | "vom" | "aus" | "mit" | "ohne" | "für" | "in" | "im" | "am" | "zum" | "zur"
        ),
        "nl" => matches!(word, "van" | "met" | "zonder" | "voor" | "in" | "uit"),
        "en" | "und" | "" => {
            matches!(word, "of" | "with" | "without" | "for" | "in" | "on" | "from" | "to" | "at" | "by")
        }
        _ => false,
    }
}

/// A name as heads are compared: one word for its plural, where a language has simple ones.
fn compared(key: &str, language: &str) -> String {
    let is_english = matches!(primary(language).as_str(), "en" | "und" | "");
    let is_romance = matches!(primary(language).as_str(), "fr" | "es" | "pt" | "ca" | "gl");
    if is_english && key.len() > 4 {
        for (plural, singular) in [("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x")]
        {
            if let Some(stem) = key.strip_suffix(plural) {
                return format!("{stem}{singular}");
            }
        }
    }
    let plural = (is_english || is_romance) && key.chars().count() > 3 && !key.ends_with("ss");
    key.strip_suffix('s').filter(|_| plural).unwrap_or(key).to_owned()
}

/// The possible heads of a name, in the form in which names are compared; the most specific first.
fn heads(name: &str, language: &str) -> Vec<String> {
    let key = name_key(name);
    // Of "jacket, leather" and "orange (fruit)", what is before.
    let plain = key.split([',', '(', ';']).next().unwrap_or_default().trim();
    let mut heads: Vec<String> = Vec::new();
    let whole = compared(&key, language);
    let mut add = |head: &str| {
        let head = compared(head.trim(), language);
        if !head.is_empty() && head != whole && !heads.contains(&head) {
            heads.push(head);
        }
    };
    let words: Vec<&str> = plain.split_whitespace().collect();
    let position = HeadPosition::of(language);
    if plain != key {
        add(plain);
    }
    match position {
        HeadPosition::First => {
            for end in (1..words.len()).rev() {
                add(&words[..end].join(" "));
            }
        }
        HeadPosition::Last | HeadPosition::End => {
            let end = words
                .iter()
                .skip(1)
                .position(|word| ends_head(word, language))
                .map_or(words.len(), |at| at + 1);
            for start in usize::from(end == words.len())..end {
                add(&words[start..end].join(" "));
            }
            if position == HeadPosition::End
                && let Some(last) = words.get(end.wrapping_sub(1))
            {
                word_ends(last, language).into_iter().for_each(|end| add(&end));
            }
        }
    }
    heads
}

/// The ends of a word that may be words themselves, the longest first.
fn word_ends(word: &str, language: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let by_signs = matches!(primary(language).as_str(), "zh" | "ja" | "ko");
    let (least, before) = if by_signs { (LEAST_SIGNS, 1) } else { (LEAST_HEAD, LEAST_BEFORE) };
    (before..letters.len())
        .filter(|start| letters.len() - start >= least)
        .map(|start| letters[start..].iter().collect())
        .collect()
}

/// Finds which names are heads of others, among names that are added over time; each has a number.
///
/// ```
/// use grove_formats::HeadIndex;
/// let mut index = HeadIndex::new("en");
/// index.add(1, "jacket");
/// index.add(2, "red leather jackets");
/// assert_eq!(index.nearest("red leather jackets"), [1]);
/// assert_eq!(index.add(3, "leather jacket"), [3, 2], "those whose nearest head may be another one now");
/// assert_eq!(index.nearest("red leather jackets"), [3]);
/// assert_eq!(index.nearest("leather jacket"), [1]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HeadIndex {
    language: String,
    /// Names as they are compared, and the heads that others have.
    names: HashMap<String, Vec<u32>>,
    heads: HashMap<String, Vec<u32>>,
}

impl HeadIndex {
    /// No names yet, in the language with this tag.
    #[must_use]
    pub fn new(language: &str) -> Self {
        Self { language: language.to_owned(), ..Self::default() }
    }

    /// Adds a name. Returns the numbers of those whose nearest head may have changed: the name's own if it has a head,
    /// and those of names of which it is a head.
    pub fn add(&mut self, number: u32, name: &str) -> Vec<u32> {
        let whole = compared(&name_key(name), &self.language);
        let heads = heads(name, &self.language);
        let own = heads.iter().any(|head| self.has(head)).then_some(number);
        let changed = own.into_iter().chain(self.heads.get(&whole).into_iter().flatten().copied()).collect();
        self.names.entry(whole).or_default().push(number);
        for head in heads {
            self.heads.entry(head).or_default().push(number);
        }
        changed
    }

    /// The names that are the most specific head of this one: of *red leather jacket*, *leather jacket* rather than
    /// *jacket*. None if it has no head here; several if these are compared as one name.
    #[must_use]
    pub fn nearest(&self, name: &str) -> &[u32] {
        let heads = heads(name, &self.language);
        let found = heads.iter().find(|head| self.has(head)).and_then(|head| self.names.get(head));
        found.map_or(&[], Vec::as_slice)
    }

    fn has(&self, head: &str) -> bool {
        self.names.contains_key(head)
    }
}

/// The pairs (nearest head, other) among names, by their places in the list counted from 1.
pub fn head_pairs<'n>(
    names: impl IntoIterator<Item = &'n str, IntoIter: Clone>,
    language: &str,
) -> Vec<(u32, u32)> {
    let mut index = HeadIndex::new(language);
    let names = (1..).zip(names);
    for (number, name) in names.clone() {
        index.add(number, name);
    }
    let pairs = |(number, name)| index.nearest(name).iter().map(move |&head| (head, number));
    names.flat_map(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(language: &str, names: &[&str]) -> Vec<(String, String)> {
        let name = |number: u32| names[number as usize - 1].to_owned();
        let mut pairs: Vec<_> = head_pairs(names.iter().copied(), language)
            .into_iter()
            .map(|(upper, lower)| (name(upper), name(lower)))
            .collect();
        pairs.sort_unstable();
        pairs
    }

    fn expect(language: &str, names: &[&str], expected: &[(&str, &str)]) {
        let expected: Vec<_> =
            expected.iter().map(|(upper, lower)| ((*upper).to_owned(), (*lower).to_owned())).collect();
        assert_eq!(pairs(language, names), expected, "{language}");
        let backwards: Vec<&str> = names.iter().rev().copied().collect();
        assert_eq!(pairs(language, &backwards), expected, "{language}, in the other order");
    }

    #[test]
    fn english_heads_are_last_or_before_of() {
        expect(
            "en",
            &["jacket", "Leather Jacket", "red leather jacket", "leather", "jackets of wool", "straitjacket"],
            &[
                ("Leather Jacket", "red leather jacket"),
                ("jacket", "Leather Jacket"),
                ("jacket", "jackets of wool"),
            ],
        );
        expect(
            "und",
            &["pan", "frying pans", "orange", "orange (fruit)"],
            &[("orange", "orange (fruit)"), ("pan", "frying pans")],
        );
        expect("en-GB", &["jacket", "jacket, leather"], &[("jacket", "jacket, leather")]);
        expect("en", &["dress", "dresses", "address"], &[]);
        expect(
            "en",
            &["berry", "black berries", "box", "tool boxes"],
            &[("berry", "black berries"), ("box", "tool boxes")],
        );
    }

    #[test]
    fn german_heads_end_a_word() {
        expect(
            "de",
            &[
                "Jacke",
                "Lederjacke",
                "rote Lederjacke",
                "Saft",
                "Saft aus Äpfeln",
                "Apfelsaft",
                "Hut",
                "Schuhe",
            ],
            &[
                ("Jacke", "Lederjacke"),
                ("Lederjacke", "rote Lederjacke"),
                ("Saft", "Apfelsaft"),
                ("Saft", "Saft aus Äpfeln"),
            ],
        );
    }

    #[test]
    fn french_heads_are_first() {
        expect(
            "fr",
            &["veste", "veste en cuir", "cuir", "pommes", "pomme de terre"],
            &[("pommes", "pomme de terre"), ("veste", "veste en cuir")],
        );
    }
}
