//! Stated certainties beside how often they came true, as fields of a table.

use grove_belief::Calibration;
use serde::Deserialize;

use crate::table::Curve;

/// The statements of one run by bins of certainty: how many, how certain, and how many of them were right.
#[derive(Deserialize)]
pub(crate) struct Stated {
    statements: Curve,
    certainty: Curve,
    right: Curve,
}

/// The fields of [`Stated`].
pub(crate) fn stated(calibration: &Calibration) -> [String; 3] {
    let bins = || calibration.bins().iter().zip(0_u32..).filter(|(bin, _)| bin.count() > 0);
    let curves = [
        Curve::new(bins().map(|(bin, at)| (at, bin.count() as f64))),
        Curve::new(bins().map(|(bin, at)| (at, bin.mean_certainty().unwrap_or_default()))),
        Curve::new(bins().map(|(bin, at)| (at, bin.share_right().unwrap_or_default()))),
    ];
    curves.map(|curve| curve.to_string())
}

/// Some statements: their number, mean certainty, and the share of them that is right.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bin {
    pub(crate) count: f64,
    pub(crate) certainty: f64,
    pub(crate) right: f64,
}

/// The bins of certainty that have statements, over all runs.
pub(crate) fn bins<'a>(runs: impl IntoIterator<Item = &'a Stated>) -> Vec<Bin> {
    let mut bins = vec![Bin::default(); 10];
    for run in runs {
        for (&(at, count), (certainty, right)) in
            run.statements.0.iter().zip(run.certainty.0.iter().zip(&run.right.0))
        {
            let bin = &mut bins[at as usize];
            bin.count += count;
            bin.certainty += count * certainty.1;
            bin.right += count * right.1;
        }
    }
    bins.retain(|bin| bin.count > 0.0);
    let mean =
        |Bin { count, certainty, right }| Bin { count, certainty: certainty / count, right: right / count };
    bins.into_iter().map(mean).collect()
}

/// All statements together.
pub(crate) fn together(bins: &[Bin]) -> Bin {
    let count: f64 = bins.iter().map(|bin| bin.count).sum();
    let mean = |of: fn(&Bin) -> f64| bins.iter().map(|bin| bin.count * of(bin)).sum::<f64>() / count;
    Bin { count, certainty: mean(|bin| bin.certainty), right: mean(|bin| bin.right) }
}

/// The mean over statements of the difference between their bin's certainty and its share right.
pub(crate) fn calibration_error(bins: &[Bin]) -> Option<f64> {
    let all: f64 = bins.iter().map(|bin| bin.count).sum();
    let sum: f64 = bins.iter().map(|bin| bin.count * (bin.certainty - bin.right).abs()).sum();
    (all > 0.0).then(|| sum / all)
}
