//! The set of connections, for the `broadcast`.

use std::future::Future;
use std::sync::Mutex;
use tokio::sync::mpsc::{channel, Receiver, Sender};

/// Maximum messages in the queue of a client that does not read; then its queue closes.
const WAITING_MAX: usize = 1024;

/// Each member has a queue, and a task that sends from it. A member leaves when its receiver is dropped.
pub struct Crowd<M>(Mutex<Vec<Sender<M>>>);

impl<M: Clone> Crowd<M> {
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Receives all messages from now on.
    pub fn join(&self) -> Receiver<M> {
        let (sender, receiver) = channel(WAITING_MAX);
        self.lock().push(sender);
        receiver
    }

    /// Queues a message for all members.
    pub fn tell(&self, message: &M) {
        self.lock().retain(|member| member.try_send(message.clone()).is_ok());
    }

    /// Sends all messages from now on, until sending fails or the queue overflows.
    pub async fn pass_on<E, F>(&self, mut send: impl FnMut(M) -> F) -> Result<(), E>
    where
        F: Future<Output = Result<(), E>>,
    {
        let mut told = self.join();
        while let Some(message) = told.recv().await {
            send(message).await?;
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Sender<M>>> {
        self.0.lock().expect("no one panics with the crowd in hand")
    }
}

impl<M: Clone> Default for Crowd<M> {
    fn default() -> Self {
        Self::new()
    }
}
