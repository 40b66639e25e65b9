/// How far an engine's numbers can be trusted.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Debug)]
pub struct Health {
    /// How many independent trees the probabilities are worth (bulk effective sample size); infinite for closed forms.
    pub effective_trees: f64,
    /// R-hat: how far trees of different origin disagree, 1 being not at all.
    pub r_hat: f64,
    /// The conclusion.
    pub verdict: Verdict,
}

/// Whether probabilities may be shown as final.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The trees agree with fresh ones, or the probabilities are exact.
    Converged,
    /// The trees do not yet agree with fresh ones, built from the evidence alone: more moves, or more votes, are needed.
    NotConverged,
    /// There are too many concepts to build fresh trees for comparison in time. The trees agree with each other, which says less.
    Unchecked,
    /// The engine's approximation has no sampling error to check; its calibration is measured elsewhere.
    Approximate,
}

impl Health {
    /// The health of an engine that computes probabilities in closed form.
    pub(crate) const EXACT: Self =
        Self { effective_trees: f64::INFINITY, r_hat: 1.0, verdict: Verdict::Converged };
}
