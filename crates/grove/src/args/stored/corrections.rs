/// Lays down where a concept stands, whatever the votes say.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove pin food brie cheese                tomorrow too, the parent of brie is cheese
  grove pin food brie food                  with the root's name, brie stands at the top level
  grove pin food brie 'dairy product' --somewhere    dairy product is above brie, with or without others between
Undo: grove free food brie")]
pub(crate) struct Pin {
    /// The campaign.
    pub(crate) name: String,
    /// The concept below.
    pub(crate) child: String,
    /// The concept above, or the root.
    pub(crate) parent: String,
    /// The child is under the parent, though not necessarily directly.
    #[arg(long)]
    pub(crate) somewhere: bool,
}

/// Lays down that a concept is not under another, whatever the votes say.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove forbid food tomato vegetable
Undo: grove free food tomato vegetable")]
pub(crate) struct Forbid {
    /// The campaign.
    pub(crate) name: String,
    /// The concept that is not below.
    pub(crate) child: String,
    /// The concept that is not above.
    pub(crate) parent: String,
}

/// Takes back what was pinned and forbidden for a concept.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove free food brie              all that was laid down for brie
  grove free food tomato vegetable  only what was laid down for the two")]
pub(crate) struct Free {
    /// The campaign.
    pub(crate) name: String,
    /// The concept below.
    pub(crate) child: String,
    /// The concept above; without it, all of them.
    pub(crate) parent: Option<String>,
}
