//! The set of connections, for the `broadcast`.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::task::yield_now;

/// Maximum messages in the queue of a client that does not read; then its queue closes.
const WAITING_MAX: usize = 1024;
/// After so many messages, the task that tells them lets the members' tasks run: it may have more of them buffered than a queue holds.
const TOLD_AT_ONCE: u64 = 128;

/// Each member has a queue, and a task that sends from it. A member leaves when its receiver is dropped.
pub struct Crowd<M> {
    members: Mutex<Vec<Sender<M>>>,
    told: AtomicU64,
}

impl<M: Clone> Crowd<M> {
    #[must_use]
    pub const fn new() -> Self {
        Self { members: Mutex::new(Vec::new()), told: AtomicU64::new(0) }
    }

    /// Receives all messages from now on.
    pub fn join(&self) -> Receiver<M> {
        let (sender, receiver) = channel(WAITING_MAX);
        self.lock().push(sender);
        receiver
    }

    /// Queues a message for all members.
    pub async fn tell(&self, message: &M) {
        self.lock().retain(|member| member.try_send(message.clone()).is_ok());
        if self.told.fetch_add(1, Ordering::Relaxed) % TOLD_AT_ONCE == TOLD_AT_ONCE - 1 {
            yield_now().await;
        }
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
        self.members.lock().expect("no one panics with the crowd in hand")
    }
}

impl<M: Clone> Default for Crowd<M> {
    fn default() -> Self {
        Self::new()
    }
}
