//! Non-blocking sockets, connected from as many local addresses as a load needs.

use crate::config::address::Address;
use crate::load::Load;
use rustix::net::{RecvFlags, SendFlags};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;

/// Most connections from one address to one port of a server. Linux's default ip_local_port_range has 28,232 ports.
/// connect(2) tries the 14,116 even ones first. Once they are taken, each call searches all of them before it finds an
/// odd one, and costs fifty times as much. Recently closed connections occupy ports too.
const PORTS: u32 = 10_000;

/// The local address for a connection to `server`; `None`: the kernel chooses.
/// On loopback, a load with more than `PORTS` connections spreads over 127.0.0.1, 127.0.0.2, and so on.
pub fn local_address(load: &Load, connection: u32, server: &Address) -> Option<IpAddr> {
    let Address::Ip(server) = server else { return None };
    let given = &load.config.local_addresses;
    if !given.is_empty() {
        return Some(given[connection as usize % given.len()]);
    }
    let addresses = load.config.connections.div_ceil(PORTS);
    let is_loopback = server.is_ipv4() && server.ip().is_loopback();
    (addresses > 1 && is_loopback).then(|| IpAddr::V4(Ipv4Addr::from(0x7f00_0001 + connection % addresses)))
}

/// Begins to connect. `recv_buffer_b`: the kernel's receive buffer; `None`: the kernel chooses.
/// Errors: those that the system returns at once.
pub fn connect(address: &Address, local: Option<IpAddr>, recv_buffer_b: Option<usize>) -> io::Result<Socket> {
    let (domain, protocol, to) = match address {
        Address::Ip(address) => (Domain::for_address(*address), Some(Protocol::TCP), SockAddr::from(*address)),
        Address::Unix(path) => (Domain::UNIX, None, SockAddr::unix(path)?),
    };
    let socket = Socket::new(domain, Type::STREAM.nonblocking().cloexec(), protocol)?;
    if let Some(recv_buffer_b) = recv_buffer_b {
        socket.set_recv_buffer_size(recv_buffer_b)?; // before connect, because the SYN carries the window scale
    }
    if let Some(local) = local {
        choose_port_late(&socket)?;
        socket.bind(&SocketAddr::new(local, 0).into())?;
    }
    match socket.connect(&to) {
        Err(error) if error.raw_os_error() != Some(rustix::io::Errno::INPROGRESS.raw_os_error()) => Err(error),
        _ => Ok(socket),
    }
}

/// Reads what is available, by the bare system call: the C library's is a cancellation point, and costs more in a
/// process with threads.
#[inline]
pub fn receive(stream: &Socket, buffer: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::net::recv(stream, buffer, RecvFlags::empty())?.0)
}

/// Writes as much as the socket takes.
#[inline]
pub fn send(stream: &Socket, bytes: &[u8]) -> io::Result<usize> {
    Ok(rustix::net::send(stream, bytes, SendFlags::NOSIGNAL)?)
}

/// IP_BIND_ADDRESS_NO_PORT, ip(7): the port is chosen at connect. The other end is then known, so sockets of one
/// address can share a port.
fn choose_port_late(socket: &Socket) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the value is an int that outlives the call, and its size is correct
    let set = unsafe {
        let size = size_of_val(&on) as libc::socklen_t;
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size,
        )
    };
    if set == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
