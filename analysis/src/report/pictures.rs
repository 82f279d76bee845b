//! The page of pictures that show executions of suites.

use maud::{DOCTYPE, PreEscaped, html};

use super::html::STYLE;

/// A picture of the execution of a run's suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pictured {
    /// Name of the project.
    pub project: String,
    /// Label of the algorithm.
    pub algorithm: String,
    /// Seed of the run.
    pub seed: u64,
    /// First digits of the id of the run.
    pub run: String,
    /// Description of the picture, without a final full stop.
    pub caption: String,
    /// Path of the file, relative to the page, with slashes.
    pub file: String,
}

/// Returns a page that shows the pictures, which are separate files.
pub fn pictures_page(title: &str, pictures: &[Pictured]) -> String {
    let title = format!("{title}: pictures");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p { "For each project: the run with the most covered goals (the first of several)." }
                    p { a href="report.html" { "The report" } }
                }
                main {
                    @for picture in pictures {
                        figure {
                            img src=(address(&picture.file)) alt={ "A test of " (picture.project) };
                            figcaption {
                                b { (picture.project) "." } " " (picture.algorithm) ", seed "
                                (picture.seed) ", run " code { (picture.run) } ". "
                                (picture.caption) "."
                            }
                        }
                        "\n"
                    }
                }
            }
        }
    };
    page.into_string()
}

fn address(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_projects_are_text_on_the_page() {
        let picture = Pictured {
            project: "<b>Catch</b>".to_owned(),
            algorithm: "reflex".to_owned(),
            seed: 3,
            run: "0123abcd".to_owned(),
            caption: "Test 0, which covers 7 goals".to_owned(),
            file: "pictures/catch #1.gif".to_owned(),
        };
        let page = pictures_page("games", &[picture]);
        assert!(page.contains("&lt;b&gt;Catch&lt;/b&gt;") && !page.contains("<b>Catch"), "{page}");
        assert!(
            page.contains("src=\"pictures/catch%20%231.gif\"") && page.contains("7 goals."),
            "{page}"
        );
    }
}
