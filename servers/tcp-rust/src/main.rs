use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// As much as node:net reads at a time.
const CHUNK_B: usize = 65_536;

fn main() {
    wscale_contract::serve("tokio", &[("echo", ())], |stream, ()| echo(stream))
}

async fn echo(mut stream: TcpStream) {
    let mut chunk = vec![0; CHUNK_B];
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        if stream.write_all(&chunk[..length]).await.is_err() {
            return; // the client is gone
        }
    }
}
