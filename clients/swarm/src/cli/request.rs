//! Options of the request for the upgrade.

use super::values::{deflate, header};
use crate::config::request::Request;
use crate::websocket::deflate::Offer;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(next_help_heading = "Request")]
pub struct RequestOptions {
    /// A header, as often as wanted; that of the host takes the place of the URL's
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// The header Origin
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The header Cookie: a=1, as often as wanted
    #[arg(long = "cookie", value_name = "NAME=VALUE")]
    pub cookies: Vec<String>,
    /// A subprotocol to offer, as often as wanted
    #[arg(long = "subprotocol", value_name = "NAME")]
    pub subprotocols: Vec<String>,
    /// A file with a token for Authorization: Bearer; it is in no report
    #[arg(long, value_name = "FILE")]
    pub bearer_file: Option<PathBuf>,
    /// Go by CONNECT through the proxy at http://HOST:PORT
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Offer permessage-deflate, with parameters of RFC 7692: server_no_context_takeover, client_no_context_takeover,
    /// server_max_window_bits=BITS, client_max_window_bits=BITS (8 to 15), and level=1 to 9
    #[arg(long, value_name = "PARAMETERS", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = deflate)]
    pub deflate: Option<Offer>,
}

impl RequestOptions {
    pub fn to_config(&self) -> Request {
        let mut headers = self.headers.clone();
        headers.extend(self.origin.iter().map(|origin| ("Origin".into(), origin.clone())));
        // a request has one header Cookie (RFC 6265, section 5.4)
        let (cookies, mut headers): (Vec<_>, Vec<_>) =
            headers.into_iter().partition(|(name, _)| name.eq_ignore_ascii_case("cookie"));
        let values: Vec<_> = cookies.into_iter().map(|(_, value)| value).chain(self.cookies.clone()).collect();
        if !values.is_empty() {
            headers.push(("Cookie".into(), values.join("; ")));
        }
        let Self { subprotocols, bearer_file, proxy, .. } = self;
        Request { headers, subprotocols: subprotocols.clone(), bearer_file: bearer_file.clone(), proxy: proxy.clone() }
    }
}
