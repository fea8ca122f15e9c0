import { readBytes } from "@till402/core/effect"
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

/** A server may take this long: an assistant's reply does. So may each piece of what it delivers. */
const callTimeoutMillis = 90_000

/** A body whose reader waits for each piece only so long; a slow reader of it takes as long as it likes. */
const withoutPauses = (body: ReadableStream<Uint8Array>, abort: () => void): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream(
    {
      pull: async (controller) => {
        const timer = setTimeout(abort, callTimeoutMillis)
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } finally {
          clearTimeout(timer)
        }
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  )
}

const send = async ({ init, url }: Call, more: Readonly<Record<string, string>> = {}) => {
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  const controller = new AbortController()
  const abort = (): void =>
    controller.abort(new Error(`nothing was received for ${callTimeoutMillis / 1_000} s`))
  // What isn't ok is short, and has to come to its end in this time.
  const timer = setTimeout(abort, callTimeoutMillis).unref()
  const response = await fetch(url, {
    method: init.method,
    headers,
    // Otherwise a payment would go to whoever the server names.
    redirect: "manual",
    signal: controller.signal,
    ...(init.body === undefined ? {} : { body: init.body })
  })
  if (!response.ok || response.body === null) return response
  clearTimeout(timer)
  return new Response(withoutPauses(response.body, abort), response)
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

/** The body of a final response that isn't ok, which is also shown; a longer one is none. */
const maxRefusalBytes = 1_000_000

/** A refusal with a body that is read, and what it says. A 402 is left unread, for the code that reads challenges. */
const readRefusal = async (response: Response) => {
  const { body, headers, status } = response
  if (response.ok || status === 402 || body === null) return { response, text: "" }
  const bytes = await readBytes(body, maxRefusalBytes).catch(() => undefined)
  return {
    response: new Response(bytes as BodyInit | undefined, { status, headers }),
    text: textOf(Buffer.from(bytes ?? []).toString("utf8"))
  }
}

/** What an error's body says, in one line. */
const textOf = (body: string): string => {
  try {
    const { code, message } = JSON.parse(body) as { readonly code?: unknown; readonly message?: unknown }
    return harmless([code, message].filter((each) => typeof each === "string").join(": "))
  } catch {
    return ""
  }
}

const saidBy = ({ status }: Response, text: string): string =>
  `the server returned ${status}${text === "" ? "" : ` (${text})`}`

/** How a payment was received. */
export interface Delivery {
  /** The last one; `undefined` if the connection broke. */
  readonly response: Response | undefined
  /** Whether the last one says how the call ended. */
  readonly isFinal: boolean
  /** What the last one says if it bought nothing. */
  readonly last: string
  /** The first problem, if it is another one. */
  readonly first: string | undefined
  /** Whether the payment may have been charged, as far as the responses tell; a final one's word counts alone. */
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
    if (response !== undefined && !isUnfinished(response.status)) {
      const refusal = await readRefusal(response)
      return {
        response: refusal.response,
        isFinal: true,
        last: saidBy(response, refusal.text),
        first,
        mayBeCharged: !isUnchargedText(refusal.text)
      }
    }
    const body = response === undefined ? "" : ((await readText(response, maxErrorBytes)) ?? "")
    const text = textOf(body)
    const last = response === undefined ? broken : saidBy(response, text)
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
