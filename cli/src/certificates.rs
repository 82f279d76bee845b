//! `catherd certs`: makes certificates. The module [`issue`] needs the feature `certificates`.

#[cfg(feature = "certificates")]
mod issue;

use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure};
use catherd_proto::tls::Tls;
use clap::Args;

#[cfg(feature = "certificates")]
pub(crate) use issue::expiry;

pub(crate) fn read_tls(folder: &Path) -> Result<Tls, Failure> {
    let read = |name: &str| {
        let file = folder.join(name);
        fs::read(&file).map_err(|cause| {
            Failure::new(format_args!("{}: {cause}", file.display()))
                .hint("name a folder that `catherd certs` wrote")
        })
    };
    Ok(Tls { authority: read("ca.pem")?, certificate: read("cert.pem")?, key: read("key.pem")? })
}

pub(crate) struct Expiry {
    pub(crate) text: String,
    /// Whether the certificate has expired or will soon expire.
    pub(crate) urgent: bool,
}

#[cfg(not(feature = "certificates"))]
pub(crate) fn expiry(_: &[u8]) -> Result<Expiry, Failure> {
    let text = "this catherd was built without `certificates`, so it does not know when its \
                certificate expires";
    Ok(Expiry { text: text.to_owned(), urgent: false })
}

/// Makes certificates for a coordinator, its workers and clients.
///
/// The certificates are signed by a private certificate authority. DIR gets ca.pem and ca-key.pem,
/// and a folder for each --for with ca.pem, cert.pem and key.pem; copy each folder to the machine
/// that uses it. Keep ca-key.pem secret, because it can sign more certificates. Certificates
/// expire: without --for, the certificates in DIR are renewed; copy them again, and send SIGHUP to
/// the coordinator, which reads them again.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd certs --dir certs --for ant.example.org,10.0.0.7 --for workers
  catherd certs --dir certs --days 90
  catherd coordinator --listen 0.0.0.0:7420 --tls certs/ant.example.org --tokens tokens
  catherd worker --connect ant.example.org:7420 --tls certs/workers --token-file ants.token")]
pub(crate) struct MakeCerts {
    /// Folder of the certificates; a certificate authority in it is used again
    #[arg(long, value_name = "DIR", default_value = "certs")]
    dir: PathBuf,

    /// Host names and IP addresses for one certificate, separated by commas; repeat the flag for
    /// further certificates [default: renew the certificates in DIR]
    #[arg(long = "for", value_name = "NAMES")]
    certificates: Vec<String>,

    /// Validity of the certificates, in days
    #[arg(long, value_name = "N", default_value_t = 365, value_parser = clap::value_parser!(u16).range(1..=1825))]
    days: u16,
}

impl MakeCerts {
    #[cfg(feature = "certificates")]
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.make()
    }

    #[cfg(not(feature = "certificates"))]
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        Err(Failure::new("this catherd was built without `certificates`")
            .hint(crate::failure::BUILD_FOR_CLUSTERS))
    }
}
