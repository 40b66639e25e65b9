//! The icicle: nested bars from left to right, coloured by certainty.

use askama::Template;

use super::item::{Item, piece};
use super::pieces::Pane;
use super::tree::Drawing;
use super::url::Links;
use crate::http_error::Result;

/// The width of a level.
const COLUMN: f64 = 190.0;
/// The height of a bar that nothing is below, and how much it grows when the number of concepts folded in it doubles.
const BAR: f64 = 28.0;
const DOUBLED: f64 = 10.0;
/// The space between two bars.
const SPACE: f64 = 2.0;

#[derive(Template)]
#[template(path = "hierarchy/icicle_bar.svg", escape = "html")]
struct IcicleBar<'a> {
    item: &'a Item,
    links: &'a Links,
    width: f64,
    height: f64,
}

pub(super) fn icicle(items: &[Item], links: &Links) -> Result<Drawing> {
    let (tops, heights) = bars(items);
    let short = Links::short();
    let bar = |(at, item): (usize, &Item)| {
        let (width, height) = (COLUMN - SPACE, heights[at] - SPACE);
        let (links, short) = (links, &short);
        let bar = piece(item, links, short, |item, links| IcicleBar { item, links, width, height })?;
        Ok(bar.at(COLUMN * (item.row.level - 1) as f64, tops[at]))
    };
    let pieces = items.iter().enumerate().map(bar).collect::<Result<_>>()?;
    let levels = items.iter().map(|item| item.row.level).max().unwrap_or(1);
    Ok(Drawing {
        width: COLUMN * levels as f64,
        height: heights.first().copied().unwrap_or(BAR),
        pane: Pane { pieces },
        lines: Vec::new(),
    })
}

/// The upper edge and the height of every bar: as high as those to its right together, or by how much is folded in it.
fn bars(items: &[Item]) -> (Vec<f64>, Vec<f64>) {
    let (mut tops, mut heights) = (vec![0.0; items.len()], vec![0.0; items.len()]);
    let mut bottom = 0.0;
    // The bars that reach to the present one: each is closed when a row of its level or a higher one comes.
    let mut reaching: Vec<usize> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        while reaching.last().is_some_and(|&last| items[last].row.level >= item.row.level) {
            if let Some(done) = reaching.pop() {
                heights[done] = bottom - tops[done];
            }
        }
        tops[at] = bottom;
        let has_rows_below = items.get(at + 1).is_some_and(|next| next.row.level > item.row.level);
        if !has_rows_below {
            let folded = item.row.rest.map_or(item.below, |(rest, _)| rest);
            bottom += BAR + DOUBLED * ((1 + folded) as f64).log2();
        }
        reaching.push(at);
    }
    for done in reaching {
        heights[done] = bottom - tops[done];
    }
    (tops, heights)
}
