//! Hostile costume files.

use crate::rng::Rng;

pub(super) fn picture(rng: &mut Rng) -> Vec<u8> {
    match rng.below(8) {
        0 => png(rng),
        1 => gif(rng),
        2 => bmp(rng),
        3 => jpeg(rng),
        _ => svg(rng).into_bytes(),
    }
}

fn side(rng: &mut Rng) -> u32 {
    match rng.below(6) {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << 16,
        3 => 16_384,
        _ => rng.log_uniform(10) as u32,
    }
}

fn png(rng: &mut Rng) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = side(rng).to_be_bytes().to_vec();
    header.extend(side(rng).to_be_bytes());
    header.extend([rng.pick(&[1, 2, 4, 8, 16]), rng.pick(&[0, 2, 3, 4, 6, 7]), 0, 0]);
    header.push(rng.pick(&[0, 1]));
    chunk(&mut file, b"IHDR", &header);
    if rng.one_in(3) {
        let palette: Vec<u8> = (0..3 * rng.log_uniform(9)).map(|i| i as u8).collect();
        chunk(&mut file, b"PLTE", &palette);
    }
    // A zlib stream of one stored block, without a checksum.
    let rows: Vec<u8> = (0..rng.log_uniform(14)).map(|i| (i * 7) as u8).collect();
    let length = (rows.len() as u16).to_le_bytes();
    let mut data = vec![0x78, 1, 1, length[0], length[1], !length[0], !length[1]];
    data.extend(rows);
    chunk(&mut file, b"IDAT", &data);
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let mut crc = flate2::Crc::new();
    crc.update(&file[start..]);
    file.extend(crc.sum().to_be_bytes());
}

