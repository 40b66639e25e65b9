//! The outline: an indented list.

use askama::Template;

use super::item::{Item, piece};
use super::pieces::Pane;
use super::url::Links;
use crate::http_error::Result;

#[derive(Template)]
#[template(path = "hierarchy/outline_row.html")]
struct OutlineRow<'a> {
    item: &'a Item,
    links: &'a Links,
}

pub(super) fn outline(items: &[Item], links: &Links) -> Result<Pane> {
    let short = Links::short();
    let row = |item| piece(item, links, &short, |item, links| OutlineRow { item, links });
    Ok(Pane { pieces: items.iter().map(row).collect::<Result<_>>()? })
}
