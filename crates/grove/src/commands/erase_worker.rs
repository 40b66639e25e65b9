//! `grove erase-worker`.

use grove_campaign::Error;
use grove_store::WorkerId;

use crate::context::Context;
use crate::error::bad_input;

/// Replace a worker with an anonymous name, everywhere and permanently. The hierarchy stays as it is.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove erase-worker food ann

Backups made before keep the name.")]
pub(crate) struct EraseWorker {
    /// The campaign.
    name: String,
    /// The worker.
    worker: String,
}

impl EraseWorker {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let worker = WorkerId::new(self.worker.as_str())?;
        let campaign = context.open(&self.name).await?;
        let stand_in = campaign.erase_worker(&worker).await.map_err(|error| match error {
            Error::Store(grove_store::Error::Unknown("worker")) => {
                bad_input(format!("{:?} never answered in {}; correct the name", self.worker, self.name))
            }
            other => other.into(),
        })?;
        context.remark(&format!("erased; the votes now belong to {stand_in}"))
    }
}
