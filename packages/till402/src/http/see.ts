import { readBytes } from "@till402/core/effect"

/*
 * Requests as strangers make them.
 */

/** A response with its body. */
export interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const timeoutMillis = 10_000
const maxBytes = 1_000_000

/** Reads a body as text; `undefined`: it has more bytes, or breaks off. */
export const readText = async (response: Response, maxLength = maxBytes): Promise<string | undefined> => {
  if (response.body === null) return ""
  const bytes = await readBytes(response.body, maxLength).catch(() => undefined)
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8")
}

/** Whether a server states that a request wasn't charged: a sentence of a till, not its words in another one. */
export const isUnchargedText = (text: string): boolean =>
  /(?:^|[.:;] )(?:nothing was|this one was not) charged(?: here| by this request)?(?:[.,;]|$)/i.test(text)

/** Fetches as strangers do: returns redirects, and bounds every wait. A body that is too long is read as empty. */
export const see = async (url: string, init: RequestInit = {}): Promise<Seen> => {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMillis)
  })
  const { headers, status } = response
  return { status, headers, text: (await readText(response)) ?? "" }
}

export const belowBase = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}${path}`
