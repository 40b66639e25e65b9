//! Beliefs against enumeration of all trees, and against the laws that every engine keeps.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod choice;
#[cfg(test)]
mod corrections;
#[cfg(test)]
mod dissent;
#[cfg(test)]
mod engines;
#[cfg(test)]
mod ensemble;
#[cfg(test)]
mod exact;
#[cfg(test)]
mod extremes;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod oracle;
mod pseudo;
#[cfg(test)]
mod renumbering;
#[cfg(test)]
mod revision;
#[cfg(test)]
mod screens;
#[cfg(test)]
mod weights;
