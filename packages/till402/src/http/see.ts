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

const readBounded = async (response: Response): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > maxBytes) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** Fetches as strangers do: whoever redirects is told, and nothing is waited for endlessly. */
export const see = async (url: string, init: RequestInit = {}): Promise<Seen> => {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMillis)
  })
  return { status: response.status, headers: response.headers, text: await readBounded(response) }
}

export const belowBase = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}${path}`
