//! What every view shows of a concept.

use std::collections::HashSet;

use askama::Template;
use grove_belief::DOUBTFUL_BELOW;
use grove_formats::Entry;
use grove_vocabulary::Reason;

use super::pieces::Piece;
use super::url::{Links, PageUrl};
use super::visible::{CHILDREN, Row, Visible};
use crate::http_error::{HttpError, Result};
use crate::pages::layout::probability;

/// What the state knows of concepts that the hierarchy does not.
#[derive(Default)]
pub(super) struct Marks {
    /// Concepts whose parent somebody pinned.
    pub(super) pinned: HashSet<u32>,
    /// Concepts whose correction the belief has not taken in yet.
    pub(super) pending: HashSet<u32>,
}

/// A concept as a view shows it.
pub(super) struct Item {
    pub(super) row: Row,
    pub(super) name: String,
    /// The certainty of its parent, printed.
    pub(super) certainty: Option<String>,
    /// The same in tenths.
    pub(super) step: u8,
    pub(super) reason: Reason,
    pub(super) below: usize,
    pub(super) selected: bool,
    pub(super) found: bool,
    pub(super) hit: bool,
    pub(super) pinned: bool,
    pub(super) pending: bool,
    /// In one sentence, for a tooltip.
    pub(super) description: String,
    /// The other places where it may belong, for the lines that are drawn when it is pointed at.
    pub(super) others: String,
}

impl Item {
    pub(super) fn new(visible: &Visible<'_>, row: Row, url: &PageUrl, marks: &Marks) -> Self {
        let hierarchy = &visible.view.hierarchy;
        let entry = hierarchy.entry(row.concept);
        let name = hierarchy.name(row.concept).to_owned();
        let certainty = entry.and_then(|entry| entry.certainty);
        let is_concept = row.rest.is_none();
        let description = match entry {
            Some(entry) => {
                let why = hierarchy.explanation(row.concept);
                let why = if why.is_empty() { why } else { format!(". {why}") };
                let parent = hierarchy.name(entry.parent);
                format!("{name}, under {parent}, certainty {}{why}", probability(certainty))
            }
            None => name.clone(),
        };
        let reason = entry.map_or(Reason::Settled, shown_reason);
        // How certain a guess is tells nothing where nobody was asked.
        let told = certainty.filter(|_| reason != Reason::Unasked);
        Self {
            certainty: told.map(|certainty| probability(Some(certainty))),
            step: told.map_or(0, |certainty| (certainty * 10.0).floor() as u8),
            reason,
            below: visible.below(row.concept),
            selected: is_concept && url.select == Some(row.number),
            found: is_concept && visible.is_found(row.concept),
            hit: is_concept && visible.hit == Some(row.concept),
            pinned: marks.pinned.contains(&row.number),
            pending: marks.pending.contains(&row.number),
            others: entry.map_or_else(String::new, |entry| others(visible, entry)),
            description,
            name,
            row,
        }
    }

    /// The class of the element: what it is, and what the search made of it.
    pub(super) fn class(&self) -> String {
        let flags = [
            (self.row.concept.is_root(), " root"),
            (self.selected, " selected"),
            (self.found, " found"),
            (self.hit, " hit"),
            (self.pending, " pending"),
        ];
        flags.iter().filter(|flag| flag.0).map(|flag| flag.1).collect()
    }

    /// The class of the certainty, with a space before it.
    pub(super) fn reason_class(&self) -> &'static str {
        reason_class(self.reason)
    }

    /// What else is to be said about the place, in a word or two.
    pub(super) fn words(&self) -> Option<&'static str> {
        match self.reason {
            _ if self.pending => Some("pending"),
            Reason::Differ => Some("people differ"),
            Reason::Unasked => Some("not asked yet"),
            Reason::Open | Reason::Settled => None,
        }
    }

    pub(super) fn fold_label(&self) -> String {
        let verb = if self.row.open == Some(true) { "Hide" } else { "Show" };
        format!("{verb} the {} below {}", self.below, self.name)
    }

    /// The key of its piece.
    fn key(&self) -> String {
        match self.row.rest {
            Some(_) => format!("more-{}", self.row.number),
            None => self.row.number.to_string(),
        }
    }

    /// The number of children that are shown after a click on "show more".
    pub(super) fn next_count(&self) -> usize {
        self.row.rest.map_or(0, |(_, shown)| shown + 2 * CHILDREN)
    }
}

/// Where nothing was asked, nothing is known: its certainty is that of a guess.
pub(in crate::pages) fn shown_reason(entry: &Entry) -> Reason {
    if entry.certainty.is_none() { Reason::Unasked } else { entry.shown_reason(DOUBTFUL_BELOW) }
}

/// The class of a line or a certainty, with a space before it.
pub(super) fn reason_class(reason: Reason) -> &'static str {
    match reason {
        Reason::Settled => "",
        Reason::Differ => " differ",
        Reason::Open => " uncertain",
        Reason::Unasked => " unasked",
    }
}

/// Why a place is not settled, each as a class and in words.
pub(super) fn reasons(entry: &Entry) -> Vec<(&'static str, &'static str)> {
    let unsettled = entry.reasons.iter().filter(|reason| **reason != Reason::Settled);
    unsettled.map(|reason| (reason_class(*reason), reason.in_words())).collect()
}

/// A parent less probable than this is not worth a line.
const LEAST_OTHER: f64 = 0.1;

fn others(visible: &Visible<'_>, entry: &Entry) -> String {
    let places = entry.places.iter().map(|place| place.parent);
    let likely = entry.alternatives.iter().filter(|other| other.1 >= LEAST_OTHER).map(|other| other.0);
    let mut others: Vec<_> = places.chain(likely).filter(|other| *other != entry.parent).collect();
    others.sort_unstable();
    others.dedup();
    let numbers = others.into_iter().map(|other| grove_campaign::number(&visible.view.numbers, other));
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

/// A template of an item with its links.
pub(super) fn piece<'t, T: Template + 't>(
    item: &'t Item,
    links: &'t Links,
    short: &'t Links,
    template: impl Fn(&'t Item, &'t Links) -> T,
) -> Result<Piece> {
    let render = |links| {
        template(item, links).render().map_err(|error| {
            tracing::error!(%error, "cannot render a row");
            HttpError::Internal
        })
    };
    Ok(Piece::new(item.key(), &render(short)?, render(links)?))
}
