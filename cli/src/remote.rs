//! The address of a coordinator, and the credentials of its workers and clients: tokens and
//! certificates.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use catherd_coordinator::auth::{Role, TokenStore, TokenStoreError};
use catherd_proto::transport::{Access, Tls};
use clap::Args;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};

use crate::failure::{Exit, Failure};
use crate::file_names::safe_name;
use crate::terminal;

/// Default address of a coordinator.
pub(crate) const ADDRESS: &str = "127.0.0.1:7420";

/// The coordinator to which a command sends its requests.
#[derive(Args)]
pub(crate) struct Remote {
    /// Address of the coordinator
    #[arg(long, value_name = "HOST:PORT", env = "CATHERD_COORDINATOR", default_value = ADDRESS)]
    coordinator: String,

    #[command(flatten)]
    credentials: Credentials,
}

impl Remote {
    /// The URL of the coordinator and the credentials for it.
    pub(crate) fn address(&self) -> Result<(String, Access), Failure> {
        let access = self.credentials.access()?;
        Ok((url(&self.coordinator, &access), access))
    }
}

/// The credentials of a worker or client.
#[derive(Args)]
pub(crate) struct Credentials {
    /// Folder with ca.pem, cert.pem and key.pem, written by `catherd certs`
    #[arg(long, value_name = "DIR", env = "CATHERD_TLS")]
    tls: Option<PathBuf>,

    /// File with the token that `catherd token` printed
    #[arg(long, value_name = "FILE", env = "CATHERD_TOKEN_FILE")]
    token_file: Option<PathBuf>,
}

impl Credentials {
    /// The files that give others the same rights.
    pub(crate) fn secret_files(&self) -> Vec<PathBuf> {
        let keys = self.tls.iter().map(|folder| folder.join("key.pem"));
        keys.chain(self.token_file.clone()).collect()
    }

    pub(crate) fn access(&self) -> Result<Access, Failure> {
        let token = self.token_file.as_deref().map(fs::read_to_string).transpose();
        let token = token.map_err(|cause| {
            let file = self.token_file.as_deref().unwrap_or(Path::new(""));
            Failure::new(format_args!("{}: {cause}", file.display()))
                .hint("write what `catherd token` printed into the file")
        })?;
        let token = token.map(|token| token.trim().to_owned());
        Ok(Access { tls: self.tls.as_deref().map(read_tls).transpose()?, token })
    }
}

/// An address as a URL.
pub(crate) fn url(address: &str, access: &Access) -> String {
    match (address.contains("://"), &access.tls) {
        (true, _) => address.to_owned(),
        (false, Some(_)) => format!("https://{address}"),
        (false, None) => format!("http://{address}"),
    }
}

/// Reads ca.pem, cert.pem and key.pem.
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

/// Makes a token for a worker, a submitter or a viewer.
///
/// The token is printed once; only its digest is written to the coordinator's token file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd token worker --name ants >> ants.token
  catherd token submitter --file /srv/catherd/tokens")]
pub(crate) struct MakeToken {
    /// What the token permits: worker, submitter or viewer
    role: Role,

    /// Name of the owner, for readers of the token file
    #[arg(long, default_value = "")]
    name: String,

    /// The coordinator's token file
    #[arg(long, value_name = "FILE", default_value = "tokens")]
    file: PathBuf,
}

impl MakeToken {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|cause| Failure::new(format_args!("no random numbers: {cause}")))?;
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let token = format!("catherd-{digits}");
        TokenStore::add(&self.file, &token, self.role, &self.name)?;
        terminal::print(&format!("{token}\n"));
        terminal::note(&format!(
            "The digest is in {0}; start the coordinator with --tokens {0}.",
            self.file.display()
        ));
        Ok(Exit::Success)
    }
}

impl From<TokenStoreError> for Failure {
    fn from(error: TokenStoreError) -> Failure {
        Failure::new(error).hint("make it with `catherd token ROLE --file FILE`")
    }
}

/// Makes certificates for a coordinator, its workers and its clients, signed by a certificate
/// authority of their own.
///
/// DIR gets ca.pem and ca-key.pem, and a folder for each --for with ca.pem, cert.pem and key.pem;
/// copy each folder to the machine that uses it. Keep ca-key.pem secret, because it can sign more
/// certificates.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd certs --dir certs --for ant.example.org,10.0.0.7 --for workers
  catherd coordinator --listen 0.0.0.0:7420 --tls certs/ant.example.org --tokens tokens
  catherd worker --connect ant.example.org:7420 --tls certs/workers --token-file ants.token")]
pub(crate) struct MakeCerts {
    /// Folder to write; a certificate authority in it is used again
    #[arg(long, value_name = "DIR", default_value = "certs")]
    dir: PathBuf,

    /// Host names and IP addresses for one certificate, separated by commas; repeat the flag for
    /// further certificates
    #[arg(long = "for", value_name = "NAMES", required = true)]
    certificates: Vec<String>,
}

impl MakeCerts {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let issuer = self.authority()?;
        for names in &self.certificates {
            let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
            let folder = self.dir.join(safe_name(&names[0]));
            let key = KeyPair::generate().map_err(certificate_failure)?;
            let mut parameters = CertificateParams::new(names).map_err(certificate_failure)?;
            parameters.not_after = rcgen::date_time_ymd(2045, 1, 1);
            let certificate = parameters.signed_by(&key, &issuer).map_err(certificate_failure)?;
            fs::create_dir_all(&folder).map_err(|cause| unwritable(&folder, &cause))?;
            write(&folder.join("ca.pem"), &issuer.pem(), 0o644)?;
            write(&folder.join("cert.pem"), &certificate.pem(), 0o644)?;
            write(&folder.join("key.pem"), &key.serialize_pem(), 0o600)?;
            terminal::note(&format!("{}: ca.pem, cert.pem, key.pem", folder.display()));
        }
        Ok(Exit::Success)
    }

    /// The certificate authority of the folder, made if it is missing.
    fn authority(&self) -> Result<CertifiedIssuer<'static, KeyPair>, Failure> {
        fs::create_dir_all(&self.dir).map_err(|cause| unwritable(&self.dir, &cause))?;
        let file = self.dir.join("ca-key.pem");
        let key = match fs::read_to_string(&file) {
            Ok(pem) => KeyPair::from_pem(&pem).map_err(certificate_failure)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = KeyPair::generate().map_err(certificate_failure)?;
                write(&file, &key.serialize_pem(), 0o600)?;
                key
            }
            Err(error) => return Err(unwritable(&file, &error)),
        };
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters.distinguished_name.push(rcgen::DnType::CommonName, "catherd");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        parameters.not_after = rcgen::date_time_ymd(2045, 1, 1);
        let issuer = CertifiedIssuer::self_signed(parameters, key).map_err(certificate_failure)?;
        write(&self.dir.join("ca.pem"), &issuer.pem(), 0o644)?;
        Ok(issuer)
    }
}

fn write(file: &Path, text: &str, mode: u32) -> Result<(), Failure> {
    let mut options = fs::OpenOptions::new();
    options.create(true).write(true).truncate(true);
    let opened = catherd_platform::with_mode(&mut options, mode).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(text.as_bytes()));
    written.map_err(|cause| unwritable(file, &cause))
}

fn unwritable(path: &Path, cause: &io::Error) -> Failure {
    Failure::new(format_args!("{}: {cause}", path.display()))
        .hint("name a folder that you may write to with --dir")
}

fn certificate_failure(cause: rcgen::Error) -> Failure {
    Failure::new(format_args!("cannot make a certificate: {cause}"))
        .hint("give --for host names or IP addresses")
}
