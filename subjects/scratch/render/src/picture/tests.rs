use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .as_chunks::<2>()
        .0
        .iter()
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn decoded(file: &[u8]) -> Vec<[u8; 4]> {
    let picture = Picture::decode(file).unwrap();
    assert_eq!(Format::of(file).unwrap().size(file), Ok((picture.width, picture.height)));
    assert_eq!(picture.pixels.len() as u32, picture.width * picture.height);
    picture.pixels
}

/// A picture with three columns and two rows. The right column is transparent.
fn sample() -> Picture {
    Picture::from_fn(3, 2, |x, y| [x as u8 * 100, y as u8 * 200, 50, if x == 2 { 0 } else { 255 }])
}

#[test]
fn files_of_all_formats_have_their_pixels() {
    assert_eq!(decoded(&sample().to_png()), sample().pixels);
    let gif = "4749463839610300020080000000000000000021f90409000004002c00000000030002008200003200c\
               83264003264c832c80032000000000000000000030408423194003b";
    let mut visible = sample().pixels;
    // The file has one colour for all transparent pixels.
    visible[5] = visible[2];
    assert_eq!(decoded(&bytes(gif)), visible);
    let webp = "52494646c2000000574542505650384cb60000002f02400010cd552022021e88040000000080000000\
                00000000000000000000000000000000000000000000030000000000000c00007820120000000000e7\
                3f00000000000060000000000004000000000000000000000000000000000000000f440200000000e0\
                fc0300000000003018000000000000000000000000000000000000000000000000e081040000000000\
                9cff00000000000000000000000000000000000000000000000000000000000000402a80bd01";
    assert_eq!(decoded(&bytes(webp)), sample().pixels);
    let jpeg = "ffd8ffe000104a46494600010200000100010000ffc0000b080002000301011100ffdb004300030202\
                0302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b\
                1016101113141515150c0f171816141812141514ffc4001f0000010501010101010100000000000000\
                000102030405060708090a0bffc400b5100002010303020403050504040000017d0102030004110512\
                2131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a2526272829\
                2a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a83\
                8485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8\
                c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda0008010100003f00\
                ec7f64dff9371f00ff00d8357ff426afffd9";
    let gray = [0, 90, 180].map(|light| [light, light, light, 255]);
    assert_eq!(decoded(&bytes(jpeg)), [gray, gray].concat());
}

#[test]
fn sixteen_bits_of_png_are_rounded() {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 3, 1);
    encoder.set_color(png::ColorType::GrayscaleAlpha);
    encoder.set_depth(png::BitDepth::Sixteen);
    let words = [0x0080_u16, 0xffff, 0x0081, 0x8080, 0xfeff, 0];
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    encoder.write_header().unwrap().write_image_data(&data).unwrap();
    assert_eq!(decoded(&file), [[0, 0, 0, 255], [1, 1, 1, 128], [254, 254, 254, 0]]);
}

fn bmp(size: (i32, i32), depth: u16, compression: u32, colors: u32, rest: &[&[u8]]) -> Vec<u8> {
    let before: usize = rest[..rest.len() - 1].iter().map(|part| part.len()).sum();
    let mut file = b"BM\0\0\0\0\0\0\0\0".to_vec();
    for word in [54 + before as u32, 40, size.0 as u32, size.1 as u32] {
        file.extend(word.to_le_bytes());
    }
    file.extend([1, 0]);
    file.extend(depth.to_le_bytes());
    for word in [compression, 0, 0, 0, colors, 0] {
        file.extend(word.to_le_bytes());
    }
    rest.iter().for_each(|part| file.extend(*part));
    file
}

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];
const PALETTE: &[u8] = &[0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0];

#[test]
fn bmp_rows_begin_at_the_bottom_unless_the_height_is_negative() {
    let rows: &[u8] = &[0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0];
    let bottom_up = decoded(&bmp((2, 2), 24, 0, 0, &[rows]));
    assert_eq!(bottom_up, [BLUE, BLUE, RED, GREEN]);
    let top_down = decoded(&bmp((2, -2), 24, 0, 0, &[rows]));
    assert_eq!(top_down, [RED, GREEN, BLUE, BLUE]);
}

