// Questions to the server. An answer is {ok, status, data}; where it is not ok, messages.js
// says why; status 0: none came.

async function ask(path, args, options) {
  const query = new URLSearchParams(Object.entries(args || {}).filter(([, value]) => value)).toString();
  try {
    const response = await fetch(`${path}${query ? `?${query}` : ""}`, options);
    return { ok: response.ok, status: response.status, data: await response.json() };
  } catch (error) {
    return { ok: false, status: 0, data: { error: error.message } };
  }
}

export const info = () => ask("api/info");
export const stats = (variant) => ask("api/stats", variant);
export const moves = (variant, p) => ask("api/moves", { ...variant, p });
export const position = (variant, p) => ask("api/position", { ...variant, p });
export const game = (variant, text) =>
  ask("api/game", variant, { method: "POST", headers: { "Content-Type": "text/plain" }, body: text });
