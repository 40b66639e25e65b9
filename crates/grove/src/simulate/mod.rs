pub(crate) fn run(_: &crate::args::Simulate, _: bool) -> anyhow::Result<()> {
    Ok(())
}
