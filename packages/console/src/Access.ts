import { closestName } from "@till402/core/effect"

/** What a visitor may do. `read` sees every page, `admin` also acts. */
export type Role = "admin" | "read"

/** A visitor with a name, under which the log has their actions. */
export interface Visitor {
  readonly role: Role
  readonly name?: string
}

/** What `authorize` decides. `undefined`: no access. A `Response`, such as a redirect to your login, is sent as it is. */
export type Access = Role | Visitor | Response | undefined

/** Reads the decision of the host's function; anything else is no access. */
export const visitorOf = (access: Exclude<Access, Response>): Visitor | undefined => {
  const { name, role } = typeof access === "string" ? { role: access, name: undefined } : (access ?? {})
  if (role !== "admin" && role !== "read") return undefined
  return { role, ...(name === undefined ? {} : { name }) }
}

const allowed =
  'allowed are "admin", "read", { role: "admin" or "read", name }, a Response, and undefined for no access'

/** Names the kind of a value. Prints no text but a misspelt role, since a text may be a secret or a person's. */
const describe = (access: unknown): string => {
  if (typeof access === "string")
    return closestName(access, ["admin", "read"], 1) === undefined ? "another text" : `"${access}"`
  if (typeof access !== "object" || access === null) return `a ${typeof access}`
  return "role" in access ? `an object whose role is ${describe(access.role)}` : "an object without a role"
}

/** What is wrong with a decision that gives no access by mistake: a plain no has no explanation. */
export const wrongAccess = (access: unknown): string | undefined =>
  access === undefined || access === null || access === false
    ? undefined
    : `authorize returned ${describe(access)}, which gives no access: ${allowed}`

const cookieName = "till402-console"

const isToken = (text: string | undefined): text is string =>
  text !== undefined && /^[0-9a-f]{64}$/.test(text)

/** The token of the visitor's cookie. A page of another site can neither read nor set it. */
export const tokenOf = (request: Request): string | undefined =>
  (request.headers.get("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .map((pair) => pair.slice(cookieName.length + 1))
    .find(isToken)

export const newToken = (): string =>
  [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** The cookie of a token, for this browser session. */
export const cookieOf = (token: string, path: string): string =>
  `${cookieName}=${token}; Path=${path}; HttpOnly; SameSite=Strict`

/** Compares in a time that doesn't depend on where they differ. */
const isSame = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index++)
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index % Math.max(1, right.length))
  return difference === 0
}

const hostOf = (origin: string): string | undefined => URL.parse(origin)?.host

/**
 * Whether a request to act comes from the console's own page: by the browser's word about its origin, and by the token
 * that only that page shows.
 */
export const isForged = (request: Request, given: unknown): boolean => {
  const site = request.headers.get("sec-fetch-site")
  const origin = request.headers.get("origin")
  if (site !== null && site !== "same-origin") return true
  if (origin === null && site === null) return true
  if (origin !== null && hostOf(origin) !== request.headers.get("host")) return true
  const token = tokenOf(request)
  return token === undefined || typeof given !== "string" || !isSame(given, token)
}
