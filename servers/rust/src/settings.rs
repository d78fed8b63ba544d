//! Reads and checks the environment variables of the contract.

use crate::ending::{fail, BEHAVIOUR, SETTINGS};
use std::env;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

pub struct Settings<B> {
    pub address: SocketAddr,
    pub behaviour: B,
    pub nodelay: bool,
}

impl<B: Copy> Settings<B> {
    /// Ends the process with 64 or 69 if something is wrong.
    pub fn read(behaviours: &[(&str, B)]) -> Self {
        let host: IpAddr = read("WSCALE_HOST", "an IP address", |value| value.parse().ok());
        let port = read("WSCALE_PORT", "a port from 1 to 65535", |value| value.parse().ok().filter(|port| *port > 0));
        read("WSCALE_RUN_DIR", "an existing folder", |value| Path::new(value).is_dir().then_some(()));
        read("WSCALE_WORKERS", "1", |value| (value == "1").then_some(()));
        let nodelay = read("WSCALE_OPTION_NODELAY", "on or off", parse_switch);
        Self { address: SocketAddr::new(host, port), behaviour: read_behaviour(behaviours), nodelay }
    }
}

/// Reads an option of engine.toml, for the servers that have it. Ends the process with 64 for a value not listed there.
pub fn read_option(option: &str, values: &[&'static str]) -> &'static str {
    let wanted = format!("one of {}", values.join(", "));
    read(&format!("WSCALE_OPTION_{}", option.to_uppercase()), &wanted, |value| {
        values.iter().find(|known| **known == value).copied()
    })
}

fn parse_switch(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn read_behaviour<B: Copy>(behaviours: &[(&str, B)]) -> B {
    let known = behaviours.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let next = format!("use one of {known}");
    let wanted: String = read("WSCALE_BEHAVIOUR", &format!("one of {known}"), |value| Some(value.into()));
    let Some((_, behaviour)) = behaviours.iter().find(|(name, _)| *name == wanted) else {
        fail(BEHAVIOUR, &format!("behaviour \"{wanted}\" is not supported"), &next)
    };
    *behaviour
}

fn read<T>(name: &str, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> T {
    let value = env::var(name).unwrap_or_default();
    let next = format!("set it to {wanted}");
    if value.is_empty() {
        fail(SETTINGS, &format!("{name} is not set"), &next)
    }
    parse(&value).unwrap_or_else(|| fail(SETTINGS, &format!("{name} is \"{value}\""), &next))
}

/// A server starts in its folder, which has the engine's name.
pub fn name() -> String {
    let folder = env::current_dir().unwrap_or_default();
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
