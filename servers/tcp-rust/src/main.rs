use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The size of node:net's reads.
const CHUNK_B: usize = 65_536;
/// With `reading` whole, a message begins with its length, big endian.
const LENGTH_B: usize = 4;

fn main() {
    let is_whole = wscale_contract::read_option("reading", &["stream", "whole"]) == "whole";
    wscale_contract::serve("tokio", &[("echo", ())], move |stream, ()| async move {
        if is_whole {
            answer_messages(stream).await
        } else {
            answer_pieces(stream).await
        }
    })
}

async fn answer_pieces(mut stream: TcpStream) {
    let mut chunk = vec![0; CHUNK_B];
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        if stream.write_all(&chunk[..length]).await.is_err() {
            return; // the client has gone
        }
    }
}

async fn answer_messages(mut stream: TcpStream) {
    let mut held = vec![0; CHUNK_B];
    let mut held_b = 0;
    while let Ok(length @ 1..) = stream.read(&mut held[held_b..]).await {
        held_b += length;
        while let Some(whole_b) = whole_b(&held[..held_b]) {
            if held_b < whole_b {
                held.resize(whole_b.max(held.len()), 0);
                break;
            }
            if stream.write_all(&held[..whole_b]).await.is_err() {
                return; // the client has gone
            }
            held.copy_within(whole_b..held_b, 0);
            held_b -= whole_b;
        }
    }
}

/// The size of the first message with its length, if the length is complete.
fn whole_b(bytes: &[u8]) -> Option<usize> {
    let length = bytes.first_chunk::<LENGTH_B>()?;
    Some(LENGTH_B + u32::from_be_bytes(*length) as usize)
}
