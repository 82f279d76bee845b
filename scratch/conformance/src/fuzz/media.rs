//! Costumes that no painter has drawn.

use crate::dice::Dice;

/// A costume file of any format.
pub(super) fn picture(dice: &mut Dice) -> Vec<u8> {
    match dice.below(8) {
        0 => png(dice),
        1 => gif(dice),
        2 => bmp(dice),
        3 => jpeg(dice),
        _ => svg(dice).into_bytes(),
    }
}

/// A side of a picture: tiny, ordinary, or absurd.
fn side(dice: &mut Dice) -> u32 {
    match dice.below(6) {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << 16,
        3 => 16_384,
        _ => dice.magnitude(10) as u32,
    }
}

fn png(dice: &mut Dice) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = side(dice).to_be_bytes().to_vec();
    header.extend(side(dice).to_be_bytes());
    header.extend([dice.pick(&[1, 2, 4, 8, 16]), dice.pick(&[0, 2, 3, 4, 6, 7]), 0, 0]);
    header.push(dice.pick(&[0, 1]));
    chunk(&mut file, b"IHDR", &header);
    if dice.one_in(3) {
        let palette: Vec<u8> = (0..3 * dice.magnitude(9)).map(|i| i as u8).collect();
        chunk(&mut file, b"PLTE", &palette);
    }
    // A zlib stream of stored blocks, or of none.
    let rows: Vec<u8> = (0..dice.magnitude(14)).map(|i| (i * 7) as u8).collect();
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

