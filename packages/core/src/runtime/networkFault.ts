/** What a failed call and its causes have told. */
interface Trail {
  status?: number
  code?: string
  host?: string
}

const maxCauses = 8

const hostOf = (url: unknown): string | undefined =>
  typeof url === "string" ? URL.parse(url)?.host || undefined : undefined

/** Errors of Effect have their request, those of viem its address. */
const urlOf = (error: object): unknown => {
  const request: unknown = "request" in error ? error.request : error
  return typeof request === "object" && request !== null && "url" in request ? request.url : undefined
}

const statusOf = (error: object): number | undefined =>
  "status" in error && typeof error.status === "number" && error.status >= 400 ? error.status : undefined

/** Node's codes are such names; those of JSON-RPC are numbers. A deadline has none. */
const codeOf = (error: object): string | undefined => {
  if (error instanceof Error && error.name === "TimeoutError") return error.name
  return "code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)
    ? error.code
    : undefined
}

const trailOf = (error: unknown): Trail => {
  const trail: Trail = {}
  for (let each = error, depth = 0; typeof each === "object" && each !== null && depth < maxCauses; depth++) {
    const status = trail.status ?? statusOf(each)
    const code = trail.code ?? codeOf(each)
    const host = trail.host ?? hostOf(urlOf(each))
    if (status !== undefined) trail.status = status
    if (code !== undefined) trail.code = code
    if (host !== undefined) trail.host = host
    each = "cause" in each ? each.cause : undefined
  }
  return trail
}

/**
 * Describes, of a failed call or of a response, why a server wasn't reached or which status it responded with, and names
 * its host, as in `ENOTFOUND rpc.example`: of its address nothing else, since user, path and query may hold keys.
 * `name` stands for a fault that has neither; `undefined`: nothing is known.
 */
export const networkFault = (error: unknown, name?: string): string | undefined => {
  const { code, host, status } = trailOf(error)
  const what = status === undefined ? (code ?? name) : `HTTP ${status}`
  return what === undefined || host === undefined ? what : `${what} ${host}`
}
