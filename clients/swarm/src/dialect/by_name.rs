//! The dialects by their names in engine.toml.

use super::{engine_io, raw_tcp, socket_io, socketcluster, socketcluster_2014, websocket, Behaviour, Dialect};

pub const NAMES: [&str; 9] = [
    "websocket",
    "tcp",
    "engine.io-3",
    "engine.io-4",
    "socket.io-3",
    "socket.io-5",
    "socketcluster-2014",
    "socketcluster-14",
    "socketcluster-20",
];

/// Makes a dialect.
/// Errors: the name is unknown, or the dialect lacks the behaviour.
pub fn create(name: &str, behaviour: Behaviour) -> Result<Box<dyn Dialect>, String> {
    let only_websocket = behaviour == Behaviour::JsonPing && name != "websocket";
    let only_bytes = name == "tcp" && !matches!(behaviour, Behaviour::Echo | Behaviour::Idle);
    if only_websocket || only_bytes {
        return Err(format!("dialect {name} has no {behaviour:?}; use another dialect or behaviour"));
    }
    let dialect: Box<dyn Dialect> = match name {
        "websocket" => Box::new(websocket::WebSocket { behaviour }),
        "tcp" => Box::new(raw_tcp::RawTcp),
        "engine.io-3" => Box::new(engine_io::EngineIo { version: 3, behaviour }),
        "engine.io-4" => Box::new(engine_io::EngineIo { version: 4, behaviour }),
        "socket.io-3" => Box::new(socket_io::SocketIo { version: 3, behaviour }),
        "socket.io-5" => Box::new(socket_io::SocketIo { version: 5, behaviour }),
        "socketcluster-2014" => Box::new(socketcluster_2014::SocketCluster2014 { behaviour }),
        "socketcluster-14" => Box::new(socketcluster::SocketCluster { version: 14, behaviour }),
        "socketcluster-20" => Box::new(socketcluster::SocketCluster { version: 20, behaviour }),
        _ => return Err(format!("dialect {name:?} is unknown; use one of {}", NAMES.join(", "))),
    };
    if behaviour == Behaviour::Own && dialect.before_own().is_none() {
        return Err(format!("dialect {name} takes no messages of your own; use websocket, engine.io-4, socket.io-5, socketcluster-14 or socketcluster-20"));
    }
    Ok(dialect)
}
