//! Questions in words: in the four forms, for the relations that Grove knows, in the languages of the interface; or as the owner words them.

mod english;
mod language;

use std::fmt;
use std::ops::Range;

use grove_formats::{Article, Relation};

use crate::{ConceptState, Error, NewConcept};
use english::Number;
use language::{Language, Sentences};

const CHILD: &str = "{child}";
const PARENT: &str = "{parent}";

/// What stands for the concepts to choose from in an owner's own wording.
const BLANK: &str = "…";

/// Above this share, capitals at the beginning of names are a habit of the list and mark no proper names.
const USUAL: f64 = 0.5;

/// The name of a concept, and what its owner says about its article.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Noun<'a> {
    /// The name.
    pub name: &'a str,
    /// What stands before it.
    pub article: Article,
}

impl<'a> From<&'a str> for Noun<'a> {
    fn from(name: &'a str) -> Self {
        Self { name, article: Article::ByRule }
    }
}

impl<'a> From<&'a String> for Noun<'a> {
    fn from(name: &'a String) -> Self {
        name.as_str().into()
    }
}

impl<'a> From<&'a ConceptState> for Noun<'a> {
    fn from(concept: &'a ConceptState) -> Self {
        Self { name: &concept.name, article: concept.article.clone() }
    }
}

impl<'a> From<&'a NewConcept> for Noun<'a> {
    /// An unreadable article falls back to the rules; adding such a concept is refused.
    fn from(concept: &'a NewConcept) -> Self {
        Self { name: &concept.name, article: Article::parse(&concept.article).unwrap_or_default() }
    }
}

/// A question or another text in which concepts are named.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Phrase {
    text: String,
    names: Vec<Range<usize>>,
}

impl Phrase {
    /// The text as a whole.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in parts, each with whether it is the name of a concept.
    pub fn parts(&self) -> impl Iterator<Item = (&str, bool)> {
        let ends = self.names.iter().map(|name| name.start).chain([self.text.len()]);
        let starts = [0].into_iter().chain(self.names.iter().map(|name| name.end));
        let between = starts.zip(ends).map(|(start, end)| (&self.text[start..end], false));
        let names = self.names.iter().map(|name| Some((&self.text[name.clone()], true))).chain([None]);
        let parts = between.zip(names).flat_map(|(text, name)| [Some(text), name]);
        parts.flatten().filter(|(part, _)| !part.is_empty())
    }

    fn push_name(&mut self, name: &str) {
        let start = self.text.len();
        self.text.push_str(name);
        self.names.push(start..self.text.len());
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How a campaign's questions are worded.
///
/// ```
/// use grove_campaign::Wording;
/// use grove_formats::Relation;
/// let wording = Wording::new(&Relation::IsA, "en")?;
/// assert_eq!(wording.ask("orange", "fruit").text(), "Is an orange a kind of fruit?");
/// assert_eq!(wording.pick("lime").text(), "What is a lime a kind of?");
/// assert_eq!(wording.tick("fruit").text(), "Which of these are kinds of fruit?");
/// assert_eq!(wording.place("trousers").text(), "Where do trousers belong?");
/// let german = Wording::new(&Relation::PartOf, "de-AT")?;
/// assert_eq!(german.ask("Finger", "Hand").text(), "Ist „Finger“ ein Teil von „Hand“?");
/// # Ok::<(), grove_campaign::Error>(())
/// ```
#[derive(Clone)]
pub struct Wording {
    language: &'static Language,
    /// The sentences of the language; none for the owner's own wording.
    sentences: Option<&'static Sentences>,
    /// The owner's own wording; empty if there is none.
    own: String,
    /// How names are written.
    style: Style,
    capitals_are_usual: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// With English articles.
    Articles,
    /// In quotation marks.
    Quoted,
}

/// A concept in a sentence: given, or to be chosen.
type Slot<'a> = Option<Noun<'a>>;

impl Wording {
    /// The wording of a relation in the language of the names: a sentence of ours, or the owner's own. Where we have no sentences in the
    /// language, they are English and quote the names.
    ///
    /// # Errors
    /// [`Error::BadSetting`] for a wording of the owner's that does not name both concepts.
    pub fn new(relation: &Relation, language: &str) -> Result<Self, Error> {
        let own = match relation {
            Relation::Own(own) => own.clone(),
            _ => String::new(),
        };
        let names =
            |placeholder: &str| own.contains(placeholder) || own.contains(&placeholder.replace('{', "{a "));
        let known = Language::of(language);
        let sentences = known.sentences(relation);
        if sentences.is_none() && !(names(CHILD) && names(PARENT)) {
            let problem = format!(
                "{own:?} is neither is-a, part-of nor look-under, nor a question with {CHILD} and {PARENT} in it"
            );
            return Err(Error::BadSetting { setting: "relation", problem });
        }
        let primary = language.split('-').next().unwrap_or_default().to_ascii_lowercase();
        let is_english = ["en", "und", ""].contains(&primary.as_str());
        let style = if is_english { Style::Articles } else { Style::Quoted };
        Ok(Self { language: known, sentences, own, style, capitals_are_usual: false })
    }

    /// The same wording for a list of names: where most of them begin with a capital, that marks no proper names.
    #[must_use]
    pub fn for_names<'n>(self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let (mut all, mut capitals) = (0_usize, 0_usize);
        for name in names {
            all += 1;
            capitals += usize::from(name.starts_with(char::is_uppercase));
        }
        Self { capitals_are_usual: capitals as f64 > USUAL * all as f64, ..self }
    }

    /// The yes/no question: is the child under the parent?
    #[must_use]
    pub fn ask<'a>(&self, child: impl Into<Noun<'a>>, parent: impl Into<Noun<'a>>) -> Phrase {
        let template = self.sentences.map_or(self.own.as_str(), |sentences| sentences.yes_no);
        self.fill(template, Some(child.into()), Some(parent.into()))
    }

