//! Hashes for the `crypto` module.

use md5::Md5;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// `name` is the name of the algorithm in lower case.
pub(crate) fn hash(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    Some(match name {
        "md5" => Md5::digest(bytes).to_vec(),
        "sha1" => sha1(bytes).to_vec(),
        "sha224" => Sha224::digest(bytes).to_vec(),
        "sha256" => Sha256::digest(bytes).to_vec(),
        "sha384" => Sha384::digest(bytes).to_vec(),
        "sha512" => Sha512::digest(bytes).to_vec(),
        _ => return None,
    })
}

/// SHA-1 (FIPS 180-4).
fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks_exact(64) {
        let mut words = [0_u32; 80];
        for (word, four) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = four.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for i in 16..80 {
            words[i] = (words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (round, word) in words.iter().enumerate() {
            let (mixed, constant) = match round {
                0..20 => (b & c | !b & d, 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
            (e, d, c, b) = (d, c, b.rotate_left(30), a);
            a = next.wrapping_add(constant).wrapping_add(*word);
        }
        for (total, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *total = total.wrapping_add(part);
        }
    }
    let mut hash = [0; 20];
    for (four, word) in hash.chunks_exact_mut(4).zip(state) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_published_vectors() {
        let hex = |name: &str, text: &str| -> String {
            let bytes = hash(name, text.as_bytes()).unwrap();
            bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        assert_eq!(hex("sha1", "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex("sha1", ""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex("sha1", long), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex("md5", "abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert!(hex("sha256", "abc").starts_with("ba7816bf8f01cfea"));
        assert_eq!(hash("none", b""), None);
    }
}
