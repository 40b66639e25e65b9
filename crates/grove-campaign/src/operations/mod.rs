//! x
use std::fmt;
/// x
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role { /// x
 Owner }
/// x
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation { /// x
 Cast }
impl fmt::Display for Role { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str("x") } }
impl fmt::Display for Operation { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str("x") } }
