//! `grove export`: the hierarchy for other programs.

use grove_belief::Belief;
use grove_campaign::Campaign;
use grove_formats::{Hierarchy, SampleFormat, write, write_samples};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::desk::{Desk, refused};
use super::show;
use crate::args::Export;
use crate::failure::bad_input;
use crate::files;

/// Takes in what waits, and writes.
pub(super) async fn run(options: &Export, desk: &Desk) -> anyhow::Result<()> {
    options.writing.out.as_deref().map_or(Ok(()), files::check_writable)?;
    let sampled = sample_format(options)?;
    let campaign = desk.open(&options.name).await?;
    // A bad title, language or address is found before the work and not after it.
    let flat = headed(options, campaign.state().flat_hierarchy().map_err(refused)?)?;
    write(&flat, options.format, &options.writing.options()).map_err(bad_input)?;
    let text = desk.look(campaign, |campaign| written(options, sampled, campaign, flat, desk)).await?;
    files::write(options.writing.out.as_deref(), &text)
}

fn written(
    options: &Export,
    sampled: Option<(SampleFormat, usize)>,
    campaign: &Campaign,
    flat: Hierarchy,
    desk: &Desk,
) -> anyhow::Result<String> {
    let hierarchy = match show::report(campaign, desk)? {
        Some(named) => headed(options, named.hierarchy)?,
        None => flat,
    };
    let seed = campaign.state().settings().seed;
    match (sampled, campaign.follower().belief()) {
        (Some((format, count)), Some(belief)) => samples(&hierarchy, belief, format, count, seed),
        _ => write(&hierarchy, options.format, &options.writing.options()).map_err(bad_input),
    }
}

fn headed(options: &Export, hierarchy: Hierarchy) -> anyhow::Result<Hierarchy> {
    let heading = options.writing.heading(hierarchy.heading().clone());
    hierarchy.with_heading(heading).map_err(bad_input)
}

fn sample_format(options: &Export) -> anyhow::Result<Option<(SampleFormat, usize)>> {
    let Some(count) = options.samples else { return Ok(None) };
    let format = options.format.name().parse().map_err(|_| {
        bad_input(format!(
            "sampled trees are written as newick or json, not as {}; choose one",
            options.format
        ))
    })?;
    Ok(Some((format, count as usize)))
}

fn samples(
    hierarchy: &Hierarchy,
    belief: &dyn Belief,
    format: SampleFormat,
    count: usize,
    seed: u64,
) -> anyhow::Result<String> {
    let trees = belief.sample(count, &mut ChaCha8Rng::seed_from_u64(seed));
    write_samples(hierarchy, &trees, format).map_err(bad_input)
}
