//! Parsers of option values. Each error says what to write.

use crate::config::check::MESSAGE_RATE_MAX;
use crate::config::{constant_delay, longest_delay_ms, Reconnect, MOST_S};
use crate::message::own::{Ready, SentAt, Unit};
use crate::message::payload::{Distribution, Size, MAX_B};
use crate::websocket::close::may_be_sent;
use crate::websocket::deflate::Offer;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, SystemTime};

/// A list of addresses in one option value.
#[derive(Clone, Debug, Default)]
pub struct Addresses(pub Vec<IpAddr>);

/// Lowest and highest rate. The lowest is one message in eleven days.
const RATES_HZ: std::ops::RangeInclusive<f64> = 1e-6..=1e9;

pub fn count(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|count| *count >= 1).ok_or_else(|| format!("write a whole number from 1 to {}", u32::MAX))
}

pub fn rate(text: &str) -> Result<f64, String> {
    let hz = text.parse().ok().filter(|hz| RATES_HZ.contains(hz));
    hz.ok_or_else(|| format!("write a number a second above 0, up to {}, such as 0.5 or 10", RATES_HZ.end()))
}

/// Of messages on one connection.
pub fn message_rate(text: &str) -> Result<f64, String> {
    rate(text)
        .ok()
        .filter(|hz| *hz <= MESSAGE_RATE_MAX)
        .ok_or_else(|| format!("write a number a second above 0, up to {MESSAGE_RATE_MAX}, such as 0.5 or 10"))
}

pub fn number(text: &str) -> Result<f64, String> {
    let hz = text.parse().ok().filter(|hz| (0.0..=*RATES_HZ.end()).contains(hz));
    hz.ok_or_else(|| format!("write a number a second from 0 to {}", RATES_HZ.end()))
}

pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let parsed = seconds.or_else(|| humantime::parse_duration(text).ok()).or_else(|| parts_of_unit(text));
    let in_range = parsed.filter(|time| time.as_secs_f64() <= MOST_S);
    in_range.ok_or_else(|| format!("write 30s, 500ms or 2m, from 0s to {MOST_S}s"))
}

/// Parses a decimal number with a unit, which humantime does not.
fn parts_of_unit(text: &str) -> Option<Duration> {
    let unit_at = text.find(|char: char| char.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit_at);
    let unit_s = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit_s).ok()
}

pub fn reconnect(text: &str) -> Result<Reconnect, String> {
    let ms = |text: &str| duration(text).map(|time| time.as_secs_f64() * 1e3);
    let fixed = |delay, jitter| {
        Ok(Reconnect {
            delay_ms: ms(delay)?,
            jitter_ms: ms(jitter)?,
            factor: constant_delay(),
            max_ms: longest_delay_ms(),
        })
    };
    match text.split(',').collect::<Vec<_>>().as_slice() {
        [delay] => fixed(delay, "0"),
        [delay, jitter] => fixed(delay, jitter),
        [delay, jitter, factor, max] => {
            let factor =
                factor.strip_prefix('x').and_then(|factor| factor.parse().ok()).filter(|factor| *factor >= 1.0);
            let factor = factor.ok_or("write a factor from x1, such as x2: 1s,500ms,x2,30s")?;
            Ok(Reconnect { factor, max_ms: ms(max)?, ..fixed(delay, jitter)? })
        }
        _ => Err("write 1s, 1s,500ms or 1s,500ms,x2,30s".into()),
    }
}

pub fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "write a share from 0 to 1, such as 0.1".into())
}

pub fn close_code(text: &str) -> Result<u16, String> {
    let code = text.parse().ok().filter(|code| may_be_sent(*code));
    code.ok_or_else(|| "write a code that may be sent, such as 1000, 1001, or 3000 to 4999".into())
}

pub fn sent_at(text: &str) -> Result<SentAt, String> {
    let (pointer, unit) = text.rsplit_once(',').unwrap_or((text, "us"));
    let unit = match unit {
        "s" => Unit::S,
        "ms" => Unit::Ms,
        "us" => Unit::Us,
        "ns" => Unit::Ns,
        _ => return Err("write a JSON pointer, and s, ms, us or ns behind a comma: /data/time,ms".into()),
    };
    Ok(SentAt { pointer: pointer.into(), unit })
}

pub fn ready(text: &str) -> Result<Ready, String> {
    let (pointer, value) = text.split_once('=').ok_or("write a JSON pointer and a value: /type=welcome")?;
    Ok(Ready { pointer: pointer.into(), value: value.into() })
}

pub fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write \"Name: value\"")?;
    Ok((name.trim().into(), value.trim().into()))
}

pub fn deflate(text: &str) -> Result<Offer, String> {
    let mut offer = Offer::default();
    for part in text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value)));
        let number = |range: std::ops::RangeInclusive<u8>| {
            let given = value.and_then(|value| value.parse().ok()).filter(|number| range.contains(number));
            given.ok_or_else(|| format!("{part:?}: write {name}={} to {}", range.start(), range.end()))
        };
        match name {
            "server_no_context_takeover" if value.is_none() => offer.server_no_context_takeover = true,
            "client_no_context_takeover" if value.is_none() => offer.client_no_context_takeover = true,
            "server_max_window_bits" => offer.server_max_window_bits = Some(number(8..=15)?),
            "client_max_window_bits" => offer.client_max_window_bits = Some(number(8..=15)?),
            "level" => offer.level = number(1..=9)?,
            _ => return Err(format!("{part:?} is no parameter; write --deflate=server_max_window_bits=10,level=1")),
        }
    }
    Ok(offer)
}

