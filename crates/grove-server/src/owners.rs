use grove_store::{Moment, Owner, OwnerId, Store};
use uuid::Uuid;

use crate::{Error, hash_password};

/// Makes an owner, as `grove user add` does. The first one gets all campaigns that were made when there was none.
///
/// # Errors
/// [`Error::BadPassword`]; [`grove_store::Error::NameTaken`], [`grove_store::Error::BadName`], and whatever else the store says.
pub async fn add_owner(store: &Store, name: &str, password: &str, now: Moment) -> Result<OwnerId, Error> {
    let password_hash = hash_password(password).map_err(Error::BadPassword)?;
    let is_first = store.owners().await?.is_empty();
    let owner = Owner { id: OwnerId(Uuid::now_v7()), name: name.to_owned(), password_hash, created: now };
    let id = owner.id;
    store.add_owner(owner).await?;
    if is_first {
        adopt(store, id).await?;
    }
    Ok(id)
}

/// Gives an owner all campaigns that nobody has.
pub(crate) async fn adopt(store: &Store, owner: OwnerId) -> Result<(), grove_store::Error> {
    for campaign in store.campaigns().await?.into_iter().filter(|campaign| campaign.owner.is_none()) {
        store.give_campaign(campaign.id, owner).await?;
    }
    Ok(())
}
