use std::fmt;

/// What "above" means in a hierarchy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Relation {
    /// The child is a kind of the parent.
    #[default]
    IsA,
    /// The child is a part of the parent.
    PartOf,
    /// One would look for the child under the parent, as on shelves and in menus.
    LookUnder,
    /// The owner's own wording, with `{child}` and `{parent}` in it.
    Own(String),
}

impl Relation {
    /// The relation that [`Display`](fmt::Display) wrote: "is-a", "part-of", "look-under", or an own wording.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        match text.trim() {
            "is-a" => Self::IsA,
            "part-of" => Self::PartOf,
            "look-under" => Self::LookUnder,
            own => Self::Own(own.to_owned()),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IsA => "is-a",
            Self::PartOf => "part-of",
            Self::LookUnder => "look-under",
            Self::Own(wording) => wording,
        })
    }
}