pub fn wall_time(text: &str) -> Result<SystemTime, String> {
    let unix = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match unix {
        Some(since) => {
            let time = SystemTime::UNIX_EPOCH.checked_add(since);
            time.ok_or_else(|| "that is later than the clock can tell; write a time within a day".into())
        }
        None => humantime::parse_rfc3339(text)
            .map_err(|error| format!("{error}; write 2026-11-21T10:00:00Z or Unix seconds")),
    }
}

pub fn size(text: &str) -> Result<Size, String> {
    let forms = "uniform:MIN,MAX, exponential:MEAN,MAX or lognormal:MEDIAN,SIGMA,MAX";
    let expected = || format!("write 1 to {MAX_B} bytes, {forms} with a MAX of such a number");
    let bytes = |text: &str| text.parse().ok().filter(|bytes| (1..=MAX_B).contains(bytes)).ok_or_else(expected);
    let Some((kind, rest)) = text.split_once(':') else {
        return bytes(text).map(Size::Fixed);
    };
    let parts: Vec<&str> = rest.split(',').collect();
    let max = bytes(parts[parts.len() - 1])?;
    let numbers: Vec<f64> = parts.iter().map(|part| part.parse()).collect::<Result<_, _>>().map_err(|_| expected())?;
    Ok(Size::Drawn(match (kind, numbers.as_slice()) {
        ("uniform", [_, _]) => Distribution::Uniform { min: bytes(parts[0])?, max },
        ("exponential", [mean, _]) => Distribution::Exponential { mean: *mean, max },
        ("lognormal", [median, sigma, _]) => Distribution::Lognormal { median: *median, sigma: *sigma, max },
        _ => return Err(expected()),
    }))
}

/// Most addresses in a range.
const RANGE_MAX: u32 = 1024;

pub fn addresses(text: &str) -> Result<Addresses, String> {
    let parse =
        |part: &str| part.trim().parse::<IpAddr>().map_err(|error| format!("{part:?}: {error}; write A,B or A-B"));
    if let Some((from, to)) = text.split_once('-') {
        let (IpAddr::V4(from), IpAddr::V4(to)) = (parse(from)?, parse(to)?) else {
            return Err("a range is of IPv4 addresses; write them one by one".into());
        };
        let (from, to) = (u32::from(from), u32::from(to));
        if from > to || to - from >= RANGE_MAX {
            return Err(format!("a range goes up, by less than {RANGE_MAX} addresses; write 127.0.0.1-127.0.0.4"));
        }
        return Ok(Addresses((from..=to).map(|address| IpAddr::V4(Ipv4Addr::from(address))).collect()));
    }
    text.split(',').filter(|part| !part.is_empty()).map(parse).collect::<Result<_, _>>().map(Addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_be_drawn() {
        assert_eq!(size("20"), Ok(Size::Fixed(20)));
        assert_eq!(size("uniform:1,9"), Ok(Size::Drawn(Distribution::Uniform { min: 1, max: 9 })));
        for text in ["uniform:-1,9", "uniform:NaN,9", "uniform:1.5,9", "uniform:4294967297,9"] {
            assert!(size(text).unwrap_err().starts_with("write 1 to"), "{text}");
        }
        assert!(size("gamma:1").unwrap_err().starts_with("write 1 to"));
    }

    #[test]
    fn addresses_are_a_list_or_a_range() {
        assert_eq!(addresses("127.0.0.1-127.0.0.4").unwrap().0.len(), 4);
        assert_eq!(addresses("127.0.0.1,127.0.0.9").unwrap().0.len(), 2);
        assert!(addresses("127.0.0.9-127.0.0.1").unwrap_err().contains("goes up"));
    }

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("0.25ms"), Ok(Duration::from_micros(250)));
        assert!(duration("1.5 fortnights").is_err() && duration("-1.5s").is_err());
        assert_eq!(duration("10000000s"), Ok(Duration::from_secs(10_000_000)));
        for text in ["10000001s", "4294967296s", "4294967297", "1e300", "inf", "NaN", "-1s"] {
            assert!(duration(text).unwrap_err().contains("from 0s to 10000000s"), "{text}");
        }
        assert!(wall_time("1e19").unwrap_err().contains("later than the clock"));
        assert!(duration("soon").is_err() && reconnect("soon").unwrap_err().contains("write 30s"));
    }

    #[test]
    fn a_rate_is_above_nothing_and_a_count_is_whole() {
        assert_eq!((rate("0.5"), count("3"), number("0")), (Ok(0.5), Ok(3), Ok(0.0)));
        for text in ["0", "-1", "NaN", "inf", "ten", ""] {
            assert!(rate(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "1.5", ""] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
