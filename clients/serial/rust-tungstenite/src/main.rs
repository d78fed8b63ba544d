use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{connect_async_with_config, MaybeTlsStream, WebSocketStream};
use wscale_serial::{drive, Connection, Result, Target};

const MESSAGE_MAX_B: usize = 100 << 20;

fn main() {
    drive::<Session>()
}

struct Session(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Connection for Session {
    type Answer = Bytes;

    async fn connect(target: Target<'_>) -> Result<Self> {
        let limits =
            WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX_B)).max_frame_size(Some(MESSAGE_MAX_B));
        let (socket, _) = connect_async_with_config(target.url, Some(limits), target.nodelay).await?;
        Ok(Self(socket))
    }

    async fn echo(&mut self, payload: Vec<u8>) -> Result<Self::Answer> {
        self.0.send(Message::binary(payload)).await?;
        match self.0.next().await {
            Some(Ok(Message::Binary(answer))) => Ok(answer),
            other => Err(format!("no binary message, but {other:?}").into()),
        }
    }

    async fn close(mut self) -> Result<()> {
        self.0.close(None).await?;
        while self.0.next().await.is_some() {} // until the server has closed its side
        Ok(())
    }
}
