//! Makes, renews and reads certificates.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use time::{Duration, OffsetDateTime};
use x509_parser::extensions::GeneralName;
use x509_parser::pem::parse_x509_pem;

use super::{Expiry, MakeCerts};
use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::file_names::safe_name;

const AUTHORITY_VALIDITY: Duration = Duration::days(5 * 365);

/// Certificates are valid from this time before their creation, because clocks differ.
const CLOCK_DIFFERENCE: Duration = Duration::days(1);

/// Remaining validity below which an expiry is urgent.
const EXPIRES_SOON: Duration = Duration::days(30);

pub(crate) fn expiry(pem: &[u8]) -> Result<Expiry, Failure> {
    let end = parsed(pem, |certificate| certificate.validity().not_after.to_datetime())?;
    let left = end - OffsetDateTime::now_utc();
    let (date, days) = (end.date(), left.whole_days());
    let text = match days {
        _ if left.is_negative() => {
            format!("the certificate expired on {date}; renew it with catherd certs")
        }
        _ if left < EXPIRES_SOON => format!(
            "the certificate expires on {date}, in {}; renew it with catherd certs",
            terminal::plural(days.unsigned_abs() as usize, "day")
        ),
        _ => format!("the certificate is valid until {date}, for {days} days"),
    };
    Ok(Expiry { text, urgent: left < EXPIRES_SOON })
}

fn parsed<T>(
    pem: &[u8],
    read: impl FnOnce(&x509_parser::certificate::X509Certificate<'_>) -> T,
) -> Result<T, Failure> {
    let unreadable = |cause: &dyn std::fmt::Display| {
        Failure::new(format_args!("cannot read a certificate: {cause}"))
            .hint("make another with catherd certs")
    };
    let (_, pem) = parse_x509_pem(pem).map_err(|cause| unreadable(&cause))?;
    let certificate = pem.parse_x509().map_err(|cause| unreadable(&cause))?;
    Ok(read(&certificate))
}

fn names(pem: &[u8]) -> Result<Vec<String>, Failure> {
    parsed(pem, |certificate| {
        let extension = certificate.subject_alternative_name().ok().flatten();
        let names = extension.map(|extension| &*extension.value.general_names).unwrap_or_default();
        let texts = names.iter().filter_map(|name| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            GeneralName::IPAddress(bytes) => match <[u8; 4]>::try_from(*bytes) {
                Ok(bytes) => Some(Ipv4Addr::from(bytes).to_string()),
                Err(_) => Some(Ipv6Addr::from(<[u8; 16]>::try_from(*bytes).ok()?).to_string()),
            },
            _ => None,
        });
        texts.collect()
    })
}

impl MakeCerts {
    pub(super) fn make(&self) -> Result<Exit, Failure> {
        let mut folders = Vec::new();
        for names in &self.certificates {
            let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
            folders.push((self.dir.join(safe_name(&names[0])), names));
        }
        if folders.is_empty() {
            folders = self.present()?;
        }
        let issuer = self.authority()?;
        for (folder, names) in folders {
            self.issue(&issuer, &folder, names)?;
        }
        Ok(Exit::Success)
    }

    fn present(&self) -> Result<Vec<(PathBuf, Vec<String>)>, Failure> {
        let entries = fs::read_dir(&self.dir).map_err(|cause| unwritable(&self.dir, &cause))?;
        let mut folders = Vec::new();
        for entry in entries {
            let folder = entry.map_err(|cause| unwritable(&self.dir, &cause))?.path();
            if let Ok(pem) = fs::read(folder.join("cert.pem")) {
                let names = names(&pem)
                    .map_err(|failure| failure.at(format_args!("{}: ", folder.display())))?;
                folders.push((folder, names));
            }
        }
        folders.sort();
        match folders.is_empty() {
            true => Err(Failure::new(format_args!("no certificates in {}", self.dir.display()))
                .hint("make the first with --for NAMES")),
            false => Ok(folders),
        }
    }

    fn issue(
        &self,
        issuer: &CertifiedIssuer<'static, KeyPair>,
        folder: &Path,
        names: Vec<String>,
    ) -> Result<(), Failure> {
        let key = KeyPair::generate().map_err(certificate_failure)?;
        let mut parameters = CertificateParams::new(names).map_err(certificate_failure)?;
        let now = OffsetDateTime::now_utc();
        parameters.not_before = now - CLOCK_DIFFERENCE;
        parameters.not_after = now + Duration::days(self.days.into());
        let certificate = parameters.signed_by(&key, issuer).map_err(certificate_failure)?;
        fs::create_dir_all(folder).map_err(|cause| unwritable(folder, &cause))?;
        write(&folder.join("ca.pem"), &issuer.pem())?;
        write(&folder.join("cert.pem"), &certificate.pem())?;
        write_secret(&folder.join("key.pem"), &key.serialize_pem())?;
        terminal::note(&format!(
            "{}: ca.pem, cert.pem, key.pem; valid until {}",
            folder.display(),
            parameters.not_after.date()
        ));
        Ok(())
    }

    /// The key is read from the folder, or made if it is missing; the authority's certificate is
    /// renewed.
    fn authority(&self) -> Result<CertifiedIssuer<'static, KeyPair>, Failure> {
        fs::create_dir_all(&self.dir).map_err(|cause| unwritable(&self.dir, &cause))?;
        let file = self.dir.join("ca-key.pem");
        let key = match fs::read_to_string(&file) {
            Ok(pem) => KeyPair::from_pem(&pem).map_err(certificate_failure)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = KeyPair::generate().map_err(certificate_failure)?;
                write_secret(&file, &key.serialize_pem())?;
                key
            }
            Err(error) => return Err(unwritable(&file, &error)),
        };
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters.distinguished_name.push(rcgen::DnType::CommonName, "catherd");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let now = OffsetDateTime::now_utc();
        parameters.not_before = now - CLOCK_DIFFERENCE;
        parameters.not_after = now + AUTHORITY_VALIDITY;
        let issuer = CertifiedIssuer::self_signed(parameters, key).map_err(certificate_failure)?;
        write(&self.dir.join("ca.pem"), &issuer.pem())?;
        Ok(issuer)
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|cause| unwritable(file, &cause))
}

/// Writes a key with mode 0600, even if an earlier file had a different mode.
fn write_secret(file: &Path, text: &str) -> Result<(), Failure> {
    catherd_platform::write_private(file, text).map_err(|cause| unwritable(file, &cause))
}

fn unwritable(path: &Path, cause: &io::Error) -> Failure {
    Failure::new(format_args!("{}: {cause}", path.display()))
        .hint("with --dir, name a folder that you may write to")
}

fn certificate_failure(cause: rcgen::Error) -> Failure {
    Failure::new(format_args!("cannot make a certificate: {cause}"))
        .hint("give --for host names or IP addresses, and check ca-key.pem in the folder of --dir")
}
