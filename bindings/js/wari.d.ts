/** A book: a URL (read by range requests if the server supports them, else as a whole), a path (in Node), its
 * bytes, a file that the user selected, or any object that reads ranges. */
export type BookSource = string | URL | ArrayBuffer | Uint8Array | Blob | RangeSource;

export interface RangeSource {
  /** Size of the book, in bytes. */
  size: number;
  /** Returns exactly `length` bytes from `offset` on, or fails. */
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
}

export type Rules = "awari" | "wari" | "abapa" | "warri" | "ware" | "slam-ends" | "slam-gives" | "slam-wins";
export type Cycle = "even" | "own";

/** Common names of games; each stands for a rule set and a cycle rule. */
export type Preset =
  | "academic" | "tournament" | "oware" | "spanish" | "english" | "dutch" | "walker" | "leaflet" | "italian" | "caribbean";

/** Twelve counts, the mover's pits A..F and then the opponent's a..f; or the same as text; or a diagram. */
export type Position = string | ArrayLike<number>;

export interface Move {
  /** 0..5: the mover's pits A..F. */
  pit: number;
  /** "A" to "F"; "a" to "f" if North is to move in the text of the position. */
  letter: string;
  captured: number;
  /** True if the move itself ends the game (a grand slam in some rule sets). */
  ends: boolean;
  /** The value of the move if it ends the game, else 0. */
  endValue: number;
  /** True if the same player moves again. */
  again: boolean;
  /** The position after the move, seen by the player to move there. */
  next: number[];
}

export interface MoveWithValue extends Move {
  /** Value of the position if this move is played: seeds that the mover will still capture minus the opponent's. */
  value: number;
}

export interface OpenOptions {
  /** Reject a book of another rule set or cycle rule. A preset stands for both. */
  rules?: Rules | Preset | `${Rules} ${Cycle}`;
  cycle?: Cycle;
  /** Read the whole book at once, even if the source supports ranges. */
  whole?: boolean;
  /** Used in place of the global fetch(). */
  fetch?: typeof fetch;
}

export class Book {
  /** Made by open() only. */
  private constructor();
  readonly rules: Rules;
  readonly cycle: Cycle;
  /** The book has the levels 0..seeds, except 47, which cannot arise. */
  readonly seeds: number;
  /** Size of the book, in bytes. */
  readonly size: number;
  /** Returns the exact value for the side to move: seeds it will still capture minus seeds the opponent will. */
  value(position: Position): Promise<number>;
  /** Returns the values of many positions, in their order. If one has no value, the error's message has its index. */
  values(positions: Iterable<Position>): Promise<Int8Array>;
  /** Returns all moves, best first; an empty list if the game is over. */
  moves(position: Position): Promise<MoveWithValue[]>;
  /** Closes the file, if the book was opened by a path, and releases memory. Later calls fail. */
  close(): Promise<void>;
}

/** Opens a book and checks its header. Each block is checked by its hash when it is read. */
export function open(source: BookSource, options?: OpenOptions): Promise<Book>;

/** Returns the legal moves in the order A..F under any rule set, without a book. `endValue` is the value of the end
 * of the game if there are none. */
export function legalMoves(rules: Rules | Preset, position: Position): Promise<{ moves: Move[]; endValue: number }>;

export type Status = "not covered" | "bad input" | "damaged" | "not read" | "mismatch";

export class WariError extends Error {
  constructor(status: Status, message: string, options?: { cause?: unknown });
  readonly status: Status;
}
