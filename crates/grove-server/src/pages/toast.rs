//! What was just done, with a way to undo it.

use grove_store::Position;

use super::campaign::Reader;
use super::words::edit_in_words;
use crate::http_error::Result;

/// A message that appears after an edit.
pub(super) struct Toast {
    pub(super) text: String,
    /// The path that undoes it, if it can be undone.
    pub(super) undo: Option<String>,
}

impl Toast {
    /// The message for the edit at a position of the log; none if there is none.
    pub(super) async fn of(reader: &Reader<'_>, position: Position) -> Result<Option<Self>> {
        let links = reader.access.link_names().await?;
        let state = reader.access.state()?;
        let Some(edit) = state.past_edit(position) else { return Ok(None) };
        let undo = reader.may_undo(&state, edit).then(|| format!("{}/history/{position}/undo", reader.path));
        Ok(Some(Self { text: format!("{}.", edit_in_words(&state, &links, &edit.what)), undo }))
    }
}
