//! Simulation-based calibration: over worlds drawn from the model itself, the truth must be just another draw from what the engine
//! believes after the votes (Talts, Betancourt, Simpson, Vehtari and Gelman 2018).

#[cfg(test)]
mod ranks;
#[cfg(test)]
mod sbc;
#[cfg(test)]
mod world;
