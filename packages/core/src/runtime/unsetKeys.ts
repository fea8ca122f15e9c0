/*
 * Doors of a host's server that a key opens: the variable of the key may not be set.
 */

/** Such a key is the same at every host: `Bearer undefined`, `session=null`. */
const isUnset = (text: string): boolean => /(?:^|[\s:=])(?:undefined|null)$/.test(text.trim())

/** Whether the user name or password of Basic credentials is such a key. Decodes whatever a host's decoder may accept. */
const isUnsetBasic = (value: string): boolean => {
  const encoded = /^basic\s+(.+)$/i.exec(value)?.[1]
  if (encoded === undefined) return false
  const digits = encoded
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/=.*|[^\w+/]/g, "")
  // A single digit at the end is no byte.
  const text = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits).trim()
  return /^(?:undefined|null)(?::|$)|^[^:]*:(?:undefined|null)$/.test(text)
}

/** What is left of a header. An origin that is `null` says something. */
const readable = (name: string, value: string): string => {
  if (name === "origin") return value
  if (name === "cookie")
    return value
      .split(";")
      .filter((pair) => !isUnset(pair))
      .join(";")
  return isUnset(value) || isUnsetBasic(value) ? "" : value
}

/**
 * A request without the headers and cookies that end in `undefined` or `null`, or have such a user name: no key of an unset
 * variable admits anyone, and nobody else is refused. `unread`: the names of those headers. Don't read the given request
 * after that.
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
  return { request: unread.length === 0 ? request : new Request(request, { headers }), unread }
}

/**
 * Makes a function that calls a host's `authorize`, once, with a request without headers, and warns on standard error if
 * that is admitted. Never delays or fails a request. A function without a parameter admits everyone on purpose.
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
    try {
      if (authorize.length === 0) return
      // After the call for the request that came.
      await undefined
      const as = admittedAs(await authorize(new Request(url, { method })))
      if (as === undefined) return
      const message = `authorize returns ${JSON.stringify(as)} for a request without headers: anyone who sends nothing may be admitted, unless it reads a visitor's session elsewhere or a key in the path. Set the variable of the key that it compares, and refuse requests without a key. Where a login or a private network protects this path, give a function without a parameter`
      console.error(JSON.stringify({ till402: "access", message }))
    } catch {
      // It admits no such request.
    }
  }
}
