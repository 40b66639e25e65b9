//! `grove export`: writes the hierarchy for other programs.

use grove_campaign::Follower;
use grove_formats::{Format, Hierarchy, SampleFormat, write_samples};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::show::report;
use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::output_options::OutputOptions;

/// Write the hierarchy for other programs.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove export food --format skos > food.ttl
  grove export food --format html --out food.html
  grove export food --format skos --base https://example.org/food/ --out food.ttl
  grove export food --format newick --samples 500 > posterior.nwk")]
pub(crate) struct Export {
    /// The campaign.
    name: String,
    /// The format: skos, skos-xml, skos-jsonld, owl, owl-turtle, obo, newick, dot, mermaid, csv, paths, json, node-link, sssom, svg or html.
    #[arg(long)]
    format: Format,
    /// Write this many trees sampled from the belief instead of the likeliest one, as newick or json.
    #[arg(long, value_name = "TREES", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    samples: Option<u32>,
    #[command(flatten)]
    output: OutputOptions,
}

impl Export {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        files::check_writable(self.output.out())?;
        let sample_format = self.samples.map(|_| self.sample_format()).transpose()?;
        let campaign = context.open(&self.name).await?;
        // A bad title, language or address is found before the work and not after it.
        let flat = self.output.apply(campaign.state()?.flat_hierarchy()?)?;
        self.output.format(&flat, self.format)?;
        let write = |follower: &Follower| {
            let hierarchy = match report(follower, context)? {
                Some(named) => self.output.apply(named.hierarchy)?,
                None => flat,
            };
            match sample_format {
                Some(format) => self.sample(follower, &hierarchy, format),
                None => self.output.format(&hierarchy, self.format),
            }
        };
        let text = context.with_belief(campaign, write).await?;
        self.output.write(&text)
    }

    fn sample_format(&self) -> anyhow::Result<SampleFormat> {
        let format = self.format;
        format.name().parse().map_err(|_| {
            bad_input(format!("sampled trees are written as newick or json, not as {format}; choose one"))
        })
    }

    fn sample(
        &self,
        follower: &Follower,
        hierarchy: &Hierarchy,
        format: SampleFormat,
    ) -> anyhow::Result<String> {
        let mut rng = ChaCha8Rng::seed_from_u64(follower.state().settings().seed);
        match (follower.belief(), self.samples) {
            (Some(belief), Some(count)) => {
                Ok(write_samples(hierarchy, &belief.sample(count as usize, &mut rng), format)?)
            }
            // Without concepts there is nothing to sample.
            _ => self.output.format(hierarchy, self.format),
        }
    }
}
