//! Reports, forecasts and stop rules, computed with real engines.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod concepts;
#[cfg(test)]
mod findings;
#[cfg(test)]
mod forecast;
#[cfg(test)]
mod stop;
#[cfg(test)]
mod workers;
