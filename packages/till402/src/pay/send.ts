import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { isUnchargedText, readText } from "../http/see.ts"
import type { Output } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"
import { isOnThisMachine } from "./url.ts"

/*
 * The requests of a payer: the unpaid one, and the paid one until its outcome is known.
 */

export interface Call {
  readonly url: URL
  readonly init: { readonly method: string; readonly headers: Headers; readonly body: string | undefined }
  /** Waits between two requests with the same payment. */
  readonly sleep: (millis: number) => Promise<void>
}

/** A server may take this long: an assistant's reply does. */
const callTimeoutMillis = 90_000

const send = async ({ init, url }: Call, more: Readonly<Record<string, string>> = {}) => {
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  return fetch(url, {
    method: init.method,
    headers,
    // Otherwise a payment would go to whoever the server names.
    redirect: "manual",
    signal: AbortSignal.timeout(callTimeoutMillis),
    ...(init.body === undefined ? {} : { body: init.body })
  })
}

/** @throws CommandFailed if the server can't be reached */
export const sendUnpaid = (call: Call): Promise<Response> =>
  send(call).catch((error: unknown) => {
    const start = isOnThisMachine(call.url)
      ? ". Start the server, or a sandbox: npx till402 sandbox, or npm run sandbox in a clone"
      : ""
    throw new CommandFailed(`${call.url.origin} can't be reached: ${wordsOf(error)}${start}`)
  })

const maxSends = 6
const maxWaitMillis = 20_000
const defaultWaitMillis = 2_000

/** After these, the same payment is sent again: a new one could be paid twice. */
const isUnfinished = (status: number): boolean => [409, 425, 429, 500, 502, 503, 504].includes(status)

const waitOf = (response: Response | undefined): number => {
  const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds * 1_000, maxWaitMillis)
    : defaultWaitMillis
}

/** Longer error bodies are no error bodies. */
const maxErrorBytes = 64_000

/** What an error's body says, in one line. */
const textOf = (body: string): string => {
  try {
    const { code, message } = JSON.parse(body) as { readonly code?: unknown; readonly message?: unknown }
    return harmless([code, message].filter((each) => typeof each === "string").join(": "))
  } catch {
    return ""
  }
}

/** How a payment was received. */
export interface Delivery {
  /** The last one; `undefined` if the connection broke. */
  readonly response: Response | undefined
  /** Whether the last one says how the call ended. */
  readonly isFinal: boolean
  /** What the last one says if it isn't final. */
  readonly last: string
  /** The first problem, if it is another one. */
  readonly first: string | undefined
  /** Whether the payment may have been charged, as far as the responses before a final one tell. */
  readonly mayBeCharged: boolean
}

/** Sends one payment until its outcome is known, at most six times. */
export const sendPayment = async (
  call: Call,
  headers: Readonly<Record<string, string>>,
  output: Output
): Promise<Delivery> => {
  let first: string | undefined
  let mayBeCharged = false
  for (let sent = 1; ; sent++) {
    let broken = ""
    const response = await send(call, headers).catch((error: unknown) => {
      broken = harmless(wordsOf(error))
      return undefined
    })
    if (response !== undefined && !isUnfinished(response.status))
      return { response, isFinal: true, last: "", first, mayBeCharged }
    // The body of a final response is left to whoever shows it.
    const body = response === undefined ? "" : ((await readText(response, maxErrorBytes)) ?? "")
    const text = textOf(body)
    const last =
      response === undefined
        ? broken
        : `the server returned ${response.status}${text === "" ? "" : ` (${text})`}`
    // The wait for another request with this payment, such as a lost one, says nothing about that one.
    mayBeCharged ||= response === undefined || !isUnchargedText(text)
    if (sent === maxSends) {
      const again = response && new Response(body, { status: response.status, headers: response.headers })
      return {
        response: again,
        isFinal: false,
        last,
        first: first === last ? undefined : first,
        mayBeCharged
      }
    }
    first ??= last
    const waitMillis = waitOf(response)
    output.note(
      `${last}: the same payment is sent again in ${Math.round(waitMillis / 1_000)} s (${sent + 1} of ${maxSends}; the server may take up to ${callTimeoutMillis / 1_000} s to respond)`
    )
    await call.sleep(waitMillis)
  }
}