fn gif(rng: &mut Rng) -> Vec<u8> {
    let mut file = b"GIF89a".to_vec();
    let sides = [side(rng) as u16, side(rng) as u16];
    file.extend(sides.iter().flat_map(|s| s.to_le_bytes()));
    file.extend([0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
    for _ in 0..rng.log_uniform(5) {
        file.push(0x2c);
        file.extend([0; 4]);
        let frame = [sides[0], if rng.one_in(2) { sides[1] } else { side(rng) as u16 }];
        file.extend(frame.iter().flat_map(|s| s.to_le_bytes()));
        file.extend([0, 2, 2, 0x44, 1, 0]);
    }
    file.push(0x3b);
    file
}

fn bmp(rng: &mut Rng) -> Vec<u8> {
    let mut file = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    file.extend(side(rng).to_le_bytes());
    file.extend(side(rng).to_le_bytes());
    file.extend([1, 0, rng.pick(&[1, 4, 8, 16, 24, 32]), 0, rng.pick(&[0, 1, 2, 3]), 0, 0, 0]);
    file.extend([0; 20]);
    file.extend((0..rng.log_uniform(12)).map(|i| i as u8));
    file
}

fn jpeg(rng: &mut Rng) -> Vec<u8> {
    let mut file =
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x0b\x08".to_vec();
    file.extend((side(rng) as u16).to_be_bytes());
    file.extend((side(rng) as u16).to_be_bytes());
    file.extend([1, 1, rng.pick(&[0x11, 0x22, 0x44, 0]), 0]);
    file.extend((0..rng.log_uniform(8)).map(|i| (i * 31) as u8));
    file.extend(b"\xff\xda\0\x08\x01\x01\0\0\x3f\0");
    file.extend((0..rng.log_uniform(10)).map(|i| (i * 13) as u8));
    file
}

/// A number for SVG documents, often extreme or invalid.
fn number(rng: &mut Rng) -> String {
    let extreme = [
        "0", "-1", "1e9", "1e38", "-1e38", "1e-40", "1e400", "NaN", "50%", "9e99%", "1e6", "0.0001",
    ];
    match rng.below(3) {
        0 => (rng.pick(&extreme)).to_owned(),
        1 => rng.log_uniform(12).to_string(),
        _ => format!("{:.2}", 100.0 * rng.signed_unit()),
    }
}

fn svg(rng: &mut Rng) -> String {
    let view = match rng.below(6) {
        0 => String::new(),
        1 => {
            format!("viewBox='{} {} {} {}'", number(rng), number(rng), number(rng), number(rng))
        }
        2 => format!("width='{}' height='{}'", number(rng), number(rng)),
        _ => "viewBox='0 0 100 100' width='100' height='100'".to_owned(),
    };
    let mut body = String::new();
    for _ in 0..1 + rng.below(4) {
        body += &match rng.below(12) {
            0 => filter(rng),
            1 => uses(rng),
            2 => nested_patterns(rng),
            3 => path(rng),
            4 => {
                let depth = rng.log_uniform(9);
                let open =
                    rng.pick(&["<g>", "<g opacity='.9'>", "<svg>", "<g transform='scale(2)'>"]);
                let close = if open == "<svg>" { "</svg>" } else { "</g>" };
                format!("{}{}{}", open.repeat(depth), path(rng), close.repeat(depth))
            }
            5 => format!(
                "<text x='0' y='50' font-size='{}' textLength='{}' letter-spacing='{}'>{}</text>",
                number(rng),
                number(rng),
                number(rng),
                "aä😀".repeat(rng.log_uniform(8))
            ),
            6 => image(rng),
            7 => nested_references(rng, "mask", "mask"),
            8 => nested_references(rng, "clipPath", "clip-path"),
            9 => format!(
                "<marker id='m' markerWidth='{0}' markerHeight='{0}'>{1}</marker><path marker-mid='url(#m)' d='{2}'/>",
                number(rng),
                path(rng),
                "M0 0L9 9".repeat(rng.log_uniform(10))
            ),
            10 => format!(
                "<linearGradient id='g' x2='{}' gradientTransform='scale({})'>{}</linearGradient><rect width='90' height='90' fill='url(#g)'/>",
                number(rng),
                number(rng),
                format!("<stop offset='{}' stop-color='red'/>", number(rng))
                    .repeat(rng.log_uniform(8))
            ),
            _ => entities(rng),
        };
    }
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' {view}>{body}</svg>"
    )
}

fn filter(rng: &mut Rng) -> String {
    let a = number(rng);
    let (b, c) = (number(rng), number(rng));
    let primitives = [
        format!("<feGaussianBlur stdDeviation='{a} {b}'/>"),
        format!("<feMorphology operator='dilate' radius='{a} {b}'/>"),
        format!("<feTurbulence baseFrequency='{a}' numOctaves='{b}' seed='{c}'/>"),
        format!(
            "<feConvolveMatrix order='{}' kernelMatrix='{}'/>",
            rng.log_uniform(6),
            "1 ".repeat(9)
        ),
        format!("<feOffset dx='{a}' dy='{b}'/>"),
        "<feTile/>".to_owned(),
        "<feFlood flood-color='red'/>".to_owned(),
        format!("<feDropShadow dx='{a}' dy='{b}' stdDeviation='{c}'/>"),
        format!(
            "<feDiffuseLighting surfaceScale='{a}'><fePointLight x='{b}' y='1' z='{c}'/></feDiffuseLighting>"
        ),
        format!("<feDisplacementMap in2='SourceGraphic' scale='{a}'/>"),
        "<feComposite in2='SourceGraphic' operator='arithmetic' k1='9'/>".to_owned(),
        "<feImage href='#r'/>".to_owned(),
    ];
    let mut chain = String::new();
    for _ in 0..rng.log_uniform(6) {
        chain += &primitives[rng.below(primitives.len())];
    }
    let region = format!("x='{0}' y='{0}' width='{1}' height='{1}'", number(rng), number(rng));
    let transform =
        if rng.one_in(3) { format!("transform='scale({})'", number(rng)) } else { String::new() };
    format!(
        "<filter id='f' {region}>{chain}</filter><rect id='r' {transform} width='50' height='50' filter='url(#f)'/>"
    )
}

/// Exponential references: each level uses the previous level up to four times.
fn uses(rng: &mut Rng) -> String {
    let (levels, times) = (rng.log_uniform(5), 1 + rng.below(4));
    let mut text = format!("<defs><g id='u0'>{}</g>", path(rng));
    for i in 0..levels {
        let inner = format!("<use href='#u{i}' xlink:href='#u{i}' x='1'/>").repeat(times);
        text += &format!("<g id='u{}'>{inner}</g>", i + 1);
    }
    text + &format!("</defs><use href='#u{levels}' xlink:href='#u{levels}'/>")
}

fn nested_patterns(rng: &mut Rng) -> String {
    let levels = rng.log_uniform(5);
    let mut text = String::from(
        "<pattern id='p0' width='1' height='1' patternUnits='userSpaceOnUse'><rect width='1' height='1'/></pattern>",
    );
    for i in 0..levels {
        let (size, scale) = (number(rng), number(rng));
        text += &format!(
            "<pattern id='p{}' width='{size}' height='{size}' patternUnits='userSpaceOnUse' patternTransform='scale({scale})'><rect width='99' height='99' fill='url(#p{i})'/><rect width='9' height='9' stroke='url(#p{i})'/></pattern>",
            i + 1
        );
    }
    text + &format!("<rect width='90' height='90' fill='url(#p{levels})'/>")
}

/// Each element except the first applies the previous element.
fn nested_references(rng: &mut Rng, element: &str, attribute: &str) -> String {
    let levels = rng.log_uniform(6);
    let mut text =
        format!("<{element} id='{attribute}0'><rect width='50' height='50'/></{element}>");
    for i in 0..levels {
        text += &format!(
            "<{element} id='{attribute}{}' {attribute}='url(#{attribute}{i})'><rect width='60' height='60' {attribute}='url(#{attribute}{i})'/></{element}>",
            i + 1
        );
    }
    text + &format!("<rect width='90' height='90' {attribute}='url(#{attribute}{levels})'/>")
}

fn path(rng: &mut Rng) -> String {
    let mut d = String::from("M0 0");
    for _ in 0..rng.log_uniform(12) {
        d += &match rng.below(4) {
            0 => format!("L{} {}", number(rng), number(rng)),
            1 => format!("c1 2 {} 4 5 {}", number(rng), number(rng)),
            2 => format!("a{} 5 30 1 0 {} 7", number(rng), number(rng)),
            _ => "z".to_owned(),
        };
    }
    let dash = if rng.one_in(2) {
        format!(
            "stroke-dasharray='{} {}' stroke-dashoffset='{}'",
            number(rng),
            number(rng),
            number(rng)
        )
    } else {
        String::new()
    };
    format!(
        "<path d='{d}' stroke='red' stroke-width='{}' {dash} transform='scale({} {})'/>",
        number(rng),
        number(rng),
        number(rng)
    )
}

fn image(rng: &mut Rng) -> String {
    let href = match rng.below(4) {
        0 => "file:///etc/hostname".to_owned(),
        1 => "http://127.0.0.1:9/x.png".to_owned(),
        2 => "data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27/%3E".to_owned(),
        _ => format!("data:image/png;base64,{}", base64(&png(rng))),
    };
    format!(
        "<image href='{href}' xlink:href='{href}' width='{}' height='{}'/>",
        number(rng),
        number(rng)
    )
}

fn entities(rng: &mut Rng) -> String {
    "&a;&#0;&#x110000;<![CDATA[]]><!-- -- --><style>*{fill:url(#a)}</style>"[rng.below(20)..]
        .to_owned()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte))
            << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i)) as usize & 63] as char;
            text.push(if i <= three.len() { digit } else { '=' });
        }
    }
    text
}
