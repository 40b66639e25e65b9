use std::fmt;
use std::str::FromStr;

/// A part of an experiment for one machine of several: every n-th cell, from the i-th on. Written `i/n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// Whether it has the cell with this index.
    pub(crate) fn has(self, cell: usize) -> bool {
        cell % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((i, n)) if (1..=n).contains(&i) => Ok(Self { index: i - 1, count: n }),
            _ => Err("write i/n with i from 1 to n, such as 2/8 for the second of eight parts".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_shard() {
        let shards: Vec<Shard> = (1..=3).map(|i| format!("{i}/3").parse().unwrap()).collect();
        for cell in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.has(cell)).count(), 1);
        }
        assert_eq!(shards[1].to_string(), "2/3");
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for bad in ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
