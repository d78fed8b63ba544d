//! A timer for the event loop with microsecond precision. epoll_wait(2) itself counts whole milliseconds.

use crate::clock::NS_PER_S;
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::time::{
    timerfd_create, timerfd_settime, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec,
};
use std::io;

pub struct Timer {
    descriptor: OwnedFd,
    armed_ns: u64,
}

impl Timer {
    /// Errors: the system has no descriptor left.
    pub fn new(registry: &Registry, token: Token) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let descriptor = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        registry.register(&mut SourceFd(&descriptor.as_raw_fd()), token, Interest::READABLE)?;
        Ok(Self { descriptor, armed_ns: 0 })
    }

    /// Wakes the loop at a time of CLOCK_MONOTONIC. The timer is edge-triggered and need not be read: setting it again
    /// re-arms it.
    pub fn wake_at(&mut self, time_ns: u64) -> io::Result<()> {
        if time_ns == self.armed_ns {
            return Ok(());
        }
        let it_value = Timespec { tv_sec: (time_ns / NS_PER_S) as i64, tv_nsec: (time_ns % NS_PER_S) as i64 };
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        timerfd_settime(&self.descriptor, TimerfdTimerFlags::ABSTIME, &Itimerspec { it_interval: never, it_value })?;
        self.armed_ns = time_ns;
        Ok(())
    }
}
