/// The revision of the engines: raised by one whenever the same log, settings and seed give other bits than before.
///
/// Whoever keeps a belief, or a record of how it moved, keeps this number with it. What another revision left behind cannot be
/// continued or compared bit by bit; it has to be computed again from the evidence. A test with stored digests fails if bits
/// change and this number does not.
pub const ENGINE_REVISION: u32 = 1;
