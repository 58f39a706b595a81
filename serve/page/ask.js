// Sends requests to the server. On the static page of `make site`, bindings/js/site/ask.js takes the place of this
// file. An answer is {ok, status, data}; if it is not ok, messages.js explains why. Status 0 means that no
// answer arrived.

export async function ask(path, args, options) {
  const query = new URLSearchParams(Object.entries(args || {}).filter(([, value]) => value)).toString();
  try {
    const response = await fetch(`${path}${query ? `?${query}` : ""}`, options);
    return { ok: response.ok, status: response.status, data: await response.json() };
  } catch (error) {
    return { ok: false, status: 0, data: { error: error.message } };
  }
}
