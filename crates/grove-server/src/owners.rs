use std::sync::Arc;

use grove_campaign::SystemClock;
use grove_campaign::operations::{Caller, Workspace};
use grove_store::{OwnerId, Store};

use crate::{Error, hash_password};

/// Creates an owner, as `grove user add` does. The first owner gets all campaigns that were created before there was one.
///
/// # Errors
/// [`Error::BadPassword`]; [`grove_store::Error::NameTaken`], [`grove_store::Error::BadName`], and other errors of the store.
pub async fn add_owner(store: &Store, name: &str, password: &str) -> Result<OwnerId, Error> {
    let password_hash = hash_password(password).map_err(Error::BadPassword)?;
    let workspace = Workspace::new(store.clone(), Arc::new(SystemClock));
    Ok(workspace.create_account(&Caller::local(), name, password_hash).await?)
}
