//! Many runs' curves as one line with a band.

use crate::Error;
use crate::plot::{Line, Look, Point};
use crate::statistics::{mean, quantile};
use crate::table::Row;

/// The mean over runs at every x that all of them have, with the middle 80 % of runs as its spread.
pub(crate) fn line(name: &str, look: Look, rows: &[Row<'_>], column: &str) -> Result<Line, Error> {
    let curves = rows.iter().map(|row| row.curve(column)).collect::<Result<Vec<_>, _>>()?;
    let xs: Vec<f64> =
        curves.first().map_or_else(Vec::new, |curve| curve.iter().map(|point| point.0).collect());
    let at = |x: f64| {
        let values: Option<Vec<f64>> =
            curves.iter().map(|curve| curve.iter().find(|point| point.0 == x).map(|point| point.1)).collect();
        values.and_then(|values| point(x, &values))
    };
    Ok(Line { name: name.to_owned(), look, points: xs.into_iter().filter_map(at).collect() })
}

/// The mean of some runs at one x, with the middle 80 % of them as its spread.
pub(crate) fn point(x: f64, values: &[f64]) -> Option<Point> {
    let spread = quantile(values, 0.1).zip(quantile(values, 0.9)).filter(|_| values.len() > 1);
    Some(Point { x, y: mean(values)?, spread })
}

/// The x at which each row's curve ends.
pub(crate) fn lengths(rows: &[Row<'_>], column: &str) -> Result<Vec<f64>, Error> {
    let curves = rows.iter().map(|row| row.curve(column)).collect::<Result<Vec<_>, _>>()?;
    Ok(curves.iter().filter_map(|curve| curve.last().map(|point| point.0)).collect())
}

/// A column's numbers, rows without one left out.
pub(crate) fn numbers(rows: &[Row<'_>], column: &str) -> Result<Vec<f64>, Error> {
    let found = rows.iter().map(|row| row.maybe(column)).collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// A column's numbers, with infinity for what was not reached.
pub(crate) fn reached(rows: &[Row<'_>], column: &str) -> Result<Vec<f64>, Error> {
    rows.iter().map(|row| Ok(row.maybe(column)?.unwrap_or(f64::INFINITY))).collect()
}
