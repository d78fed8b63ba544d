//! The transport of a connection: plain TCP, or TLS with a self-signed certificate.

use mio::net::TcpStream;
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::error::Error;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

pub enum Wire {
    Plain(TcpStream),
    Secured(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Wire {
    pub fn new(stream: TcpStream, tls: Option<&Arc<ServerConfig>>) -> io::Result<Self> {
        let Some(config) = tls else { return Ok(Self::Plain(stream)) };
        let mut session = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
        session.set_buffer_limit(None); // tungstenite's own has none either
        Ok(Self::Secured(Box::new(StreamOwned::new(session, stream))))
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Secured(stream) => stream.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Secured(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Secured(stream) => stream.flush(),
        }
    }
}

/// Makes a certificate for a loopback address, and writes it to a file for clients.
pub fn secure(address: std::net::IpAddr, file: &Path) -> Result<Arc<ServerConfig>, Box<dyn Error>> {
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(vec![address.to_string()])?.self_signed(&key)?;
    std::fs::write(file, certificate.pem())?;
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    Ok(Arc::new(builder.with_single_cert(vec![certificate.der().clone()], key)?))
}
