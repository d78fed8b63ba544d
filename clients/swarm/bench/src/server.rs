//! The minimal echo server: one thread, one event loop. It ends when its standard input closes, so that it never
//! outlives its parent.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use mio::event::Event;
use mio::net::{TcpListener, TcpStream};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Registry, Token};
use slab::Slab;
use socket2::{Domain, Protocol, Socket, Type};

use crate::carrier::Carrier;
use crate::connection::{Connection, Conversation, Shared};

/// The kernel limits it to net.core.somaxconn.
const BACKLOG: i32 = i32::MAX;
const EVENTS: usize = 1024;

const STDIN: Token = Token(usize::MAX - 1);
const LISTENER: Token = Token(usize::MAX - 2);

/// Totals of a server.
#[derive(Debug)]
pub struct Done {
    /// Connections accepted.
    pub connections: u64,
    /// Bytes of application payload echoed.
    pub payload_b: u64,
}

/// Listen on `address`; port 0 lets the kernel choose.
///
/// # Errors
/// Those of the operating system: the address is in use, or is not one of this host's.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?; // connections of the last run may be in TIME-WAIT
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(TcpListener::from_std(socket.into()))
}

/// Echo on connections to `listener` until standard input closes. `carry` turns a socket into the transport.
///
/// # Errors
/// Those of epoll and of accepting, such as too many open files.
pub fn serve<C: Conversation, S: Carrier>(
    listener: TcpListener,
    carry: impl Fn(TcpStream) -> io::Result<S>,
) -> io::Result<Done> {
    let mut poll = Poll::new()?;
    let mut server = Server::<C, S>::new(listener, poll.registry().try_clone()?)?;
    let mut events = Events::with_capacity(EVENTS);
    loop {
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            polled => polled?,
        }
        for event in &events {
            match event.token() {
                STDIN if event.is_read_closed() => return Ok(server.done()),
                STDIN => {}
                LISTENER => server.accept(&carry)?,
                _ => server.exchange(event),
            }
        }
    }
}

struct Server<C, S> {
    listener: TcpListener,
    registry: Registry,
    connections: Slab<Connection<C, S>>,
    shared: Shared,
    accepted: u64,
}

impl<C: Conversation, S: Carrier> Server<C, S> {
    fn new(mut listener: TcpListener, registry: Registry) -> io::Result<Self> {
        registry.register(&mut listener, LISTENER, Interest::READABLE)?;
        watch_stdin(&registry)?;
        Ok(Server { listener, registry, connections: Slab::new(), shared: Shared::default(), accepted: 0 })
    }

    fn accept(&mut self, carry: impl Fn(TcpStream) -> io::Result<S>) -> io::Result<()> {
        loop {
            let mut socket = match self.listener.accept() {
                Ok((socket, _)) => socket,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if gave_up(&error) => continue,
                Err(error) => return Err(error),
            };
            socket.set_nodelay(true)?;
            let place = self.connections.vacant_entry();
            self.registry.register(&mut socket, Token(place.key()), Interest::READABLE | Interest::WRITABLE)?;
            place.insert(Connection::new(carry(socket)?));
            self.accepted += 1;
        }
    }

    fn exchange(&mut self, event: &Event) {
        let Token(key) = event.token();
        let Some(connection) = self.connections.get_mut(key) else { return };
        // An error means that the peer is gone. An echo server treats it like a close.
        if !connection.exchange(&mut self.shared, event.is_read_closed()).unwrap_or(false) {
            self.connections.remove(key);
        }
    }

    fn done(&self) -> Done {
        Done { connections: self.accepted, payload_b: self.shared.payload_b }
    }
}

/// Whether to accept again: the peer left before, or a signal came (accept(2), "Error handling").
fn gave_up(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted)
}

/// Files and /dev/null cannot be polled (epoll_ctl(2), EPERM) and never close. With these only a signal ends us.
fn watch_stdin(registry: &Registry) -> io::Result<()> {
    match registry.register(&mut SourceFd(&0), STDIN, Interest::READABLE) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        registered => registered,
    }
}
