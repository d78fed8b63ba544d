//! Advice for errors of the client's own host.

use crate::tally::Tally;
use rustix::io::Errno;

/// The next step for the most frequent error.
pub fn find(tally: &Tally) -> &'static str {
    let helps = [
        (Errno::ADDRNOTAVAIL, "no address and port is free: give more addresses that this host has (--local), widen net.ipv4.ip_local_port_range, or wait a minute until closed connections give theirs back"),
        (Errno::MFILE, "a process has too few descriptors: raise `ulimit -n`, or use more --processes"),
        (Errno::NFILE, "the system has too few descriptors: raise fs.file-max, or open fewer --connections"),
        (Errno::NOBUFS, "the kernel has no memory for sockets: open fewer --connections"),
        (Errno::NOMEM, "the kernel has no memory for sockets: open fewer --connections"),
    ];
    let count_of = |errno: Errno| {
        let words = std::io::Error::from_raw_os_error(errno.raw_os_error()).to_string();
        tally.errors.iter().filter(|(error, _)| error.starts_with(&words)).map(|(_, count)| count).sum::<u64>()
    };
    let most = helps.into_iter().max_by_key(|(errno, _)| count_of(*errno)).filter(|(errno, _)| count_of(*errno) > 0);
    most.map_or("see the errors", |(_, help)| help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::times::Timing;

    #[test]
    fn what_helps_goes_by_what_was_refused() {
        let mut tally = Tally::new(Timing::default());
        assert_eq!(find(&tally), "see the errors");
        tally.error("Too many open files (os error 24): the limit of open files of a process (ulimit -n) is 64");
        assert!(find(&tally).contains("ulimit -n"));
        (0..2).for_each(|_| tally.error("Cannot assign requested address (os error 99)"));
        assert!(find(&tally).contains("--local"));
    }
}
