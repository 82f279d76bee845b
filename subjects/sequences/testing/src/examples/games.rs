//! Counts of tic-tac-toe games up to symmetry.

use std::collections::HashSet;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Maximum side of a board.
const LARGEST: u64 = 3;

/// Maps the row and column of a square to the row and column of its image, given the index of the
/// last row.
type Turn = fn(usize, usize, usize) -> (usize, usize);

/// The eight symmetries of a square board, as lists of the image of each square.
fn symmetries(side: usize) -> Vec<Vec<usize>> {
    let square = |row: usize, column: usize| row * side + column;
    let last = side - 1;
    let turns: [Turn; 8] = [
        |r, c, _| (r, c),
        |r, c, last| (c, last - r),
        |r, c, last| (last - r, last - c),
        |r, c, last| (last - c, r),
        |r, c, last| (r, last - c),
        |r, c, last| (last - r, c),
        |r, c, _| (c, r),
        |r, c, last| (last - c, last - r),
    ];
    let image = |turn: Turn| {
        let squares = (0..side * side).map(|at| turn(at / side, at % side, last));
        squares.map(|(row, column)| square(row, column)).collect()
    };
    turns.map(image).to_vec()
}

/// A board: 0 for a free square, 1 and 2 for the players.
type Board = Vec<u8>;

fn won(board: &Board, side: usize) -> bool {
    let line = |squares: &mut dyn Iterator<Item = usize>| {
        let owners: Vec<u8> = squares.map(|at| board[at]).collect();
        owners[0] != 0 && owners.iter().all(|owner| *owner == owners[0])
    };
    (0..side).any(|row| line(&mut (0..side).map(|column| row * side + column)))
        || (0..side).any(|column| line(&mut (0..side).map(|row| row * side + column)))
        || line(&mut (0..side).map(|at| at * side + at))
        || line(&mut (0..side).map(|at| at * side + side - 1 - at))
}

/// Counts the games that continue from a board: all games, and games in which moves count as one if
/// a symmetry of the current board maps them to each other.
fn games(
    board: &mut Board,
    moves: usize,
    side: usize,
    turns: &[Vec<usize>],
    known: &mut FxHashMap<Board, (u64, u64)>,
) -> (u64, u64) {
    if won(board, side) || moves == board.len() {
        return (1, 1);
    }
    if let Some(&counted) = known.get(board) {
        return counted;
    }
    let own: Vec<&Vec<usize>> = turns
        .iter()
        .filter(|turn| (0..board.len()).all(|at| board[turn[at]] == board[at]))
        .collect();
    let (mut all, mut merged) = (0, 0);
    for at in (0..board.len()).filter(|&at| board[at] == 0).collect::<Vec<_>>() {
        board[at] = 1 + (moves % 2) as u8;
        let continued = games(board, moves + 1, side, turns, known);
        board[at] = 0;
        all += continued.0;
        // Of equivalent moves, count only the first.
        if own.iter().all(|turn| turn[at] >= at) {
            merged += continued.1;
        }
    }
    known.insert(board.clone(), (all, merged));
    (all, merged)
}

/// A `side` of 9 stands for a board of 9 squares.
pub(super) fn played(side: u64) -> Result<Value, String> {
    let side = match side {
        9 => 3,
        side if (1..=LARGEST).contains(&side) => side as usize,
        _ => return Err(format!("a board has a side from 1 to {LARGEST}")),
    };
    let turns = symmetries(side);
    let (all, merged) =
        games(&mut vec![0; side * side], 0, side, &turns, &mut FxHashMap::default());
    let orbits = orbits(side, &turns);
    Ok(json!({
        "games": all,
        "orbits": orbits,
        "game": orbits,
        "merged": merged,
        "board": merged,
    }))
}

/// Counts orbits of whole games, by counting games whose sequence of squares is the least of its
/// images.
fn orbits(side: usize, turns: &[Vec<usize>]) -> u64 {
    fn count(board: &mut Board, game: &mut Vec<usize>, side: usize, turns: &[&Vec<usize>]) -> u64 {
        if won(board, side) || game.len() == board.len() {
            return 1;
        }
        let mut sum = 0;
        for at in (0..board.len()).filter(|&at| board[at] == 0).collect::<Vec<_>>() {
            // If an image is smaller, the game is not the least of its images. Larger images need
            // not be compared further.
            if turns.iter().any(|turn| turn[at] < at) {
                continue;
            }
            let equal: Vec<&Vec<usize>> =
                turns.iter().filter(|turn| turn[at] == at).copied().collect();
            board[at] = 1 + (game.len() % 2) as u8;
            game.push(at);
            sum += count(board, game, side, &equal);
            game.pop();
            board[at] = 0;
        }
        sum
    }
    let turns: Vec<&Vec<usize>> = turns.iter().collect();
    count(&mut vec![0; side * side], &mut Vec::new(), side, &turns)
}

fn keeping(turns: &[Vec<usize>], square: usize) -> Vec<Vec<usize>> {
    turns.iter().filter(|turn| turn[square] == square).cloned().collect()
}

/// Merges orders as in example 6 of Elyasaf et al. (2023).
pub(super) fn orders(squares: u64) -> Result<Value, String> {
    let side = (1..=LARGEST).find(|side| side * side == squares);
    let side = side.ok_or_else(|| format!("{squares} squares are not a board"))? as usize;
    if side == 1 {
        return Ok(json!({"orders": 1, "after_first": 1, "after_two": 1, "full": 1}));
    }
    let turns = symmetries(side);
    let factorial = |n: usize| (1..=n as u64).product::<u64>();
    let merge = |turns: &[Vec<usize>], free: &[usize]| {
        let orbit = |at: &usize| turns.iter().map(|turn| turn[*at]).min();
        free.iter().map(orbit).collect::<HashSet<_>>().len() as u64
    };
    let all: Vec<usize> = (0..side * side).collect();
    let n = all.len();
    let first = merge(&turns, &all) * factorial(n.saturating_sub(1));
    let firsts: HashSet<usize> =
        all.iter().map(|at| turns.iter().map(|turn| turn[*at]).min().unwrap_or(*at)).collect();
    let mut second = 0;
    for taken in firsts {
        let kept: Vec<Vec<usize>> = keeping(&turns, taken);
        let free: Vec<usize> = all.iter().copied().filter(|&at| at != taken).collect();
        let seconds: HashSet<usize> =
            free.iter().map(|at| kept.iter().map(|turn| turn[*at]).min().unwrap_or(*at)).collect();
        for next in seconds {
            let both = keeping(&kept, next);
            // As in that example, merge third moves unless the game begins in the centre.
            second += if both.len() == 1 || kept.len() == turns.len() {
                factorial(n.saturating_sub(2))
            } else {
                let free: Vec<usize> = free.iter().copied().filter(|&at| at != next).collect();
                merge(&both, &free) * factorial(n.saturating_sub(3))
            };
        }
    }
    // Divide by the number of symmetries, because on a board of more than one square only the
    // identity maps an order to itself.
    Ok(json!({
        "orders": factorial(n),
        "after_first": first,
        "after_two": second,
        "full": factorial(n) / turns.len() as u64,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_of_one_square_has_one_game_and_one_order() {
        assert_eq!(
            orders(1),
            Ok(json!({"orders": 1, "after_first": 1, "after_two": 1, "full": 1}))
        );
        let found = played(1).unwrap();
        assert!(["games", "orbits", "merged"].iter().all(|member| found[*member] == 1), "{found}");
        assert_eq!(played(0), Err("a board has a side from 1 to 3".to_owned()));
    }
}
