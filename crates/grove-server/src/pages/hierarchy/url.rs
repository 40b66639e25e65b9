//! The URL of the hierarchy page: everything about how it is shown, so that links can be shared and the page works without scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use axum::extract::Query;
use axum::http::{HeaderMap, Uri, header};
use serde::Deserialize;

/// How the hierarchy is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::pages) enum ViewKind {
    /// An indented list.
    Outline,
    /// A node-link drawing from left to right.
    Tree,
    /// Nested bars, each as large as what is below it.
    Icicle,
    /// Trees drawn from the belief over each other.
    Cloud,
}

impl ViewKind {
    pub(super) const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Outline, "outline", "Outline"),
        (Self::Tree, "tree", "Tree"),
        (Self::Icicle, "icicle", "Icicle"),
        (Self::Cloud, "cloud", "Cloud"),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|known| known.0 == self).map_or("outline", |known| known.1)
    }
}

/// The parameters of the page, as the URL has them.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(in crate::pages) struct HierarchyParams {
    view: Option<ViewKind>,
    /// Concepts are unfolded down to this level, unless they are listed in `open` or `closed`: numbers, separated by dots.
    depth: Option<usize>,
    open: String,
    closed: String,
    /// A concept to fold or unfold.
    toggle: Option<u32>,
    /// How many children of a concept are shown where they are many: `12-300.15-600`.
    more: String,
    at: Option<u32>,
    select: Option<u32>,
    /// The parent whose votes are shown.
    parent: Option<u32>,
    find: String,
    /// Which of the concepts that were found is shown.
    hit: usize,
}

impl HierarchyParams {
    /// How the page was shown from which a form was sent, with another concept selected.
    pub(super) fn of_referrer(headers: &HeaderMap, select: Option<u32>) -> Self {
        let from = headers.get(header::REFERER).and_then(|from| from.to_str().ok()?.parse::<Uri>().ok());
        let params = from.and_then(|from| Query::<Self>::try_from_uri(&from).ok());
        let Query(params) = params.unwrap_or_default();
        Self { select, toggle: None, parent: None, find: String::new(), ..params }
    }
}

/// How the page is shown.
#[derive(Clone, Default)]
pub(super) struct PageUrl {
    pub(super) path: String,
    pub(super) view: Option<ViewKind>,
    pub(super) depth: Option<usize>,
    pub(super) open: BTreeSet<u32>,
    pub(super) closed: BTreeSet<u32>,
    pub(super) more: BTreeMap<u32, usize>,
    /// A position in the log, to show the hierarchy as it was then.
    pub(super) at: Option<u32>,
    pub(super) select: Option<u32>,
    pub(super) parent: Option<u32>,
    pub(super) find: String,
    pub(super) hit: usize,
    /// The concept to fold or unfold, until it is known whether it was open.
    pub(super) toggle: Option<u32>,
}

impl PageUrl {
    pub(super) fn new(path: String, params: HierarchyParams) -> Self {
        let numbers = |list: &str| list.split('.').filter_map(|number| number.parse().ok()).collect();
        let more = params.more.split('.').filter_map(|one| {
            let (concept, count) = one.split_once('-')?;
            Some((concept.parse().ok()?, count.parse().ok()?))
        });
        Self {
            path,
            view: params.view,
            depth: params.depth,
            open: numbers(&params.open),
            closed: numbers(&params.closed),
            more: more.collect(),
            at: params.at,
            select: params.select,
            parent: params.parent,
            find: params.find.trim().to_owned(),
            hit: params.hit,
            toggle: params.toggle,
        }
    }

    /// The parameters that links keep, apart from the selection.
    pub(super) fn kept(&self) -> Vec<(&'static str, String)> {
        let list = |set: &BTreeSet<u32>| set.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        let more: Vec<String> =
            self.more.iter().map(|(concept, count)| format!("{concept}-{count}")).collect();
        let all = [
            ("view", self.view.map(|view| view.name().to_owned()).unwrap_or_default()),
            ("depth", self.depth.map(|depth| depth.to_string()).unwrap_or_default()),
            ("open", list(&self.open)),
            ("closed", list(&self.closed)),
            ("more", more.join(".")),
            ("at", self.at.map(|at| at.to_string()).unwrap_or_default()),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }

    /// The parameters that a form of the page has to send along.
    pub(super) fn hidden(&self, except: &[&str]) -> Vec<(&'static str, String)> {
        let mut kept = self.kept();
        kept.extend(self.select.map(|select| ("select", select.to_string())));
        kept.retain(|(name, _)| !except.contains(name));
        kept
    }

    /// The address with one more parameter to follow.
    pub(super) fn base(&self) -> String {
        let mut base = format!("{}?", self.path);
        for (name, value) in self.kept() {
            let _ = write!(base, "{name}={value}&");
        }
        base
    }

    /// The address with a concept selected, or none.
    pub(super) fn selecting(&self, concept: Option<u32>) -> String {
        match concept {
            Some(concept) => format!("{}select={concept}", self.base()),
            None => self.base().trim_end_matches(['&', '?']).to_owned(),
        }
    }

    /// The address with another parent of the selected concept explained.
    pub(super) fn explaining(&self, concept: u32, parent: u32) -> String {
        format!("{}&parent={parent}", self.selecting(Some(concept)))
    }

    /// The address of another view.
    pub(super) fn viewing(&self, view: ViewKind) -> String {
        Self { view: Some(view), ..self.clone() }.selecting(self.select)
    }

    /// The address with everything unfolded down to a level.
    pub(super) fn unfolding(&self, depth: Option<usize>) -> String {
        Self { depth, open: BTreeSet::new(), closed: BTreeSet::new(), ..self.clone() }.selecting(self.select)
    }

    /// The address with another of the concepts that were found in view.
    pub(super) fn finding(&self, hit: usize) -> String {
        let mut address = self.base();
        let _ = self.select.map(|select| write!(address, "select={select}&"));
        format!("{address}find={}&hit={hit}", encoded(&self.find))
    }

    /// The links in rows.
    pub(super) fn links(&self) -> Links {
        let keep = self.select.map(|select| format!("select={select}&")).unwrap_or_default();
        Links { base: self.base(), keep }
    }
}

/// What the links in rows begin with.
pub(super) struct Links {
    pub(super) base: String,
    /// The selection, which folding keeps.
    pub(super) keep: String,
}

impl Links {
    /// For rows that a script takes care of: it knows the rest of the address.
    pub(super) fn short() -> Self {
        Self { base: "?".to_owned(), keep: String::new() }
    }
}

/// A text as the value of a parameter.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => encoded.push(char::from(byte)),
            _ => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_how_the_page_is_shown() {
        let params = HierarchyParams {
            view: Some(ViewKind::Tree),
            open: "3.1.x".into(),
            more: "0-200".into(),
            select: Some(7),
            find: " a&b ".into(),
            ..HierarchyParams::default()
        };
        let url = PageUrl::new("/c".into(), params);
        assert_eq!(url.selecting(None), "/c?view=tree&open=1.3&more=0-200");
        assert_eq!(url.selecting(Some(2)), "/c?view=tree&open=1.3&more=0-200&select=2");
        assert_eq!(url.unfolding(Some(1)), "/c?view=tree&depth=1&more=0-200&select=7");
        assert_eq!(url.finding(2), "/c?view=tree&open=1.3&more=0-200&select=7&find=a%26b&hit=2");
        assert_eq!(PageUrl { path: "/c".into(), ..PageUrl::default() }.selecting(None), "/c");
    }
}
