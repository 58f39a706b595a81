// Where answers come from: the server. The static page of `make site` has bindings/js/site/ask.js in its place.
// An answer is {ok, status, data}; where it is not ok, messages.js says why; status 0: none came.

export async function ask(path, args, options) {
  const query = new URLSearchParams(Object.entries(args || {}).filter(([, value]) => value)).toString();
  try {
    const response = await fetch(`${path}${query ? `?${query}` : ""}`, options);
    return { ok: response.ok, status: response.status, data: await response.json() };
  } catch (error) {
    return { ok: false, status: 0, data: { error: error.message } };
  }
}
