//! A network between a server and its database that can be broken.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What happens to the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weather {
    /// They are passed on.
    Fair,
    /// They are passed on after a while.
    Slow(Duration),
    /// They vanish, and no end of a connection is passed on either: as when a cable is pulled, or a firewall forgets.
    Silent,
    /// Connections are closed, and new ones too.
    Cut,
}

/// How it is now, and how many connections were made before the last storm, which never get well again.
#[derive(Clone, Copy, Debug)]
struct State {
    weather: Weather,
    target: SocketAddr,
    storm: u64,
}

/// A proxy on a port of its own.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    state: Arc<watch::Sender<State>>,
}

impl Proxy {
    pub(crate) async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let state = Arc::new(watch::Sender::new(State { weather: Weather::Fair, target, storm: 0 }));
        let accepting = state.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, accepting.clone()));
            }
        });
        Self { address, state }
    }

    pub(crate) fn set(&self, weather: Weather) {
        self.state.send_modify(|state| state.weather = weather);
    }

    /// All connections of now fall silent for good, without a word to either side; new ones are well.
    pub(crate) fn forget_connections(&self) {
        self.state.send_modify(|state| state.storm += 1);
    }

    /// New connections lead to another database.
    pub(crate) fn lead_to(&self, target: SocketAddr) {
        self.state.send_modify(|state| state.target = target);
    }
}

async fn carry(client: TcpStream, state: Arc<watch::Sender<State>>) {
    let State { weather, target, storm } = *state.borrow();
    if weather == Weather::Cut {
        return;
    }
    let Ok(server) = TcpStream::connect(target).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let (there, back) = (state.subscribe(), state.subscribe());
    let there = tokio::spawn(pass_on(from_client, to_server, there, storm));
    let back = tokio::spawn(pass_on(from_server, to_client, back, storm));
    let _ = tokio::join!(there, back);
}

async fn pass_on(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<State>,
    storm: u64,
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read.unwrap_or(0),
            _ = state.wait_for(|now| now.weather == Weather::Cut) => return,
        };
        let State { weather, storm: now, .. } = *state.borrow();
        if now != storm || weather == Weather::Silent {
            // Neither the bytes nor the end of the connection get through, ever.
            let _ = state.wait_for(|now| now.weather == Weather::Cut).await;
            return;
        }
        if let Weather::Slow(pause) = weather {
            tokio::time::sleep(pause).await;
        }
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
