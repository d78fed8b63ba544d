//! How a server ends: exit codes, and one line with the reason.

use crate::settings;
use std::backtrace::Backtrace;
use std::{env, io, panic, process};

pub const SETTINGS: i32 = 64;
pub const BEHAVIOUR: i32 = 69;
pub const INTERNAL: i32 = 70;
pub const SYSTEM: i32 = 71;

/// Ends the process with one line on standard error.
pub fn fail(code: i32, what: &str, next: &str) -> ! {
    eprintln!("error: {}: {what}; {next}", settings::name());
    process::exit(code)
}

/// Ends the process because the operating system refused something.
pub fn fail_with(what: &str, error: &io::Error) -> ! {
    fail(SYSTEM, &format!("{what} ({error})"), "free it, or ask for less or another")
}

/// Makes a panic in any thread end the process. WSCALE_TRACE=1 prints the stack first.
pub fn guard() {
    panic::set_hook(Box::new(|panic| {
        if env::var_os("WSCALE_TRACE").is_some() {
            eprintln!("{}", Backtrace::force_capture());
        }
        let what = panic.to_string().replace('\n', " ");
        fail(INTERNAL, &what, "run it again with WSCALE_TRACE=1 for the stack")
    }));
}
