//! Wrong passwords, and whom they stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::http::StatusCode;
use grove_campaign::{Clock, SystemClock};
use grove_store::Moment;

use super::{Site, TestRequest, form, get};
use crate::config::Config;

const RIGHT: &str = "name=ann&password=a+long+password";

fn wrong(name: &str) -> TestRequest {
    form("/login", &format!("name={name}&password=not+this+one"))
}

#[tokio::test]
async fn login_attempts_are_limited() {
    let site = Site::new().await;
    site.owner("ann").await;
    for _ in 0..10 {
        assert_eq!(site.send(wrong("ann")).await.status, StatusCode::FORBIDDEN);
    }
    // Claiming another address does not help.
    let response = site.send(wrong("ann").with("x-forwarded-for", "10.1.2.3")).await;
    assert_eq!(response.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(response.header("retry-after").parse::<u32>().unwrap() > 0);
    assert!(response.text.contains("Too many failed logins"), "{}", response.text);
}

/// An address has ten failures, at whatever names.
#[tokio::test]
async fn an_address_cannot_try_many_names() {
    let site = Site::new().await;
    site.owner("ann").await;
    for nth in 0..10 {
        assert_eq!(site.send(wrong(&format!("name{nth}"))).await.status, StatusCode::FORBIDDEN);
    }
    for request in [wrong("another"), form("/login", RIGHT)] {
        assert_eq!(site.send(request).await.status, StatusCode::TOO_MANY_REQUESTS);
    }
    let elsewhere = form("/login", RIGHT).from("192.0.2.1");
    assert_eq!(site.send(elsewhere).await.status, StatusCode::SEE_OTHER);
}

/// Strangers who guess lock each other out, and not the owner on a device of their own.
#[tokio::test]
async fn guesses_from_everywhere_do_not_lock_the_owner_out() {
    let site = Site::new().await;
    let ann = site.owner("ann").await;
    let browser = site.send(form("/login", RIGHT)).await.cookie();
    assert!(browser.contains("grove_device="), "{browser}");
    let mut failed = 0;
    for nth in 0..30 {
        let status = site.send(wrong("ann").from(&format!("198.51.100.{nth}"))).await.status;
        failed += u32::from(status == StatusCode::FORBIDDEN);
    }
    assert_eq!(failed, 10, "ten guesses at one account, from however many addresses");
    let stranger = form("/login", RIGHT).from("192.0.2.1");
    assert_eq!(site.send(stranger).await.status, StatusCode::TOO_MANY_REQUESTS);
    let made_up = form("/login", RIGHT)
        .from("192.0.2.1")
        .cookie("grove_device=0123456789012345678901234567890123456789");
    assert_eq!(site.send(made_up).await.status, StatusCode::TOO_MANY_REQUESTS);
    // From an address that has no guesses left, too: a house may share one.
    let own = || form("/login", RIGHT).from("198.51.100.1").cookie(&browser);
    let welcome = site.send(own()).await;
    assert_eq!(welcome.status, StatusCode::SEE_OTHER);
    assert!(!welcome.cookie().contains("grove_device="), "it is known already");
    // The device has ten of its own.
    let mut failed = 0;
    for _ in 0..20 {
        let status = site.send(wrong("ann").cookie(&browser)).await.status;
        failed += u32::from(status == StatusCode::FORBIDDEN);
    }
    assert_eq!(failed, 10);
    assert_eq!(site.send(own()).await.status, StatusCode::TOO_MANY_REQUESTS);
    site.store().unlock(ann).await.unwrap();
    assert_eq!(site.send(own()).await.status, StatusCode::SEE_OTHER);
    let elsewhere = form("/login", RIGHT).from("192.0.2.2");
    assert_eq!(site.send(elsewhere).await.status, StatusCode::SEE_OTHER);
}

/// The cookie of one owner's device is worth nothing for another's account.
#[tokio::test]
async fn a_device_is_known_for_its_owner_only() {
    let site = Site::new().await;
    site.owner("ann").await;
    site.owner("eve").await;
    let eves = site.send(form("/login", "name=eve&password=a+long+password")).await.cookie();
    for nth in 0..10 {
        site.send(wrong("ann").from(&format!("198.51.100.{nth}"))).await;
    }
    let guess = wrong("ann").from("192.0.2.1").cookie(&eves);
    assert_eq!(site.send(guess).await.status, StatusCode::TOO_MANY_REQUESTS);
}

/// A hundred thousand made-up names were once enough to clear the memory of failures.
#[tokio::test]
async fn made_up_names_clear_nothing() {
    let site = Site::new().await;
    site.owner("ann").await;
    for _ in 0..10 {
        site.send(wrong("ann")).await;
    }
    for nth in 0..200 {
        let status = site.send(wrong(&format!("name{nth}"))).await.status;
        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(site.send(wrong("ann")).await.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_at_the_same_time_are_no_more() {
    let site = Arc::new(Site::new().await);
    site.owner("ann").await;
    let guesses: Vec<_> = (0..60)
        .map(|_| {
            let site = site.clone();
            tokio::spawn(async move { site.send(wrong("ann")).await.status })
        })
        .collect();
    let mut failed = 0;
    for guess in guesses {
        failed += u32::from(guess.await.unwrap() == StatusCode::FORBIDDEN);
    }
    assert!(failed <= 10, "{failed}");
}

#[tokio::test]
async fn a_trusted_proxy_tells_clients_apart() {
    let trusted_proxies = vec![Config::parse_proxy("10.0.0.1").unwrap()];
    let site = Site::with(Config { trusted_proxies, ..Config::default() }, Arc::new(SystemClock)).await;
    let through = |client: &str| wrong("ann").from("10.0.0.1").with("x-forwarded-for", client);
    for nth in 0..10 {
        // What the client puts in front of it makes no difference.
        let status = site.send(through(&format!("192.0.2.{nth}, 198.51.100.7"))).await.status;
        assert_eq!(status, StatusCode::FORBIDDEN);
    }
    assert_eq!(site.send(through("198.51.100.7")).await.status, StatusCode::TOO_MANY_REQUESTS);
    let other = form("/login", "name=bob&password=wrong+password").from("10.0.0.1");
    let other = other.with("x-forwarded-for", "198.51.100.8");
    assert_eq!(site.send(other).await.status, StatusCode::FORBIDDEN);
}

/// A clock that is some hours off.
#[derive(Default, Debug)]
struct Jumping(AtomicI64);

impl Clock for Jumping {
    fn now(&self) -> Moment {
        Moment(SystemClock.now().0 + self.0.load(Ordering::Relaxed) * 3_600_000_000)
    }
}

/// After a jump of a day and back nobody waits for a day.
#[tokio::test]
async fn a_clock_that_jumps_locks_nobody_out() {
    let clock = Arc::new(Jumping::default());
    let site = Site::with(Config::default(), clock.clone()).await;
    site.owner("ann").await;
    clock.0.store(48, Ordering::Relaxed);
    for _ in 0..11 {
        site.send(wrong("ann")).await;
    }
    clock.0.store(0, Ordering::Relaxed);
    assert_eq!(site.send(form("/login", RIGHT)).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn impossible_names_are_malformed() {
    let site = Site::new().await;
    for name in ["a%00b", "", "a%0Ab", &"x".repeat(300)] {
        assert_eq!(site.send(wrong(name)).await.status, StatusCode::BAD_REQUEST, "{name}");
    }
    let long = format!("name=ann&password={}", "x".repeat(20_000));
    assert_eq!(site.send(form("/login", &long)).await.status, StatusCode::PAYLOAD_TOO_LARGE);
}

/// A hundred requests with a token each have no limit of their own: the address has.
#[tokio::test]
async fn made_up_credentials_have_no_limits_of_their_own() {
    let config = Config { requests_per_address: 3, ..Config::default() };
    let site = Site::with(config, Arc::new(SystemClock)).await;
    let held: Vec<_> = (0..3)
        .map(|_| site.app.concurrency.acquire(crate::middleware::ClientAddress(super::NEAR)).unwrap())
        .collect();
    for nth in 0..5 {
        let request =
            get("/login").bearer(&format!("made up {nth}")).with("grove-worker", format!("worker {nth}"));
        assert_eq!(site.send(request).await.status, StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(site.send(get("/login").from("192.0.2.1")).await.status, StatusCode::OK);
    drop(held);
    assert_eq!(site.send(get("/login")).await.status, StatusCode::OK);
}
