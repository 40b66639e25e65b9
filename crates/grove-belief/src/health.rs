/// How far an engine's numbers can be trusted.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Debug)]
pub struct Health {
    /// How many independent trees the probabilities are worth (bulk effective sample size); infinite for closed forms.
    pub effective_trees: f64,
    /// R-hat: how far trees of different origin disagree, 1 being not at all.
    pub r_hat: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// Whether probabilities may be shown as final.
#[derive(serde::Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// They may.
    Converged,
    /// The trees do not yet agree with trees of another origin: more moves, or more votes, are needed.
    NotConverged,
    /// No trees of another origin could be compared with these, because there are too many concepts to build any in time. They agree with
    /// each other, which is less.
    Unchecked,
    /// The engine's approximation has no sampling error to check; its calibration is measured elsewhere.
    Approximate,
}

impl Health {
    /// Of an engine that computes probabilities in closed form.
    pub(crate) const EXACT: Self =
        Self { effective_trees: f64::INFINITY, r_hat: 1.0, verdict: Verdict::Converged };
}
