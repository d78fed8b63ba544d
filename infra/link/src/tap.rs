//! A TAP device: a network device for programs that read and write frames (the kernel's
//! Documentation/networking/tuntap.rst).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

const DEVICE: &[u8] = b"eth0";

pub struct Tap(File);

impl Tap {
    /// Makes eth0 in this thread's network namespace; the device disappears with the process.
    pub fn make() -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
        // SAFETY: all zeroes is a valid request
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(DEVICE) {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: the descriptor is open, and the kernel reads and writes no more than the request
        match unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &mut request) } {
            0 => Ok(Self(file)),
            _ => Err(io::Error::last_os_error()),
        }
    }

    pub fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// The next frame sent by the kernel, if there is one.
    pub fn read<'a>(&mut self, room: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        match self.0.read(room) {
            Ok(length) => Ok(Some(&room[..length])),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Passes a frame to the kernel. A device that is down drops it, like an unplugged cable.
    pub fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        match self.0.write(frame) {
            Err(error) if error.raw_os_error() == Some(libc::EIO) => Ok(()),
            result => result.map(drop),
        }
    }
}
