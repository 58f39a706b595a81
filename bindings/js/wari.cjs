// The package for programs that use require(). It loads wari.js at the first call.
"use strict";

const load = () => import("./wari.js");

/** Stands for the class of the module: `error instanceof WariError` works before the module is loaded, too. */
class WariError extends Error {
  static [Symbol.hasInstance](error) {
    return error instanceof Error && error.name === "WariError";
  }
}

module.exports = {
  WariError,
  open: async (...given) => (await load()).open(...given),
  legalMoves: async (...given) => (await load()).legalMoves(...given),
};
