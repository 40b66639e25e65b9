//! `grove describe`.

use grove_campaign::{Edit, State};
use grove_formats::Article;

use super::description::Description;
use super::remove::number_of;
use crate::context::Context;

/// Change what people are told about a concept: its definition, its synonyms, and the article before its name.
///
/// What is left out stays as it is. The synonyms replace all former ones.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove describe food brie --definition 'a soft cheese' --synonym 'brie de Meaux'
  grove describe food squash --article none
  grove describe food sheep --article plural
  grove describe food 'historic feast' --article an
  grove describe food squash --article ''

--article takes an article, none (as in \"Is milk a kind of drink?\"), plural (\"Are chips a kind of food?\"), or '' to leave it to
the rules of the language again.")]
#[command(group(clap::ArgGroup::new("changes").required(true).multiple(true).args(["definition", "synonym", "article"])))]
pub(crate) struct Describe {
    /// The campaign.
    name: String,
    /// The concept.
    concept: String,
    #[command(flatten)]
    new: Description,
}

impl Describe {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let concept = &self.concept;
        // Checked before the first of the two edits is written: a refused command changes nothing.
        self.new.article.as_deref().map(Article::parse).transpose()?;
        if self.new.definition.is_some() || !self.new.synonym.is_empty() {
            let redescribe = |state: &State| {
                let number = number_of(state, concept)?;
                let known = state.concepts().get(number);
                let definition = self.new.definition.clone();
                let old = || known.map(|known| known.definition.clone()).unwrap_or_default();
                let synonyms = match self.new.synonym.is_empty() {
                    true => known.map(|known| known.synonyms.clone()).unwrap_or_default(),
                    false => self.new.synonym.clone(),
                };
                Ok(Edit::Redescribe { concept: number, definition: definition.unwrap_or_else(old), synonyms })
            };
            context.edit(&self.name, redescribe).await?;
        }
        if let Some(article) = &self.new.article {
            let set = |state: &State| {
                Ok(Edit::SetArticle { concept: number_of(state, concept)?, article: article.clone() })
            };
            context.edit(&self.name, set).await?;
        }
        context.remark(&format!("{concept}: changed"))
    }
}
