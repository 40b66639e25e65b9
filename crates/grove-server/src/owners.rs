use std::sync::Arc;

use grove_campaign::SystemClock;
use grove_campaign::operations::{Access, Caller, NewLink, Workspace};
use grove_store::{CredentialId, OwnerId, Store};

use crate::auth::Secret;
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

/// Makes an invitation link, as `grove invite` does. Returns its id, and the path of the worker page with the secret, which is not stored.
///
/// # Errors
/// As [`Access::invite_with`].
pub async fn invite(campaign: &Access, link: NewLink) -> Result<(CredentialId, String), Error> {
    let secret = Secret::new()?;
    let id = campaign.invite_with(link, secret.hash()).await?;
    Ok((id, format!("/w/{}", secret.as_str())))
}