    /// The question under which of some concepts a concept belongs. In an owner's own wording, "…" stands for the concepts to choose from.
    #[must_use]
    pub fn pick<'a>(&self, child: impl Into<Noun<'a>>) -> Phrase {
        let template = self.sentences.map_or(self.own.as_str(), |sentences| sentences.pick);
        self.fill(template, Some(child.into()), None)
    }

    /// The question which of some concepts belong under a concept.
    #[must_use]
    pub fn tick<'a>(&self, parent: impl Into<Noun<'a>>) -> Phrase {
        let template = self.sentences.map_or(self.own.as_str(), |sentences| sentences.tick);
        self.fill(template, None, Some(parent.into()))
    }

    /// The question where in the whole hierarchy a concept belongs.
    #[must_use]
    pub fn place<'a>(&self, child: impl Into<Noun<'a>>) -> Phrase {
        let template = self.sentences.map_or(self.own.as_str(), |sentences| sentences.place);
        self.fill(template, Some(child.into()), None)
    }

    /// Puts the concepts into a template, each as often as it is named. Placeholders in their names are not replaced.
    fn fill(&self, template: &str, child: Slot<'_>, parent: Slot<'_>) -> Phrase {
        let is_ours = self.sentences.is_some();
        let number = child.as_ref().map_or(Number::Bare, |child| self.number(child));
        let [is, does] = if number == Number::Plural { ["are", "do"] } else { ["is", "does"] };
        let mut phrase = Phrase::default();
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            phrase.text.push_str(&rest[..at]);
            rest = &rest[at..];
            let Some(placeholder) = rest.find('}').map(|end| &rest[..=end]) else { break };
            let mut done = placeholder.len();
            match placeholder {
                CHILD => self.name(&mut phrase, child.as_ref(), false),
                PARENT => self.name(&mut phrase, parent.as_ref(), false),
                "{a child}" => self.name(&mut phrase, child.as_ref(), true),
                "{a parent}" => self.name(&mut phrase, parent.as_ref(), true),
                "{is}" if is_ours => phrase.text.push_str(is),
                "{Is}" if is_ours => phrase.text.push_str(if is == "are" { "Are" } else { "Is" }),
                "{does}" if is_ours => phrase.text.push_str(does),
                _ => {
                    phrase.text.push('{');
                    done = 1;
                }
            }
            rest = &rest[done..];
        }
        phrase.text.push_str(rest);
        phrase
    }

    /// Writes a name, with its article or in quotation marks; an owner's own wording gets the name alone, unless it asks for the article.
    fn name(&self, phrase: &mut Phrase, noun: Option<&Noun<'_>>, with_article: bool) {
        let Some(noun) = noun else { return phrase.text.push_str(BLANK) };
        let quoted = self.style == Style::Quoted && self.sentences.is_some();
        if quoted {
            phrase.text.push_str(self.language.quotes[0]);
        } else if with_article {
            let article = self.article(noun);
            phrase.text.push_str(&article);
            // "l'" joins its noun.
            if !article.is_empty() && !article.ends_with(['\'', '’']) {
                phrase.text.push(' ');
            }
        }
        phrase.push_name(noun.name);
        if quoted {
            phrase.text.push_str(self.language.quotes[1]);
        }
    }

    fn article(&self, noun: &Noun<'_>) -> String {
        match &noun.article {
            Article::Own(article) => article.clone(),
            Article::None | Article::Plural => String::new(),
            Article::ByRule => match self.number(noun) {
                Number::Count(article) => article.to_owned(),
                Number::Bare | Number::Plural => String::new(),
            },
        }
    }

    fn number(&self, noun: &Noun<'_>) -> Number {
        match &noun.article {
            Article::ByRule if self.style == Style::Articles => {
                english::judge(noun.name, self.capitals_are_usual)
            }
            Article::Plural => Number::Plural,
            // "the Alps" and "some scissors" stay plurals.
            Article::Own(article) if !["a", "an"].contains(&article.to_lowercase().as_str()) => {
                match english::judge(noun.name, true) {
                    Number::Plural => Number::Plural,
                    _ => Number::Bare,
                }
            }
            _ => Number::Bare,
        }
    }
}

