// The module wari/worker for programs that use require(). It loads worker.js at the first call.
"use strict";

module.exports = {
  openInWorker: async (...given) => (await import("./worker.js")).openInWorker(...given),
};
