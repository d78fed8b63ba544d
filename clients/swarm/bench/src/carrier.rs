//! The transport of a connection: plain TCP, or TLS by rustls, the library that swarm uses.

use mio::net::TcpStream;
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

/// A stream under edge-triggered epoll.
pub trait Carrier: Read + Write {
    /// Does a short read mean that the socket is drained? Over TLS it only means the end of a record.
    const SHORT_READ_DRAINS: bool;

    fn socket(&mut self) -> &mut TcpStream;
}

impl Carrier for TcpStream {
    const SHORT_READ_DRAINS: bool = true;

    fn socket(&mut self) -> &mut TcpStream {
        self
    }
}

pub type SecuredServer = StreamOwned<ServerConnection, TcpStream>;
pub type SecuredClient = StreamOwned<ClientConnection, TcpStream>;

impl Carrier for SecuredServer {
    const SHORT_READ_DRAINS: bool = false;

    fn socket(&mut self) -> &mut TcpStream {
        &mut self.sock
    }
}

impl Carrier for SecuredClient {
    const SHORT_READ_DRAINS: bool = false;

    fn socket(&mut self) -> &mut TcpStream {
        &mut self.sock
    }
}

/// Makes a certificate for an address, and writes it to a file for clients.
pub fn serve_with(address: IpAddr, file: &Path) -> Result<Arc<ServerConfig>, Box<dyn Error>> {
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(vec![address.to_string()])?.self_signed(&key)?;
    std::fs::write(file, certificate.pem())?;
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    Ok(Arc::new(builder.with_single_cert(vec![certificate.der().clone()], key)?))
}

/// Trusts the certificate that a server wrote.
pub fn trust(file: &Path) -> Result<Arc<ClientConfig>, Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file)?)?;
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    Ok(Arc::new(builder.with_safe_default_protocol_versions()?.with_root_certificates(roots).with_no_client_auth()))
}

/// Puts TLS on an accepted socket.
///
/// # Errors
/// Those of rustls.
pub fn accept(socket: TcpStream, config: &Arc<ServerConfig>) -> io::Result<SecuredServer> {
    let mut session = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
    session.set_buffer_limit(None);
    Ok(StreamOwned::new(session, socket))
}

/// Makes the TLS handshake on a blocking socket.
///
/// # Errors
/// Those of rustls and of the socket.
pub fn call(mut socket: std::net::TcpStream, config: &Arc<ClientConfig>) -> io::Result<SecuredClient> {
    let name = ServerName::from(socket.peer_addr()?.ip());
    let mut session = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
    session.set_buffer_limit(None);
    while session.is_handshaking() {
        session.complete_io(&mut socket)?;
    }
    socket.set_nonblocking(true)?;
    Ok(StreamOwned::new(session, TcpStream::from_std(socket)))
}
