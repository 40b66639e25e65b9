/// Pauses a campaign: nobody is asked until it goes on.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove pause food
  grove pause food --reason \"back on Monday\"     which workers who come are told")]
pub(crate) struct Pause {
    /// The campaign's name or id.
    pub(crate) campaign: String,
    /// Why, for workers to read.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
}

/// Lets a campaign go on that was paused, or that has ended by its own rules.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example:
  grove resume food")]
pub(crate) struct Resume {
    /// The campaign's name or id.
    pub(crate) campaign: String,
}
