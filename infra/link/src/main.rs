//! link: a link with a given rate and delay between two network namespaces. It ends with its parent.
//!
//!     wscale-link PID RTT_US RATE_MBIT
//!
//! Makes a TAP device eth0 in its own network namespace and one in that of process PID, prints `made`, and forwards frames
//! between them. Before SIGUSR1 it forwards at once, so that the warm-up runs on a fast link. After SIGUSR1 each frame takes
//! its time on a link of RATE_MBIT (in each direction; 0: no limit), plus half of RTT_US.
//!
//! After SIGUSR1 it polls for frames in a busy loop and so uses a whole core: a sleeping program would wake up too late, by
//! more than the configured delays. It sleeps only after a while without frames. Before SIGUSR1 it sleeps whenever there is
//! no frame.

mod lane;
mod tap;

use lane::{Lane, Terms};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;
use tap::Tap;

/// After this time without a frame, a slow link sleeps until the next frame.
const IDLE_NS: u64 = 5_000_000;
/// The largest frame of a TAP device.
const ROOM_B: usize = 65_536 + 14;
/// servers/CONTRACT.md, "Exit codes".
const BAD_SETTINGS: u8 = 64;
const SYSTEM: u8 = 71;

static IS_SLOW: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).map_while(|word| word.parse().ok()).collect();
    let [pid, rtt_us, rate_mbit] = numbers[..] else {
        return fail(BAD_SETTINGS, "no three whole numbers were given", "give PID RTT_US RATE_MBIT");
    };
    match run(pid, Terms { rate_mbit, delay_ns: rtt_us * 1000 / 2 }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(SYSTEM, &error.to_string(), "run it where TAP devices may be made: /dev/net/tun, as root"),
    }
}

fn fail(code: u8, what: &str, next: &str) -> ExitCode {
    eprintln!("error: link: {what}; {next}");
    ExitCode::from(code)
}

fn run(pid: u64, terms: Terms) -> io::Result<()> {
    end_with_parent()?;
    let taps = [Tap::make()?, make_tap_in(pid)?];
    // SAFETY: the handler stores one atomic flag
    if unsafe { libc::signal(libc::SIGUSR1, slow_down as *const () as libc::sighandler_t) } == libc::SIG_ERR {
        return Err(io::Error::last_os_error());
    }
    println!("made");
    io::stdout().flush()?;
    carry(taps, terms)
}

extern "C" fn slow_down(_signal: libc::c_int) {
    IS_SLOW.store(true, Relaxed);
}

fn end_with_parent() -> io::Result<()> {
    // SAFETY: an option with a number
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn make_tap_in(pid: u64) -> io::Result<Tap> {
    let namespace = std::fs::File::open(format!("/proc/{pid}/ns/net"))?;
    // SAFETY: an open descriptor of a namespace
    match unsafe { libc::setns(std::os::fd::AsRawFd::as_raw_fd(&namespace), libc::CLONE_NEWNET) } {
        0 => Tap::make(),
        _ => Err(io::Error::last_os_error()),
    }
}

fn carry(mut taps: [Tap; 2], terms: Terms) -> io::Result<()> {
    let mut lanes = [0; 2].map(|_| Lane::new(Terms { rate_mbit: 0, delay_ns: 0 }));
    let mut room = vec![0; ROOM_B];
    let begin = Instant::now();
    let (mut busy_at_ns, mut patience_ns) = (0, 0);
    loop {
        if IS_SLOW.swap(false, Relaxed) {
            lanes.iter_mut().for_each(|lane| lane.change(terms));
            patience_ns = IDLE_NS;
        }
        let mut is_busy = false;
        for from in 0..2 {
            is_busy |= take_in(&mut taps[from], &mut lanes[from], &begin, &mut room)?;
            while let Some(frame) = lanes[from].receive(elapsed_ns(&begin)) {
                taps[1 - from].write(&frame)?;
            }
        }
        let now_ns = elapsed_ns(&begin);
        if is_busy || !lanes.iter().all(Lane::is_empty) {
            busy_at_ns = now_ns;
        } else if now_ns - busy_at_ns > patience_ns {
            wait_for_frames(&taps);
            busy_at_ns = elapsed_ns(&begin);
        }
    }
}

fn elapsed_ns(begin: &Instant) -> u64 {
    begin.elapsed().as_nanos() as u64
}

/// Takes at most one frame, so that neither direction waits for a burst of the other.
fn take_in(tap: &mut Tap, lane: &mut Lane, begin: &Instant, room: &mut [u8]) -> io::Result<bool> {
    if !lane.has_room() {
        return Ok(false);
    }
    let Some(frame) = tap.read(room)? else { return Ok(false) };
    lane.send(elapsed_ns(begin), frame);
    Ok(true)
}

/// Sleeps until there is a frame or a signal.
fn wait_for_frames(taps: &[Tap; 2]) {
    let mut polled = [0, 1].map(|k| libc::pollfd { fd: taps[k].descriptor(), events: libc::POLLIN, revents: 0 });
    // SAFETY: two entries, as many as there are
    unsafe { libc::poll(polled.as_mut_ptr(), 2, -1) };
}
