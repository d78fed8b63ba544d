use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use wscale_serial::{drive, Connection, Result, Target};

fn main() {
    drive::<Tcp>()
}

struct Tcp(TcpStream);

impl Connection for Tcp {
    type Answer = Vec<u8>;

    async fn connect(target: Target<'_>) -> Result<Self> {
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(target.nodelay)?;
        Ok(Self(stream))
    }

    // Reads while it writes: the server echoes the first bytes of a large payload before it has the last ones.
    async fn echo(&mut self, payload: Vec<u8>) -> Result<Self::Answer> {
        let (mut reader, mut writer) = self.0.split();
        let mut answer = vec![0; payload.len()];
        tokio::try_join!(writer.write_all(&payload), async { reader.read_exact(&mut answer).await.map(drop) })?;
        Ok(answer)
    }

    async fn close(mut self) -> Result<()> {
        self.0.shutdown().await?;
        match self.0.read(&mut [0]).await? {
            0 => Ok(()), // the server has closed its side
            _ => Err("more came than was asked for".into()),
        }
    }
}
