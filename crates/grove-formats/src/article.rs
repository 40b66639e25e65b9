use std::fmt;

use crate::name::tidy;
use crate::{ErrorKind, Place, Result};

/// The longest article, in characters: "some of the".
const LIMIT: usize = 30;

/// What stands before a concept's name in a question: "an" of "an orange".
///
/// In files and in JSON it is one word: nothing if the rules of the language decide, `none`, `plural`, or the article itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Article {
    /// What the rules of the language say.
    #[default]
    ByRule,
    /// Nothing: the name of a mass, or of one thing.
    None,
    /// Nothing, and the name is a plural: "Are trousers a kind of clothing?"
    Plural,
    /// This article, chosen by the owner.
    Own(String),
}

impl Article {
    /// Reads what [`Display`](fmt::Display) writes, in any case; `-` means none, too.
    ///
    /// ```
    /// use grove_formats::Article;
    /// assert_eq!(Article::parse(" an ")?, Article::Own("an".into()));
    /// assert_eq!((Article::parse("None")?, Article::parse("")?), (Article::None, Article::ByRule));
    /// assert!(Article::parse("a\nb").is_err());
    /// # Ok::<(), grove_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that is too long for an article, or has control characters.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(text, &Place::default())
    }

    pub(crate) fn read(text: &str, at: &Place) -> Result<Self> {
        let article = tidy(text);
        if text.trim().chars().any(char::is_control) || article.chars().count() > LIMIT {
            return Err(ErrorKind::NotAnArticle(text.trim().to_owned()).at(at));
        }
        Ok(match article.to_lowercase().as_str() {
            "" => Self::ByRule,
            "none" | "-" => Self::None,
            "plural" => Self::Plural,
            _ => Self::Own(article),
        })
    }

    /// Whether the rules decide.
    #[must_use]
    pub fn is_by_rule(&self) -> bool {
        *self == Self::ByRule
    }
}

impl fmt::Display for Article {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByRule => "",
            Self::None => "none",
            Self::Plural => "plural",
            Self::Own(article) => article,
        })
    }
}
