use std::path::PathBuf;

/// Adds concepts to a campaign. What is believed of the others stays.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove add food quince medlar
  grove add food brie --definition 'a soft cheese' --synonym 'brie de Meaux'
  grove add food --concepts more.csv")]
pub(crate) struct Add {
    /// The campaign.
    pub(crate) name: String,
    /// The concepts.
    #[arg(required_unless_present = "concepts", conflicts_with = "concepts")]
    pub(crate) concept: Vec<String>,
    /// A file of concepts, as for `grove new`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["definition", "synonym"])]
    pub(crate) concepts: Option<PathBuf>,
    /// What the concept means, shown to people who are asked about it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) definition: Option<String>,
    /// Another name of the concept; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) synonym: Vec<String>,
}

/// Removes concepts from a campaign, with all that was said about them.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove remove food ketchup
  grove remove food ketchup 'tomato sauce'")]
pub(crate) struct Remove {
    /// The campaign.
    pub(crate) name: String,
    /// The concepts.
    #[arg(required = true)]
    pub(crate) concept: Vec<String>,
}

/// Makes one concept of two that turned out to be the same. The votes on both count for the one that stays.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove merge food eggplant --into aubergine")]
pub(crate) struct Merge {
    /// The campaign.
    pub(crate) name: String,
    /// The concept that goes.
    pub(crate) gone: String,
    /// The concept that stays.
    #[arg(long, value_name = "CONCEPT")]
    pub(crate) into: String,
}

/// Gives a concept another name.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove rename food aubergine eggplant")]
pub(crate) struct Rename {
    /// The campaign.
    pub(crate) name: String,
    /// The concept.
    pub(crate) concept: String,
    /// Its new name.
    pub(crate) to: String,
}
