//! Connections: how many there may be, and how long a client may take. A connection that waits for its client costs a file handle and some
//! memory, so clients that open many of them and send little or nothing are disconnected.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt as _;

use crate::app::App;
use crate::middleware::{ClientAddress, ConcurrencyLimits, Permit};
use crate::repeated::Repeated;

/// The most connections, where the system allows as many open files.
const MOST: usize = 10_000;
/// Open files for everything but connections: the database above all.
const RESERVED: usize = 256;
/// How long a client may take to send the header of a request, or may leave a connection unused.
const HEADER: Duration = Duration::from_secs(20);
/// The same while more than half of all connections are taken.
const HURRIED_HEADER: Duration = Duration::from_secs(3);
/// The same for a proxy, which keeps connections for the next client.
const PROXY_HEADER: Duration = Duration::from_secs(120);
/// How long a client may take none of the bytes that are sent to it.
const WRITE: Duration = Duration::from_secs(30);
/// The most bytes of a request's header.
const MAX_HEADER: usize = 64 * 1024;
/// How long to wait after an error that concerns all connections, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

static REFUSED: Repeated = Repeated::new();

/// The places for connections.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    total: usize,
    by_address: Arc<ConcurrencyLimits<ClientAddress>>,
    /// How long a client may take to send a header: usually, and while more than half of all connections are taken.
    headers: [Duration; 2],
}

/// A connection's place.
struct Place {
    _one: OwnedSemaphorePermit,
    _of_address: Option<Permit<ClientAddress>>,
    /// How long its client may take to send a header.
    header: Duration,
}

impl Places {
    /// As many as the system allows.
    pub(crate) fn new(per_address: u32) -> Self {
        let total = MOST.min(open_files().saturating_sub(RESERVED).max(64));
        Self::with(total, per_address, [HEADER, HURRIED_HEADER])
    }

    fn with(total: usize, per_address: u32, headers: [Duration; 2]) -> Self {
        let (all, by_address) = (Arc::new(Semaphore::new(total)), ConcurrencyLimits::new(per_address));
        Self { all, total, by_address, headers }
    }

    /// A place for a connection, unless all are taken or the address has too many. A trusted proxy has the connections of all clients.
    fn take(&self, address: IpAddr, is_proxy: bool) -> Option<Place> {
        let of_address = match is_proxy {
            true => None,
            false => Some(self.by_address.acquire(ClientAddress::of(address))?),
        };
        let one = self.all.clone().try_acquire_owned().ok()?;
        let header = match is_proxy {
            true => PROXY_HEADER,
            false => self.headers[usize::from(self.all.available_permits() < self.total / 2)],
        };
        Some(Place { _one: one, _of_address: of_address, header })
    }
}

/// Raises the soft limit of open files to the hard limit, and returns it.
#[cfg(unix)]
fn open_files() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(u64::MAX).min((MOST + RESERVED) as u64);
    let current = current.unwrap_or(u64::MAX);
    if current >= wanted {
        return current as usize;
    }
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    if raised.is_ok() { wanted as usize } else { current as usize }
}

#[cfg(not(unix))]
fn open_files() -> usize {
    MOST + RESERVED
}

/// Answers requests until `shutdown` is ready. Returns a future that lets the requests that are under way finish.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    app: App,
    places: Places,
    shutdown: impl Future<Output = ()>,
) -> impl Future<Output = ()> {
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut shutdown => break,
        };
        let is_proxy = app.trusted_proxies.contains(peer.ip());
        let Some(place) = places.take(peer.ip(), is_proxy) else {
            // Closed without a response, which would have to wait for the client.
            app.metrics.count_refused_connection();
            continue;
        };
        let connection = connection(stream, peer, router.clone(), place.header);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            // Clients may disconnect at any time.
            let _ = connection.await;
        });
    }
    graceful.shutdown()
}

/// A connection on which writing may take only so long.
type TimedStream = TokioIo<Pin<Box<TimeoutStream<TcpStream>>>>;

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    header: Duration,
) -> http1::Connection<
    TimedStream,
    impl hyper::service::Service<
        hyper::Request<Incoming>,
        Response = hyper::Response<Body>,
        Error = std::convert::Infallible,
        Future: Send,
    > + Send,
> {
    // Small answers are sent at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE));
    let answer = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header)
        .max_buf_size(MAX_HEADER)
        .serve_connection(TokioIo::new(Box::pin(stream)), answer)
}

/// Waits for a connection, whatever happens to others.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The client has given up already.
            Err(error) if is_of_client(&error) => {}
            Err(error) => {
                if let Some(times) = REFUSED.count() {
                    tracing::error!(%error, times, "no connection can be accepted");
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpSocket;

    use super::*;
    use crate::tests::Site;

    const QUICK: Duration = Duration::from_millis(300);

    /// A server with so many places.
    async fn start(total: usize, per_address: u32) -> (Site, SocketAddr) {
        let site = Site::new().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router =
            Router::new().route("/", get(|| async { "hello" })).route("/", post(|_: String| async {}));
        let places = Places::with(total, per_address, [QUICK, QUICK / 3]);
        let app = site.app.clone();
        tokio::spawn(async move { serve(listener, router, app, places, std::future::pending()).await.await });
        (site, address)
    }

    /// A connection from an address of this machine.
    async fn connect(from: &str, to: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
        socket.connect(to).await.unwrap()
    }

    /// All that comes until the server closes the connection.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    }

    async fn is_served(from: &str, to: SocketAddr) -> bool {
        let mut stream = connect(from, to).await;
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
        rest(&mut stream).await.ends_with("hello")
    }

    #[tokio::test]
    async fn half_sent_headers_are_cut_off() {
        let (_site, address) = start(100, 100).await;
        let mut slow = connect("127.0.0.1", address).await;
        slow.write_all(b"GET / HTTP/1.1\r\nhost").await.unwrap();
        let mut silent = connect("127.0.0.1", address).await;
        let began = Instant::now();
        for stream in [&mut slow, &mut silent] {
            assert!(!rest(stream).await.contains("200"));
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn one_address_cannot_take_all_places() {
        let (_site, address) = start(20, 5).await;
        let mut held = Vec::new();
        for _ in 0..15 {
            held.push(connect("127.0.0.1", address).await);
        }
        assert!(!is_served("127.0.0.1", address).await, "it has five");
        assert!(is_served("127.0.0.2", address).await, "and others are served");
    }

    /// Where many addresses take all places, they are soon free again.
    #[tokio::test]
    async fn all_places_are_taken_for_a_moment_only() {
        let (_site, address) = start(8, 4).await;
        let mut held = Vec::new();
        for from in ["127.0.0.1", "127.0.0.2"] {
            for _ in 0..4 {
                held.push(connect(from, address).await);
            }
        }
        assert!(!is_served("127.0.0.3", address).await);
        tokio::time::sleep(QUICK * 2).await;
        assert!(is_served("127.0.0.3", address).await);
    }

    #[tokio::test]
    async fn places_are_returned() {
        let (_site, address) = start(4, 4).await;
        for _ in 0..40 {
            assert!(is_served("127.0.0.1", address).await);
        }
    }
}