#[test]
fn bmp_pixels_are_indices_or_channels_of_bits() {
    let two_bits = decoded(&bmp((3, 1), 2, 0, 3, &[PALETTE, &[0b0001_1000, 0, 0, 0]]));
    assert_eq!(two_bits, [RED, GREEN, BLUE]);
    // An index without a colour is black.
    let eight_bits = decoded(&bmp((3, 1), 8, 0, 3, &[PALETTE, &[2, 1, 3, 0]]));
    assert_eq!(eight_bits, [BLUE, GREEN, BLACK]);
    let fifteen_bits = decoded(&bmp((2, 1), 16, 0, 0, &[&[0x1f, 0, 0x10, 0x7c]]));
    assert_eq!(fifteen_bits, [BLUE, [255, 0, 132, 255]]);
    let masks = [0xf000_u32, 0x0f00, 0x00f0].map(u32::to_le_bytes).concat();
    let masked = decoded(&bmp((2, 1), 16, 3, 0, &[&masks, &[0xf0, 0x01, 0x0f, 0xf8]]));
    assert_eq!(masked, [[0, 17, 255, 255], [255, 136, 0, 255]]);
    // Without a mask for alpha, the fourth byte is ignored.
    let words = decoded(&bmp((1, 1), 32, 0, 0, &[&[1, 2, 3, 0]]));
    assert_eq!(words, [[3, 2, 1, 255]]);
}

#[test]
fn bmp_runs_end_skip_and_repeat() {
    let runs = &[2, 1, 0, 0, 0, 2, 1, 0, 1, 0, 0, 0, 0, 3, 2, 1, 0, 0, 0, 1];
    let pixels = decoded(&bmp((3, 3), 8, 1, 3, &[PALETTE, runs]));
    let rows = [[BLUE, GREEN, RED], [BLACK, RED, BLACK], [GREEN, GREEN, BLACK]];
    assert_eq!(pixels, rows.concat());
    let runs = &[4, 0x12, 0, 0, 0, 3, 0x20, 0x10, 0, 1];
    let pixels = decoded(&bmp((4, 2), 4, 2, 3, &[PALETTE, runs]));
    assert_eq!(pixels, [[BLUE, RED, GREEN, BLACK], [GREEN, BLUE, GREEN, BLUE]].concat());
}

#[test]
fn damaged_pictures_have_no_pixels() {
    let whole = bmp((3, 3), 8, 1, 3, &[PALETTE, &[3, 1, 0, 0, 3, 2, 0, 0, 3, 0, 0, 1]]);
    assert!(Picture::decode(&whole).is_some());
    let files = [
        sample().to_png(),
        whole,
        bmp((2, 2), 24, 0, 0, &[&[0; 16]]),
        bmp((2, 2), 16, 3, 0, &[&[0xf0, 0, 0, 0, 0x0f, 0, 0, 0, 0, 0xf, 0, 0], &[0; 8]]),
    ];
    for file in files {
        for end in 0..file.len() - 4 {
            if Format::of(&file[..end]) == Some(Format::Png) && end > file.len() - 16 {
                continue;
            }
            assert_eq!(Picture::decode(&file[..end]), None, "{end}");
        }
    }
    // Refuse more colours than indices, a mask with a gap, and a run beyond the end of its row.
    assert_eq!(Picture::decode(&bmp((1, 1), 1, 0, 3, &[PALETTE, &[0; 4]])), None);
    let masks = [0xf0f_u32, 0xf0, 0xf000].map(u32::to_le_bytes).concat();
    assert_eq!(Picture::decode(&bmp((1, 1), 16, 3, 0, &[&masks, &[0; 4]])), None);
    assert_eq!(Picture::decode(&bmp((2, 1), 4, 2, 3, &[PALETTE, &[3, 0, 0, 1]])), None);
}