fn gif(dice: &mut Dice) -> Vec<u8> {
    let mut file = b"GIF89a".to_vec();
    let sides = [side(dice) as u16, side(dice) as u16];
    file.extend(sides.iter().flat_map(|s| s.to_le_bytes()));
    file.extend([0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
    for _ in 0..dice.magnitude(5) {
        file.push(0x2c);
        file.extend([0; 4]);
        let frame = [sides[0], if dice.one_in(2) { sides[1] } else { side(dice) as u16 }];
        file.extend(frame.iter().flat_map(|s| s.to_le_bytes()));
        file.extend([0, 2, 2, 0x44, 1, 0]);
    }
    file.push(0x3b);
    file
}

fn bmp(dice: &mut Dice) -> Vec<u8> {
    let mut file = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    file.extend(side(dice).to_le_bytes());
    file.extend(side(dice).to_le_bytes());
    file.extend([1, 0, dice.pick(&[1, 4, 8, 16, 24, 32]), 0, dice.pick(&[0, 1, 2, 3]), 0, 0, 0]);
    file.extend([0; 20]);
    file.extend((0..dice.magnitude(12)).map(|i| i as u8));
    file
}

fn jpeg(dice: &mut Dice) -> Vec<u8> {
    let mut file =
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x0b\x08".to_vec();
    file.extend((side(dice) as u16).to_be_bytes());
    file.extend((side(dice) as u16).to_be_bytes());
    file.extend([1, 1, dice.pick(&[0x11, 0x22, 0x44, 0]), 0]);
    file.extend((0..dice.magnitude(8)).map(|i| (i * 31) as u8));
    file.extend(b"\xff\xda\0\x08\x01\x01\0\0\x3f\0");
    file.extend((0..dice.magnitude(10)).map(|i| (i * 13) as u8));
    file
}

/// A number as documents write them.
fn number(dice: &mut Dice) -> String {
    let absurd = [
        "0", "-1", "1e9", "1e38", "-1e38", "1e-40", "1e400", "NaN", "50%", "9e99%", "1e6", "0.0001",
    ];
    match dice.below(3) {
        0 => (dice.pick(&absurd)).to_owned(),
        1 => dice.magnitude(12).to_string(),
        _ => format!("{:.2}", 100.0 * dice.spread()),
    }
}

fn svg(dice: &mut Dice) -> String {
    let view = match dice.below(6) {
        0 => String::new(),
        1 => {
            format!("viewBox='{} {} {} {}'", number(dice), number(dice), number(dice), number(dice))
        }
        2 => format!("width='{}' height='{}'", number(dice), number(dice)),
        _ => "viewBox='0 0 100 100' width='100' height='100'".to_owned(),
    };
    let mut body = String::new();
    for _ in 0..1 + dice.below(4) {
        body += &match dice.below(12) {
            0 => filter(dice),
            1 => uses(dice),
            2 => nested_patterns(dice),
            3 => path(dice),
            4 => {
                let depth = dice.magnitude(9);
                let open =
                    dice.pick(&["<g>", "<g opacity='.9'>", "<svg>", "<g transform='scale(2)'>"]);
                let close = if open == "<svg>" { "</svg>" } else { "</g>" };
                format!("{}{}{}", open.repeat(depth), path(dice), close.repeat(depth))
            }
            5 => format!(
                "<text x='0' y='50' font-size='{}' textLength='{}' letter-spacing='{}'>{}</text>",
                number(dice),
                number(dice),
                number(dice),
                "aä😀".repeat(dice.magnitude(8))
            ),
            6 => image(dice),
            7 => chain(dice, "mask", "mask"),
            8 => chain(dice, "clipPath", "clip-path"),
            9 => format!(
                "<marker id='m' markerWidth='{0}' markerHeight='{0}'>{1}</marker><path marker-mid='url(#m)' d='{2}'/>",
                number(dice),
                path(dice),
                "M0 0L9 9".repeat(dice.magnitude(10))
            ),
            10 => format!(
                "<linearGradient id='g' x2='{}' gradientTransform='scale({})'>{}</linearGradient><rect width='90' height='90' fill='url(#g)'/>",
                number(dice),
                number(dice),
                format!("<stop offset='{}' stop-color='red'/>", number(dice))
                    .repeat(dice.magnitude(8))
            ),
            _ => entities(dice),
        };
    }
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' {view}>{body}</svg>"
    )
}

fn filter(dice: &mut Dice) -> String {
    let a = number(dice);
    let (b, c) = (number(dice), number(dice));
    let primitives = [
        format!("<feGaussianBlur stdDeviation='{a} {b}'/>"),
        format!("<feMorphology operator='dilate' radius='{a} {b}'/>"),
        format!("<feTurbulence baseFrequency='{a}' numOctaves='{b}' seed='{c}'/>"),
        format!(
            "<feConvolveMatrix order='{}' kernelMatrix='{}'/>",
            dice.magnitude(6),
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
    for _ in 0..dice.magnitude(6) {
        chain += &primitives[dice.below(primitives.len())];
    }
    let region = format!("x='{0}' y='{0}' width='{1}' height='{1}'", number(dice), number(dice));
    let transform =
        if dice.one_in(3) { format!("transform='scale({})'", number(dice)) } else { String::new() };
    format!(
        "<filter id='f' {region}>{chain}</filter><rect id='r' {transform} width='50' height='50' filter='url(#f)'/>"
    )
}

/// References to references, each several times.
fn uses(dice: &mut Dice) -> String {
    let (levels, times) = (dice.magnitude(5), 1 + dice.below(4));
    let mut text = format!("<defs><g id='u0'>{}</g>", path(dice));
    for i in 0..levels {
        let inner = format!("<use href='#u{i}' xlink:href='#u{i}' x='1'/>").repeat(times);
        text += &format!("<g id='u{}'>{inner}</g>", i + 1);
    }
    text + &format!("</defs><use href='#u{levels}' xlink:href='#u{levels}'/>")
}

fn nested_patterns(dice: &mut Dice) -> String {
    let levels = dice.magnitude(5);
    let mut text = String::from(
        "<pattern id='p0' width='1' height='1' patternUnits='userSpaceOnUse'><rect width='1' height='1'/></pattern>",
    );
    for i in 0..levels {
        let (size, scale) = (number(dice), number(dice));
        text += &format!(
            "<pattern id='p{}' width='{size}' height='{size}' patternUnits='userSpaceOnUse' patternTransform='scale({scale})'><rect width='99' height='99' fill='url(#p{i})'/><rect width='9' height='9' stroke='url(#p{i})'/></pattern>",
            i + 1
        );
    }
    text + &format!("<rect width='90' height='90' fill='url(#p{levels})'/>")
}

/// Elements that each wear the one before.
fn chain(dice: &mut Dice, element: &str, attribute: &str) -> String {
    let levels = dice.magnitude(6);
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

fn path(dice: &mut Dice) -> String {
    let mut d = String::from("M0 0");
    for _ in 0..dice.magnitude(12) {
        d += &match dice.below(4) {
            0 => format!("L{} {}", number(dice), number(dice)),
            1 => format!("c1 2 {} 4 5 {}", number(dice), number(dice)),
            2 => format!("a{} 5 30 1 0 {} 7", number(dice), number(dice)),
            _ => "z".to_owned(),
        };
    }
    let dash = if dice.one_in(2) {
        format!(
            "stroke-dasharray='{} {}' stroke-dashoffset='{}'",
            number(dice),
            number(dice),
            number(dice)
        )
    } else {
        String::new()
    };
    format!(
        "<path d='{d}' stroke='red' stroke-width='{}' {dash} transform='scale({} {})'/>",
        number(dice),
        number(dice),
        number(dice)
    )
}

fn image(dice: &mut Dice) -> String {
    let href = match dice.below(4) {
        0 => "file:///etc/hostname".to_owned(),
        1 => "http://127.0.0.1:9/x.png".to_owned(),
        2 => "data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27/%3E".to_owned(),
        _ => format!("data:image/png;base64,{}", base64(&png(dice))),
    };
    format!(
        "<image href='{href}' xlink:href='{href}' width='{}' height='{}'/>",
        number(dice),
        number(dice)
    )
}

fn entities(dice: &mut Dice) -> String {
    "&a;&#0;&#x110000;<![CDATA[]]><!-- -- --><style>*{fill:url(#a)}</style>"[dice.below(20)..]
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
