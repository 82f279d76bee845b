//! Signals that tell this process to end, or to read its files again.

use std::io;

pub use system::{ReloadSignal, StopSignals};

/// Calls `act` on a separate thread when a signal tells the process to end, instead of ending the
/// process.
///
/// # Errors
///
/// If the signals cannot be received.
pub fn on_stop(mut act: impl FnMut() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut signals = runtime.block_on(async { StopSignals::listen() })?;
    let wait = move || {
        loop {
            runtime.block_on(signals.received());
            act();
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(())
}

#[cfg(unix)]
mod system {
    use std::io;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// SIGINT and SIGTERM, which tell the process to end.
    #[derive(Debug)]
    pub struct StopSignals {
        interrupt: Signal,
        terminate: Signal,
    }

    impl StopSignals {
        /// Replaces the system's default action for both signals. Needs a tokio runtime.
        ///
        /// # Errors
        ///
        /// If the handlers cannot be installed.
        pub fn listen() -> io::Result<StopSignals> {
            Ok(StopSignals {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
            })
        }

        /// Waits for the next SIGINT or SIGTERM.
        pub async fn received(&mut self) {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
            }
        }
    }

    /// SIGHUP, which tells the process to read its files again.
    #[derive(Debug)]
    pub struct ReloadSignal(Signal);

    impl ReloadSignal {
        /// Replaces the system's default action for the signal. Needs a tokio runtime.
        ///
        /// # Errors
        ///
        /// If the handler cannot be installed.
        pub fn listen() -> io::Result<ReloadSignal> {
            Ok(ReloadSignal(signal(SignalKind::hangup())?))
        }

        /// Waits for the next signal.
        pub async fn received(&mut self) {
            let _ = self.0.recv().await;
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    /// Ctrl-C, which tells the process to end.
    #[derive(Debug)]
    pub struct StopSignals;

    impl StopSignals {
        /// Prepares to listen for Ctrl-C. Needs a tokio runtime.
        ///
        /// # Errors
        ///
        /// Never.
        pub fn listen() -> io::Result<StopSignals> {
            Ok(StopSignals)
        }

        /// Waits for the next Ctrl-C.
        pub async fn received(&mut self) {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending().await
            }
        }
    }

    /// The signal to read files again, which this system does not have.
    #[derive(Debug)]
    pub struct ReloadSignal;

    impl ReloadSignal {
        /// Does nothing.
        ///
        /// # Errors
        ///
        /// Never.
        pub fn listen() -> io::Result<ReloadSignal> {
            Ok(ReloadSignal)
        }

        /// Waits forever.
        pub async fn received(&mut self) {
            std::future::pending().await
        }
    }
}
