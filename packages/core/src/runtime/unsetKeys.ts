/*
 * Doors of a host's server that a key opens: the variable of the key may not be set.
 */

/** Such a key is the same at every host: `Bearer undefined`, `session=null`. */
const isUnset = (text: string): boolean => /(?:^|[\s:=])(?:undefined|null)$/.test(text.trim())

/** Whether Basic credentials lack a password, or have such a key. Decodes whatever a host's decoder may accept. */
const isUnsetBasic = (value: string): boolean => {
  const encoded = /^basic\s+(.+)$/i.exec(value)?.[1]
  if (encoded === undefined) return false
  const digits = encoded
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/=.*|[^\w+/]/g, "")
  // A single digit at the end is no byte.
  const text = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits).trim()
  return !text.includes(":") || /^(?:[^:]*:)?(?:undefined|null)(?::|$)/.test(text)
}

/**
 * Whether a host that compares a part of credentials with such a key may admit them: a part is that key, or is missing, as in
 * `Bearer`. Nor is a second word after `Bearer` honest.
 */
const isUnsetCredential = (value: string): boolean =>
  /(?:^|[\s=:,;"'])(?:undefined|null)(?:$|[\s=:,;"'])/.test(value) ||
  /^(?:(?:basic|bearer|token)|(?:basic|bearer)\s+\S+\s.*)$/i.test(value) ||
  isUnsetBasic(value)

/** Whether the value of a cookie is such a key, as parsers read it. */
const isUnsetCookie = (pair: string): boolean => {
  const value = pair.slice(pair.indexOf("=") + 1).replaceAll('"', "")
  try {
    return isUnset(pair) || /^(?:undefined|null)$/.test(decodeURIComponent(value).trim())
  } catch {
    return false
  }
}

/** What is left of a header. An origin that is `null` says something. */
const readable = (name: string, value: string): string => {
  if (name === "origin") return value
  if (name === "cookie")
    return value
      .split(";")
      .filter((pair) => !isUnsetCookie(pair))
      .join(";")
  const isMissing = /^(?:proxy-)?authorization$/.test(name) ? isUnsetCredential : isUnset
  return isMissing(value) ? "" : value
}

/**
 * A request without the headers and cookies that end in `undefined` or `null`, and without credentials that have such a
 * part or lack one, as Basic without a colon does: no key of an unset variable admits anyone. `unread`: the names of those
 * headers. Don't read the given request after that.
 */
export const withoutUnsetKeys = (
  request: Request
): { readonly request: Request; readonly unread: ReadonlyArray<string> } => {
  const headers = new Headers(request.headers)
  const unread: Array<string> = []
  for (const [name, value] of request.headers) {
    const left = readable(name, value)
    if (left === value) continue
    unread.push(name)
    if (left === "") headers.delete(name)
    else headers.set(name, left)
  }
  if (unread.length === 0) return { request, unread }
  // By its parts: a framework's request need not be one of this process's class.
  const { body, method, url } = request
  const init: RequestInit & { readonly duplex: "half" } = { method, headers, body, duplex: "half" }
  return { request: new Request(url, init), unread }
}

/** What a host's `authorize` is asked about, and what a visitor like that sends. */
const strangers = [
  ["without headers", "nothing"],
  ["whose Authorization is a made-up word", "one"]
] as const

/**
 * Makes a function that calls a host's `authorize`, once, with a request without headers, then with one whose `authorization`
 * is a random word, and warns on standard error if one is admitted. Never delays or fails a request. A function without a
 * parameter admits everyone on purpose.
 *
 * @param admittedAs what a decision gives; `undefined`: no access
 */
export const openDoorCheck = <Access>(
  authorize: (request: Request) => Access | Promise<Access>,
  admittedAs: (access: Access) => string | undefined
): ((url: URL, method: string) => Promise<void>) => {
  let isChecked = false
  return async (url, method) => {
    if (isChecked) return
    isChecked = true
    if (authorize.length === 0) return
    for (const [which, what] of strangers) {
      try {
        // After the call for the request that came.
        await undefined
        const headers: HeadersInit = what === "one" ? { authorization: crypto.randomUUID() } : {}
        const as = admittedAs(await authorize(new Request(url, { headers, method })))
        if (as === undefined) continue
        const message = `authorize returns ${JSON.stringify(as)} for a request ${which}: anyone who sends ${what} may be admitted, unless it reads a visitor's session elsewhere or a key in the path. Set the variable of the key that it compares, and refuse requests without a key. Where a login or a private network protects this path, give a function without a parameter`
        return console.error(JSON.stringify({ till402: "access", message }))
      } catch {
        // It admits no such request.
      }
    }
  }
}
