//! Options that describe a concept.

use grove_campaign::NewConcept;

/// What people are told about a concept, beside its name.
#[derive(clap::Args, Debug)]
pub(super) struct Description {
    /// What the concept means, shown to people who are asked about it; '' for nothing.
    #[arg(long, value_name = "TEXT")]
    pub(super) definition: Option<String>,
    /// Another name of the concept; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(super) synonym: Vec<String>,
    /// The article before the name in a question: one such as an, none, or plural; '' for the rules of the language.
    #[arg(long, value_name = "WORD")]
    pub(super) article: Option<String>,
}

impl Description {
    /// Whether no option is given.
    pub(super) fn is_empty(&self) -> bool {
        self.definition.is_none() && self.synonym.is_empty() && self.article.is_none()
    }

    /// A new concept with this name and description.
    pub(super) fn of(&self, name: &str) -> NewConcept {
        NewConcept {
            definition: self.definition.clone().unwrap_or_default(),
            synonyms: self.synonym.clone(),
            article: self.article.clone().unwrap_or_default(),
            ..NewConcept::named(name)
        }
    }
}
