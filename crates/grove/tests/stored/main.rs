//! Campaigns kept in a database, as a person at a command line meets them: through the program alone.

mod bad_inputs;
mod commands;
mod crowds;
mod folder;
