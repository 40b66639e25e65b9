use super::style::{BOTTOM, LEFT, RIGHT, TOP, escape, text};
use crate::markdown::thousands;

/// How values are laid along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scale {
    Linear,
    /// By powers of ten; values must be positive.
    Log,
}

/// A named axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(super) scale: Scale,
    /// From where to where; from the data if not told.
    pub(crate) range: Option<(f64, f64)>,
}

impl Axis {
    pub(crate) fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Linear, range: None }
    }

    pub(crate) fn log(label: &str) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    pub(crate) fn within(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// The axis laid over a stretch of pixels, with room for all values.
    pub(super) fn lay(&self, values: &[f64], pixels: (f64, f64)) -> Laid {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let least = finite().fold(f64::INFINITY, f64::min);
        let most = finite().fold(f64::NEG_INFINITY, f64::max);
        let (mut low, mut high) = self.range.unwrap_or((least, most));
        if !(low.is_finite() && high.is_finite()) {
            (low, high) = (1.0, 10.0);
        }
        if self.scale == Scale::Log {
            (low, high) = (low.max(1e-12).log10(), high.max(1e-12).log10());
        }
        if high - low < 1e-12 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Laid { scale: self.scale, low, high, pixels }
    }
}

/// An axis with its place.
pub(super) struct Laid {
    scale: Scale,
    /// In powers of ten on a logarithmic axis.
    low: f64,
    high: f64,
    pixels: (f64, f64),
}

impl Laid {
    /// Where a value stands; what is beyond the range stands at its end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let value = if self.scale == Scale::Log { value.max(1e-12).log10() } else { value };
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.pixels.0 + part * (self.pixels.1 - self.pixels.0)
    }

    /// Round values to write beside the axis, some five of them.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => steps(self.low, self.high),
            Scale::Log => decades(self.low, self.high),
        }
    }
}

fn steps(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= rough).unwrap_or(10.0);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

fn decades(low: f64, high: f64) -> Vec<f64> {
    let within = |value: &f64| (low - 1e-9..=high + 1e-9).contains(&value.log10());
    let parts: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = low.floor() as i32..=high.ceil() as i32;
    powers.flat_map(|power| parts.iter().map(move |part| part * 10_f64.powi(power))).filter(within).collect()
}

fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 1_000.0 => thousands(value),
        _ if size != 0.0 && size < 1e-3 => format!("{value:.0e}"),
        _ => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// Grid, ticks and labels of the y axis.
pub(super) fn draw_y(axis: &Axis, laid: &Laid) -> String {
    let mut out = String::new();
    for tick in laid.ticks() {
        let y = laid.at(tick);
        out.push_str(&format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\n"
        ));
        out.push_str(&text("tick", LEFT - 7.0, y + 4.0, "end", &number(tick)));
    }
    let middle = (TOP + BOTTOM) / 2.0;
    out.push_str(&format!(
        "<text transform=\"translate(18 {middle}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        escape(&axis.label)
    ));
    out.push_str(&format!("<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>\n"));
    out
}

/// The same for the x axis.
pub(super) fn draw_x(axis: &Axis, laid: &Laid) -> String {
    let mut out = String::new();
    for tick in laid.ticks() {
        let x = laid.at(tick);
        out.push_str(&format!(
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\"/>\n"
        ));
        out.push_str(&text("tick", x, BOTTOM + 18.0, "middle", &number(tick)));
    }
    out.push_str(&label_x(&axis.label));
    out
}

pub(super) fn label_x(label: &str) -> String {
    text("", (LEFT + RIGHT) / 2.0, BOTTOM + 42.0, "middle", label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(steps(0.0, 1.0).len(), 6);
        assert_eq!(steps(0.0, 225.0), [0.0, 50.0, 100.0, 150.0, 200.0]);
        assert_eq!(decades(2.0, 5.0), [100.0, 1_000.0, 10_000.0, 100_000.0]);
        assert_eq!([0.05, 1e-4, 1_600.0, 0.0].map(number), ["0.05", "1e-4", "1,600", "0"]);
    }

    #[test]
    fn places_are_in_proportion() {
        let laid = Axis::log("m").lay(&[100.0, 10_000.0], (0.0, 200.0));
        assert!((laid.at(1_000.0) - 100.0).abs() < 1e-9);
        assert_eq!((laid.at(1.0), laid.at(1e9)), (0.0, 200.0));
    }
}
