//! Whatever a server says, in whatever order: a dialect neither panics nor hangs, a session is up at most once, and
//! nothing answers before it is. What a dialect writes comes back as the same payload.

use proptest::prelude::*;
use proptest::sample::{select, Index};
use swarm::dialect::by_name::{create, NAMES};
use swarm::dialect::{Answer, Behaviour, Dialect, Incoming, Meaning, Outgoing, Session, Type};

const BEHAVIOURS: [Behaviour; 5] =
    [Behaviour::Echo, Behaviour::PingPong, Behaviour::JsonPing, Behaviour::Idle, Behaviour::Broadcast];
/// What a dialect says of a server's fault goes to a person and into a table: it is short whatever the server said.
const REASON_MAX_B: usize = 512;
/// In ns it can be added to any time.
const PERIOD_MAX_US: u64 = u64::MAX / 2 / 1000;
/// socketcluster-2014 subscribes and says that it is ready.
const REPLIES_MAX: usize = 2;

/// How a server of the suite begins, recorded: engine.io 1.3.1 and 6.6.11, socket.io 1.0.6 and 4.8.4,
/// socketcluster-server 0.9.42 and 20.0.1, SocketCluster 14.4.2.
fn opening(name: &str) -> &'static [&'static str] {
    match name {
        "engine.io-3" => &[r#"0{"sid":"ySbWDJJiGG9n5f4uAAAA","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#],
        "engine.io-4" => {
            &[r#"0{"sid":"-75PEB1t","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#]
        }
        "socket.io-3" => {
            &[r#"0{"sid":"XtTVFpUq5uJS9BWBAAAA","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#, "40"]
        }
        "socket.io-5" => &[
            r#"0{"sid":"Y4b_pbRM","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#,
            r#"40{"sid":"PQC2awTwxVAre6txAAAA"}"#,
        ],
        "socketcluster-2014" => &[
            r#"0{"sid":"_worker-1_33120_0_CuTD4M","upgrades":[],"pingInterval":25000,"pingTimeout":60000}"#,
            r#"4{"event":"connect","data":{"soid":"_worker-1_33120_0_CuTD4M","appName":"wscale"},"cid":1}"#,
        ],
        "socketcluster-14" => &[
            r#"{"rid":1,"data":{"id":"MCvhEiNP6iCAMDNHAAAA","pingTimeout":20000,"isAuthenticated":false}}"#,
            r#"{"rid":2}"#, // of a broadcast
        ],
        "socketcluster-20" => &[
            r#"{"rid":1,"data":{"id":"kbCqKAvpoioDBS7rAAAA","pingTimeout":30000,"isAuthenticated":false}}"#,
            r#"{"rid":2}"#,
        ],
        _ => &[],
    }
}

/// What servers said later.
const LATER: [&str; 20] = [
    "",
    "2",
    "3",
    "#1",
    "1",
    "41",
    r#"44{"message":"Invalid namespace"}"#,
    r#"4{"event":"pong","data":1}"#,
    r#"{"event":"pong","data":1}"#,
    r#"{"data":"pong","timestamp":1478246461}"#,
    r#"42["pong",1]"#,
    r#"42["echo","0123456789abcdefghij"]"#,
    r#"42["echo",null]"#,
    r#"451-["echo",{"_placeholder":true,"num":0}]"#,
    r#"4{"event":"echo","data":"0123456789abcdefghij","cid":2}"#,
    r#"4{"cid":2}"#,
    r#"{"event":"echo","data":"quote \" back \\ slash / tab \t nul \u0000 é € 😀"}"#,
    r##"{"event":"#removeAuthToken","data":null}"##,
    r##"{"event":"#publish","data":{"channel":"broadcast","data":"0123456789abcdefghij"}}"##,
    r##"{"event":"#disconnect","data":{"code":1000}}"##,
];

type Message = (Type, Vec<u8>);

fn text(body: &str) -> Message {
    (Type::Text, body.into())
}

/// What `create` makes of each name and each behaviour.
fn dialects() -> Vec<(&'static str, Behaviour)> {
    let all = NAMES.iter().flat_map(|&name| BEHAVIOURS.map(|behaviour| (name, behaviour)));
    all.filter(|&(name, behaviour)| create(name, behaviour).is_ok()).collect()
}

fn kind() -> impl Strategy<Value = Type> {
    prop_oneof![4 => Just(Type::Text), 1 => Just(Type::Binary)]
}

fn transcribed(name: &str) -> impl Strategy<Value = Vec<u8>> {
    let all: Vec<&str> = opening(name).iter().chain(&LATER).copied().collect();
    select(all).prop_map(|text| text.as_bytes().to_vec())
}

/// One with a bit flipped, cut off, with a part repeated, or with something put in.
fn damaged(name: &str) -> impl Strategy<Value = Vec<u8>> {
    let place = || any::<Index>();
    (transcribed(name), 0..4, place(), place(), any::<Vec<u8>>()).prop_map(|(mut body, how, from, to, other)| {
        let (from, to) = (from.index(body.len() + 1), to.index(body.len() + 1));
        let (from, to) = (from.min(to), from.max(to));
        match how {
            0 if from < body.len() => body[from] ^= 1 << (to % 8),
            1 => body.truncate(from),
            2 => drop(body.splice(to..to, body[from..to].to_vec())),
            _ => drop(body.splice(from..to, other)),
        }
        body
    })
}

fn message(name: &'static str) -> impl Strategy<Value = Message> {
    prop_oneof![
        3 => transcribed(name).prop_map(|body| (Type::Text, body)),
        3 => (kind(), damaged(name)),
        1 => any::<String>().prop_map(|body| (Type::Text, body.into())),
        1 => (kind(), any::<Vec<u8>>()),
    ]
}

/// A conversation, begun as it should be or not.
fn conversation() -> impl Strategy<Value = (&'static str, Behaviour, Vec<Message>)> {
    (select(dialects()), any::<bool>()).prop_flat_map(|((name, behaviour), is_begun)| {
        let begun: Vec<Message> = opening(name).iter().filter(|_| is_begun).map(|body| text(body)).collect();
        let later = prop::collection::vec(message(name), 0..12);
        (Just(name), Just(behaviour), later.prop_map(move |later| begun.iter().cloned().chain(later).collect()))
    })
}

/// A connection as far as a dialect knows of it.
struct Connection {
    dialect: Box<dyn Dialect>,
    session: Session,
    ups: usize,
}

impl Connection {
    fn open(name: &str, behaviour: Behaviour) -> Self {
        let dialect = create(name, behaviour).unwrap();
        let mut session = Session::default();
        let ups = usize::from(dialect.open(&mut session, &mut Vec::new()));
        Self { dialect, session, ups }
    }

    fn begin(name: &str, behaviour: Behaviour) -> Self {
        let mut connection = Self::open(name, behaviour);
        opening(name).iter().for_each(|body| drop(connection.read(&text(body))));
        assert_eq!(connection.ups, 1, "{name} is up once it has been opened");
        connection
    }

    fn read<'a>(&mut self, (kind, body): &'a Message) -> Meaning<'a> {
        let mut replies = Vec::new();
        let meaning = self.dialect.read(&mut self.session, Incoming { kind: *kind, body }, &mut replies);
        assert!(replies.len() <= REPLIES_MAX, "{replies:?}");
        match &meaning {
            Meaning::Up => self.ups += 1,
            Meaning::Answer(answer) => assert!(self.ups > 0, "{answer:?} before the session is up"),
            Meaning::Closed(reason) | Meaning::Violation(reason) => {
                assert!((1..=REASON_MAX_B).contains(&reason.len()), "{reason}");
            }
            Meaning::Housekeeping => {}
        }
        assert!(self.ups <= 1, "up twice");
        meaning
    }

    /// A payload of a type that the dialect can carry.
    fn as_it_can(&self, (kind, body): Message) -> Message {
        match kind {
            Type::Binary if !self.dialect.is_binary() => text(&String::from_utf8_lossy(&body)),
            _ => (kind, body),
        }
    }

    /// Reads its own messages, as a server that echoes would send them: the last one is the answer.
    fn echo(&mut self, messages: Vec<Outgoing>) -> Option<Message> {
        let mut answer = None;
        for Outgoing { kind, body } in messages {
            assert_eq!(answer, None, "only the last message is the answer");
            match self.read(&(kind, body)) {
                Meaning::Answer(Answer::Payload { kind, body }) => answer = Some((kind, body.into_owned())),
                meaning => assert_eq!(meaning, Meaning::Housekeeping),
            }
        }
        answer
    }
}

fn payload() -> impl Strategy<Value = Message> {
    prop_oneof![any::<String>().prop_map(|body| text(&body)), any::<Vec<u8>>().prop_map(|body| (Type::Binary, body))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn no_conversation_makes_a_dialect_panic((name, behaviour, messages) in conversation()) {
        let mut connection = Connection::open(name, behaviour);
        for message in &messages {
            connection.read(message);
        }
    }

    #[test]
    fn a_handshake_may_tell_any_number(
        (name, behaviour) in select(dialects()),
        numbers in prop::collection::vec(prop_oneof![any::<i128>(), u64::MAX as i128 - 1..=u64::MAX as i128], 2),
    ) {
        let mut connection = Connection::open(name, behaviour);
        for body in opening(name) {
            let [one, other] = [&numbers[0], &numbers[1]].map(i128::to_string);
            let told = ["20000", "30000", "60000"].iter().fold(body.replace("25000", &one), |body, number| {
                body.replace(number, &other)
            });
            connection.read(&text(&told));
        }
        let Session { ping_every_us, silence_max_us, .. } = connection.session;
        prop_assert!(ping_every_us.max(silence_max_us) < PERIOD_MAX_US);
    }

    #[test]
    fn a_payload_comes_back_as_it_was_written(
        name in select(NAMES.to_vec()),
        is_broadcast in any::<bool>(),
        (kind, body) in payload(),
    ) {
        let behaviour = if is_broadcast && name != "tcp" { Behaviour::Broadcast } else { Behaviour::Echo };
        let mut connection = Connection::begin(name, behaviour);
        let (kind, body) = connection.as_it_can((kind, body));
        let written = connection.dialect.write(kind, &body);
        let echo = connection.echo(written.into_iter().map(|template| template.message).collect());
        prop_assert_eq!(echo, Some((kind, body)));
    }

    #[test]
    fn what_is_written_over_the_place_of_a_payload_comes_back_in_it(
        name in select(NAMES.to_vec()),
        kind in kind(),
        number in "[A-Za-z0-9_-]{6}",
        rest in any::<String>(),
    ) {
        let mut connection = Connection::begin(name, Behaviour::Echo);
        let (kind, body) = connection.as_it_can((kind, format!("000000{rest}").into()));
        let mut templates = connection.dialect.write(kind, &body);
        for template in &mut templates {
            if let Some(at) = template.payload_at {
                template.message.body[at..at + number.len()].copy_from_slice(number.as_bytes());
            }
        }
        let echo = connection.echo(templates.into_iter().map(|template| template.message).collect());
        prop_assert_eq!(echo, Some((kind, format!("{number}{rest}").into_bytes())));
    }
}

/// Each would overflow the stack of a parser that recurses, or take minutes with one that looks back.
#[test]
fn a_long_row_of_brackets_digits_or_quotes_is_read_in_one_pass() {
    let long = |start: &str, part: &str| text(&(start.to_string() + &part.repeat(1 << 17)));
    for (name, behaviour) in dialects() {
        let mut connection = Connection::begin(name, behaviour);
        for start in [
            "",
            "4",
            "42",
            "44",
            "45",
            "42[\"echo\",",
            "{\"event\":\"echo\",\"data\":",
            "4{\"event\":\"echo\",\"data\":",
        ] {
            for part in ["[", "{\"data\":", "9", "\"", "\\", "é", "[\"a\"],"] {
                connection.read(&long(start, part));
            }
        }
    }
}