impl fmt::Debug for Wording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wording")
            .field("language", &self.language.tag)
            .field("own", &self.own)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wording(relation: &str, language: &str) -> Wording {
        Wording::new(&Relation::from_text(relation), language).unwrap()
    }

    fn noun<'a>(name: &'a str, article: &str) -> Noun<'a> {
        Noun { name, article: Article::parse(article).unwrap() }
    }

    #[test]
    fn names_are_inserted_once() {
        let own = wording("{parent}{x} > {child}, {parent}? {", "en");
        assert_eq!(own.ask("{parent}", "{child}").text(), "{child}{x} > {parent}, {child}? {");
        let asked = wording("is-a", "en").ask("{parent}", "animal");
        assert_eq!(asked.text(), "Is a {parent} a kind of animal?");
    }

    #[test]
    fn a_wording_must_name_both_concepts() {
        for wrong in ["is {child} good?", "", "kind-of"] {
            assert!(Wording::new(&Relation::Own(wrong.into()), "en").is_err(), "{wrong}");
        }
        assert!(Wording::new(&Relation::Own("Is {a child} in {a parent}?".into()), "en").is_ok());
    }

    #[test]
    fn english_questions_have_articles_and_agree_in_number() {
        let is_a = wording("is-a", "en");
        let asked = |child: &str, parent: &str| is_a.ask(child, parent).to_string();
        assert_eq!(asked("saxophone", "cello"), "Is a saxophone a kind of cello?");
        assert_eq!(asked("orange", "fruit"), "Is an orange a kind of fruit?");
        assert_eq!(asked("hour", "unit of time"), "Is an hour a kind of unit of time?");
        assert_eq!(asked("unicorn", "animal"), "Is a unicorn a kind of animal?");
        assert_eq!(asked("trousers", "clothing"), "Are trousers a kind of clothing?");
        assert_eq!(asked("olive oil", "fat"), "Is olive oil a kind of fat?");
        assert_eq!(asked("Mozart", "composer"), "Is Mozart a kind of composer?");
        assert_eq!(is_a.pick("trousers").text(), "What are trousers a kind of?");
        assert_eq!(is_a.place("lime").text(), "Where does a lime belong?");
        let part_of = wording("part-of", "en-GB");
        assert_eq!(part_of.ask("engine", "aeroplane").text(), "Is an engine a part of an aeroplane?");
        assert_eq!(part_of.tick("hand").text(), "Which of these are parts of a hand?");
        assert_eq!(part_of.pick("finger").text(), "What is a finger a part of?");
        let look = wording("look-under", "und");
        assert_eq!(look.ask("lime", "fruit").text(), "Would you look for a lime under fruit?");
        assert_eq!(look.pick("lime").text(), "What would you look for a lime under?");
        assert_eq!(look.tick("fruit").text(), "Which of these would you look for under fruit?");
    }

    #[test]
    fn an_owner_overrides_the_article() {
        let is_a = wording("is-a", "en");
        let asked = |article: &str, name| is_a.ask(noun(name, article), noun("bird", "")).to_string();
        assert_eq!(asked("an", "historic event"), "Is an historic event a kind of bird?");
        assert_eq!(asked("the", "Moon"), "Is the Moon a kind of bird?");
        assert_eq!(asked("none", "squash"), "Is squash a kind of bird?");
        assert_eq!(asked("plural", "sheep"), "Are sheep a kind of bird?");
        assert_eq!(asked("some", "scissors"), "Are some scissors a kind of bird?");
        assert_eq!(asked("the", "Alps"), "Are the Alps a kind of bird?");
        assert_eq!(asked("a", "glasses"), "Is a glasses a kind of bird?");
        let own = wording("Do you see {a child} on {parent}?", "fr");
        assert_eq!(own.ask(noun("orange", "l'"), noun("table", "")).text(), "Do you see l'orange on table?");
    }

    #[test]
    fn capitals_are_judged_by_the_list() {
        let plain = wording("is-a", "en");
        let titled = plain.clone().for_names(["Orange", "Fruit", "Lime"]);
        assert_eq!(titled.ask("Orange", "Fruit").text(), "Is an Orange a kind of Fruit?");
        let mixed = plain.for_names(["orange", "fruit", "Mozart"]);
        assert_eq!(mixed.pick("Mozart").text(), "What is Mozart a kind of?");
    }

    /// Every relation has every form in every language, and names what it is about.
    #[test]
    fn every_language_has_every_sentence() {
        for language in &language::ALL {
            for relation in ["is-a", "part-of", "look-under"] {
                let wording = wording(relation, language.tag);
                let phrases = [
                    (wording.ask("Xx", "Yy"), 2),
                    (wording.pick("Xx"), 1),
                    (wording.tick("Yy"), 1),
                    (wording.place("Xx"), 1),
                ];
                for (phrase, names) in phrases {
                    assert_eq!(phrase.parts().filter(|(_, is_name)| *is_name).count(), names, "{phrase}");
                    let parts: String = phrase.parts().map(|(part, _)| part).collect();
                    assert_eq!(parts, phrase.text());
                    assert!(!phrase.text().contains(['{', '}', '…']), "{phrase}");
                }
            }
        }
        assert_eq!(wording("is-a", "de").ask("Limette", "Obst").text(), "Ist „Limette“ eine Art von „Obst“?");
        assert_eq!(
            wording("is-a", "fr-CA").ask("citron vert", "agrume").text(),
            "Est-ce que «\u{a0}citron vert\u{a0}» est une sorte de «\u{a0}agrume\u{a0}»\u{a0}?"
        );
        assert_eq!(wording("is-a", "ar").ask("ليمون", "فاكهة").text(), "هل «ليمون» نوع من «فاكهة»؟");
    }

    #[test]
    fn a_language_without_sentences_quotes_the_names() {
        assert_eq!(wording("is-a", "es").ask("limón", "fruta").text(), "Is “limón” a kind of “fruta”?");
    }

    #[test]
    fn an_own_wording_leaves_a_blank_for_what_is_chosen() {
        let own = wording("Would you look for {child} among the {parent}?", "en");
        assert_eq!(own.ask("lime", "fruits").text(), "Would you look for lime among the fruits?");
        assert_eq!(own.pick("lime").text(), "Would you look for lime among the …?");
        assert_eq!(own.tick("fruits").text(), "Would you look for … among the fruits?");
        assert_eq!(own.place("lime").text(), "Would you look for lime among the …?");
        let with_article = wording("Is {a child} in {a parent}?", "en");
        assert_eq!(with_article.ask("egg", "kitchen").text(), "Is an egg in a kitchen?");
    }

    #[test]
    fn a_phrase_knows_its_names() {
        let bracketed = |phrase: Phrase| -> String {
            phrase
                .parts()
                .map(|(part, is_name)| if is_name { format!("[{part}]") } else { part.to_owned() })
                .collect()
        };
        assert_eq!(bracketed(wording("is-a", "en").ask("a", "kind")), "Is an [a] a kind of [kind]?");
        let own = wording("{parent}は{child}を含む？", "ja");
        assert_eq!(bracketed(own.ask("りんご", "果物")), "[果物]は[りんご]を含む？");
    }
}
