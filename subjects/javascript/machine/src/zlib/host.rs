//! The functions of this module that the prelude calls.

use catherd_javascript_engine::quickjs::{Ctx, Error, Function, Object};

use super::{DeflateSettings, Flush, Format, Inflated, Strategy, compress, crc32, inflate};

/// Maximum length of decompressed data, in bytes. The data becomes a list of numbers in the engine,
/// which takes several times as much memory.
const MAX_INFLATED: usize = 4 << 20;

fn format(name: &str) -> Format {
    match name {
        "zlib" => Format::Zlib,
        "gzip" => Format::Gzip,
        _ => Format::Raw,
    }
}

/// `cuts` contains the end of each part, followed by the number of the flush.
fn deflated(name: &str, bytes: &[u8], cuts: &[usize], settings: &[u32]) -> Vec<u8> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for cut in cuts.chunks_exact(2) {
        let end = cut[0].clamp(begin, bytes.len());
        let flush = match cut[1] {
            1 => Flush::Partial,
            2 => Flush::Sync,
            3 => Flush::Full,
            4 => Flush::Finish,
            _ => Flush::None,
        };
        parts.push((&bytes[begin..end], flush));
        begin = end;
    }
    let &[level, window_bits, memory, strategy] = settings else { return Vec::new() };
    let strategy = match strategy {
        1 => Strategy::Filtered,
        2 => Strategy::Huffman,
        3 => Strategy::Runs,
        4 => Strategy::Fixed,
        _ => Strategy::Usual,
    };
    let settings = DeflateSettings {
        level: level.min(9) as usize,
        window_bits: window_bits.clamp(9, 15),
        memory: memory.clamp(1, 9),
        strategy,
    };
    compress(&parts, format(name), settings).unwrap_or_default()
}

pub(crate) fn offer<'js>(ctx: &Ctx<'js>, host: &Object<'js>) -> Result<(), Error> {
    let deflate = |name: String, bytes: Vec<u8>, cuts: Vec<usize>, settings: Vec<u32>| {
        deflated(&name, &bytes, &cuts, &settings)
    };
    host.set("deflate", Function::new(ctx.clone(), deflate)?)?;
    let inflated = |ctx: Ctx<'js>, name: String, bytes: Vec<u8>, window_bits: u8| {
        let bits = window_bits.clamp(9, 15);
        let Inflated { bytes, rest, complete, wrong, too_long } =
            inflate(&bytes, format(&name), bits, MAX_INFLATED);
        let made = Object::new(ctx)?;
        made.set("bytes", if too_long { Vec::new() } else { bytes })?;
        made.set("rest", rest)?;
        made.set("complete", complete)?;
        made.set("wrong", wrong)?;
        made.set("tooLong", too_long)?;
        Ok::<_, Error>(made)
    };
    host.set("inflate", Function::new(ctx.clone(), inflated)?)?;
    let crc = |bytes: Vec<u8>, before: u32| f64::from(crc32(&bytes, before));
    host.set("crc32", Function::new(ctx.clone(), crc)?)
}
