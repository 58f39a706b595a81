/** Where a book is: an address (read by ranges where the server can, else whole), a path (in Node), its
 * bytes, a file that somebody chose, or anything that reads ranges. */
export type BookSource = string | URL | ArrayBuffer | Uint8Array | Blob | RangeSource;

export interface RangeSource {
  /** Of the whole book, in bytes. */
  size: number;
  /** `length` bytes from `offset` on: all of them, or it fails. */
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
}

export type Rules = "awari" | "wari" | "abapa" | "warri" | "ware" | "slam-ends" | "slam-gives" | "slam-wins";
export type Cycle = "even" | "own";

/** Names of games that people know: a rule set and a cycle rule. */
export type Preset =
  | "academic" | "tournament" | "oware" | "spanish" | "english" | "dutch" | "walker" | "leaflet" | "italian" | "caribbean";

/** Twelve counts, the mover's pits A..F and then the opponent's a..f; or a text of them, or a diagram. */
export type Position = string | ArrayLike<number>;

export interface Move {
  /** 0..5: the mover's pits A..F. */
  pit: number;
  letter: string;
  captured: number;
  /** The move itself ends the game (a grand slam in some rule sets) ... */
  ends: boolean;
  /** ... and this is what it is worth then; else 0. */
  endValue: number;
  /** The same player moves again. */
  again: boolean;
  /** The position after the move, seen by the player to move there. */
  next: number[];
}

export interface MoveWithValue extends Move {
  /** Of the position, if this move is played: seeds the mover will still capture minus the opponent's. */
  value: number;
}

export interface OpenOptions {
  /** Refuse a book of another rule set or cycle rule; a preset means both. */
  rules?: Rules | Preset;
  cycle?: Cycle;
  /** Read all of it at once, whatever the source can do. */
  whole?: boolean;
  /** In place of the global one. */
  fetch?: typeof fetch;
}

export class Book {
  readonly rules: Rules;
  readonly cycle: Cycle;
  /** Levels 0..seeds; 47 cannot arise. */
  readonly seeds: number;
  /** Of the book, in bytes. */
  readonly size: number;
  /** The exact value for the side to move: seeds it will still capture minus seeds the opponent will. */
  value(position: Position): Promise<number>;
  /** All moves, best first; none: the game is over. */
  moves(position: Position): Promise<MoveWithValue[]>;
  /** Lets go of the file (a path's stays open till then) and of memory. Questions are then refused. */
  close(): Promise<void>;
}

/** Opens a book and checks its beginning; each block is checked by its hash when it is read. */
export function open(source: BookSource, options?: OpenOptions): Promise<Book>;

/** The legal moves in the order A..F by any rule set, without a book. */
export function legalMoves(rules: Rules | Preset, position: Position): Promise<{ moves: Move[]; endValue: number }>;

export type Status = "not covered" | "bad input" | "damaged" | "not read" | "mismatch";

export class WariError extends Error {
  readonly status: Status;
}
