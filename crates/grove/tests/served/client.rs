//! One connection to a server, kept open.

use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Whatever a connection may say when a server dies.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Headers that say who asks.
pub(crate) type Who = Vec<(&'static str, String)>;

pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    who: Who,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr, who: Who) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Ends with the connection.
        tokio::spawn(connection);
        Ok(Self { sender, host: address.to_string(), who })
    }

    /// Somebody else asks from now on.
    pub(crate) fn is_now(&mut self, who: Who) {
        self.who = who;
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<(u16, Value), Failure> {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&mut self, path: &str, body: Option<&Value>) -> Result<(u16, Value), Failure> {
        self.send(Method::POST, path, body).await
    }

    /// What the server says: its status, and the object in its body, or null for other texts.
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), Failure> {
        let mut request = Request::builder().method(method).uri(path).header("host", &self.host);
        for (name, value) in &self.who {
            request = request.header(*name, value);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let bytes = body.map(serde_json::to_vec).transpose()?.unwrap_or_default();
        self.sender.ready().await?;
        let response = self.sender.send_request(request.body(Full::from(bytes))?).await?;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await?.to_bytes();
        Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }
}
