use std::time::Duration;

use grove_store::{GuessKind, GuessLimit, Moment, OwnerId, Store};

use crate::campaigns::owner;
use crate::fixture::{Fixture, NOW};

const MINUTE: i64 = 60_000_000;

fn limit(kind: GuessKind, subject: u8, owner: Option<OwnerId>) -> GuessLimit {
    GuessLimit { kind, subject: [subject; 32], owner, most: 10, period: Duration::from_secs(900) }
}

fn later(minutes: i64) -> Moment {
    Moment(NOW.0 + minutes * MINUTE)
}

/// How many of so many guesses are allowed, one after the other.
async fn allowed(store: &Store, limits: &[GuessLimit], guesses: u32, now: Moment) -> u32 {
    let mut allowed = 0;
    for _ in 0..guesses {
        let next = store.next_guess(limits, now).await.unwrap();
        let counted = store.count_guess(limits.to_vec(), now).await.unwrap();
        assert_eq!(next.is_some(), counted.is_some(), "asking and counting agree");
        allowed += u32::from(counted.is_none());
    }
    allowed
}

pub(crate) async fn guesses_are_limited(fixture: &Fixture) {
    let (store, ann) = (&fixture.store, owner(fixture, "ann").await);
    let from = |address| [limit(GuessKind::Address, address, None), limit(GuessKind::Name, 1, Some(ann))];
    assert_eq!(allowed(store, &from(1), 6, NOW).await, 6);
    assert_eq!(allowed(store, &from(2), 20, later(1)).await, 4, "the account's are used up");
    assert_eq!(store.next_guess(&from(3), later(1)).await.unwrap(), Some(later(15)));
    // A refused guess is counted nowhere: the second address has six left for another account.
    let other = [limit(GuessKind::Address, 2, None), limit(GuessKind::Name, 2, None)];
    assert_eq!(allowed(store, &other, 20, later(1)).await, 6);

    // Right guesses are taken back.
    let right = [limit(GuessKind::Device, 1, Some(ann))];
    for _ in 0..30 {
        assert_eq!(allowed(store, &right, 1, NOW).await, 1);
        store.take_back_guess(right.to_vec()).await.unwrap();
    }

    store.unlock(ann).await.unwrap();
    assert_eq!(allowed(store, &from(3), 20, later(2)).await, 10);
    store.set_password(ann, "new", NOW).await.unwrap();
    assert_eq!(allowed(store, &from(4), 20, later(2)).await, 10, "a new password begins anew");
    assert_eq!(allowed(store, &from(5), 1, later(2)).await, 0);
    assert_eq!(allowed(store, &from(5), 20, later(17)).await, 10, "after the period");
}

/// Whoever sets the clock wrong and right again has not locked anybody out.
pub(crate) async fn a_clock_that_jumps_locks_nobody_out(fixture: &Fixture) {
    let device = [limit(GuessKind::Device, 1, None)];
    assert_eq!(allowed(&fixture.store, &device, 20, later(24 * 60)).await, 10);
    assert_eq!(allowed(&fixture.store, &device, 20, NOW).await, 10, "the clock is right again");
    assert_eq!(allowed(&fixture.store, &device, 20, later(1)).await, 0);
}

/// A guess that had to wait is counted after later ones, and does not begin anew.
pub(crate) async fn guesses_are_counted_out_of_order(fixture: &Fixture) {
    let address = [limit(GuessKind::Address, 1, None)];
    assert_eq!(allowed(&fixture.store, &address, 9, later(1)).await, 9);
    assert_eq!(allowed(&fixture.store, &address, 20, NOW).await, 1);
    assert_eq!(allowed(&fixture.store, &address, 20, later(2)).await, 0);
}

/// Failures on a name from before there was an account do not lock the account.
pub(crate) async fn a_new_account_is_not_locked(fixture: &Fixture) {
    let store = &fixture.store;
    assert_eq!(allowed(store, &[limit(GuessKind::Name, 1, None)], 20, NOW).await, 10);
    let ann = owner(fixture, "ann").await;
    assert_eq!(allowed(store, &[limit(GuessKind::Name, 1, Some(ann))], 20, NOW).await, 10);
    store.delete_owner(ann).await.unwrap();
    assert_eq!(allowed(store, &[limit(GuessKind::Name, 1, None)], 20, NOW).await, 10, "they go with it");
}

/// Three servers, and all guesses at the same time.
pub(crate) async fn parallel_guesses_are_no_more(fixture: &Fixture) {
    let ann = owner(fixture, "ann").await;
    let stores = [fixture.store.clone(), fixture.again().await, fixture.again().await];
    let guesses: Vec<_> = (0..120_usize)
        .map(|nth| {
            let store = stores[nth % 3].clone();
            let from = limit(GuessKind::Address, (nth % 40) as u8, None);
            let limits = vec![from, limit(GuessKind::Name, 1, Some(ann))];
            tokio::spawn(async move { store.count_guess(limits, NOW).await.unwrap().is_none() })
        })
        .collect();
    let mut allowed = 0;
    for guess in guesses {
        allowed += u32::from(guess.await.unwrap());
    }
    assert_eq!(allowed, 10);
}

pub(crate) async fn old_guesses_are_forgotten(fixture: &Fixture) {
    let (old, new) = (limit(GuessKind::Address, 1, None), limit(GuessKind::Address, 2, None));
    allowed(&fixture.store, &[old], 1, NOW).await;
    allowed(&fixture.store, &[new], 1, later(10)).await;
    assert_eq!(fixture.count("SELECT count(*) FROM login_failures").await, 2);
    fixture.store.forget_old_guesses(later(15)).await.unwrap();
    assert_eq!(fixture.count("SELECT count(*) FROM login_failures").await, 1);
}
