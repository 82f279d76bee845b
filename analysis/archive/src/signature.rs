//! Signatures with Ed25519 keys of SSH, in the format of `ssh-keygen -Y sign` (SSHSIG).

use std::fmt;

use ring::signature::{ED25519, Ed25519KeyPair, UnparsedPublicKey};
use ssh_key::private::KeypairData;
use ssh_key::public::KeyData;
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};

/// The namespace in signatures of packages.
pub const NAMESPACE: &str = "catherd-package";

/// Maximum size of a signature or a key in bytes.
pub const MAX_SIGNATURE_BYTES: u64 = 64 << 10;

/// An error in a key or a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// The key cannot be read.
    #[error("is not a private key of OpenSSH: {0}")]
    Key(String),
    /// The key is encrypted.
    #[error("is protected by a passphrase")]
    Encrypted,
    /// The key or the signature is not of the kind Ed25519.
    #[error("is of kind {0}, not ssh-ed25519")]
    Kind(String),
    /// The signature is malformed.
    #[error("is not a signature of ssh-keygen: {0}")]
    Malformed(String),
    /// The signature was made for another purpose.
    #[error("was made for `{0}`, not for `{NAMESPACE}`")]
    Namespace(String),
    /// The signature does not match the signed bytes or the key.
    #[error("does not match the statement, or the key that the signature contains")]
    Forged,
}

/// A key that signs.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: KeyData,
}

impl SigningKey {
    /// Reads a private key of OpenSSH.
    ///
    /// # Errors
    /// If `text` is not a private key of OpenSSH, or the key is encrypted or not an Ed25519 key.
    pub fn read(text: &[u8]) -> Result<SigningKey, SignatureError> {
        let malformed = |cause: &dyn fmt::Display| SignatureError::Key(cause.to_string());
        let key = PrivateKey::from_openssh(text).map_err(|cause| malformed(&cause))?;
        let pair = match key.key_data() {
            KeypairData::Ed25519(pair) => pair,
            KeypairData::Encrypted(_) => return Err(SignatureError::Encrypted),
            _ => return Err(SignatureError::Kind(key.algorithm().to_string())),
        };
        let (seed, public) = (pair.private.to_bytes(), pair.public);
        let pair = Ed25519KeyPair::from_seed_and_public_key(&seed, &public.0)
            .map_err(|cause| malformed(&cause))?;
        Ok(SigningKey { pair, public: KeyData::Ed25519(public) })
    }

    /// Signs bytes, and returns the signature as PEM text. The same key and bytes give the same
    /// signature.
    ///
    /// # Errors
    /// If the signature cannot be encoded, which does not occur with an Ed25519 key.
    pub fn sign(&self, bytes: &[u8]) -> Result<String, SignatureError> {
        let sign = || {
            let signed = SshSig::signed_data(NAMESPACE, HashAlg::Sha512, bytes)?;
            let signature = self.pair.sign(&signed).as_ref().to_vec();
            let signature = ssh_key::Signature::new(Algorithm::Ed25519, signature)?;
            SshSig::new(self.public.clone(), NAMESPACE, HashAlg::Sha512, signature)?
                .to_pem(LineEnding::LF)
        };
        sign().map_err(|cause: ssh_key::Error| SignatureError::Malformed(cause.to_string()))
    }

    /// The public key.
    pub fn public(&self) -> Key {
        Key(self.public.clone())
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(KeyData);

impl Key {
    /// Reads `KIND BASE64 [COMMENT]`, a line of a file such as `id_ed25519.pub`.
    pub(crate) fn read(text: &str) -> Option<Key> {
        PublicKey::from_openssh(text).ok().map(|key| Key(key.key_data().clone()))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fingerprint(HashAlg::Sha256).fmt(f)
    }
}

/// A signature that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The key that made the signature.
    pub key: Key,
}

impl Signature {
    /// Reads a signature and checks it against the signed bytes.
    ///
    /// # Errors
    /// If the signature is not valid for these bytes, or its key is not an Ed25519 key.
    pub fn check(pem: &[u8], bytes: &[u8]) -> Result<Signature, SignatureError> {
        let malformed = |cause: ssh_key::Error| SignatureError::Malformed(cause.to_string());
        let signature = SshSig::from_pem(pem).map_err(malformed)?;
        if signature.namespace() != NAMESPACE {
            return Err(SignatureError::Namespace(signature.namespace().to_owned()));
        }
        let key = match (signature.public_key(), signature.algorithm()) {
            (KeyData::Ed25519(key), Algorithm::Ed25519) => *key,
            (key, _) => return Err(SignatureError::Kind(key.algorithm().to_string())),
        };
        let signed =
            SshSig::signed_data(NAMESPACE, signature.hash_alg(), bytes).map_err(malformed)?;
        UnparsedPublicKey::new(&ED25519, key.0)
            .verify(&signed, signature.signature_bytes())
            .map_err(|_| SignatureError::Forged)?;
        Ok(Signature { key: Key(KeyData::Ed25519(key)) })
    }
}
