//! When to end: on SIGTERM or SIGINT, and when standard input closes, which the parent holds open as long as it lives.

use mio::Waker;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;

/// Starts to watch. Sets the flag and wakes the loop when it is time to end.
pub fn watch(waker: Waker) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let raise = {
        let (stop, waker) = (stop.clone(), Arc::new(waker));
        move || {
            stop.store(true, Ordering::Release);
            waker
                .wake()
                .unwrap_or_else(|error| eprintln!("error: truth-server: could not wake the loop: {error}; kill it"));
        }
    };
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let raise_too = raise.clone();
    thread::spawn(move || signals.forever().for_each(|_| raise_too()));
    thread::spawn(move || {
        // An error counts as closed.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        raise();
    });
    Ok(stop)
}
