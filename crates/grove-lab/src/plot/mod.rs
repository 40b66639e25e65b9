//! A small plotting room: lines with bands, points and bars, as SVG that is legible in light and dark and to the colour-blind.

mod axis;
mod bars;
mod chart;
mod style;

pub(crate) use axis::Axis;
pub(crate) use bars::{Bar, Bars};
pub(crate) use chart::{Chart, Line, Look, Point};
