import type { Servers } from "../Buyer.ts"
import type { Randomness } from "../Randomness.ts"

type Init = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> }

/** A request that must not be served, with the statuses that refuse it. */
interface BadRequest {
  readonly name: string
  readonly path: string
  readonly init?: Init
  readonly refusals: ReadonlyArray<number>
}

/** Where the servers are too busy, or can't reach their database. */
const always = [429, 503]
const sendMillis = 30_000

const post = (body: string, contentType = "application/json"): Init => ({
  method: "POST",
  headers: { "content-type": contentType },
  body
})

/** `stolen`: a payment header that has bought something else. */
const requests = (stolen: string | undefined): readonly [BadRequest, ...ReadonlyArray<BadRequest>] => {
  const paidBy = (header: string): Init => ({ headers: { "payment-signature": header } })
  return [
    { name: "unpaid", path: "/x402/search?q=free", refusals: [402] },
    { name: "unknown path", path: "/x402/nothing", refusals: [404] },
    { name: "wrong method", path: "/x402/search", init: { method: "DELETE" }, refusals: [405] },
    { name: "malformed JSON", path: "/x402/buy", init: post("{"), refusals: [400] },
    { name: "wrong type", path: "/x402/buy", init: post("a=b", "text/plain"), refusals: [415] },
    { name: "long body", path: "/x402/buy", init: post(`"${"x".repeat(2_000_000)}"`), refusals: [413] },
    {
      name: "malformed payment",
      path: "/x402/search?q=free",
      init: paidBy("bm9uc2Vuc2U="),
      refusals: [400, 402]
    },
    ...(stolen === undefined
      ? []
      : [{ name: "used payment", path: "/x402/search?q=stolen", init: paidBy(stolen), refusals: [402, 409] }])
  ]
}

export interface BadRequests {
  /** Sends bad requests until stopped, then resolves. */
  readonly run: (isStopping: () => boolean) => Promise<void>
  /** Requests sent, by name and status: `long body 413`. */
  readonly outcomes: ReadonlyMap<string, number>
  /** Requests that were served, or not refused as they should be. */
  readonly faults: ReadonlySet<string>
}

/** Sends one bad request after the other, with pauses up to `pauseMillis`. */
export const makeBadRequests = (options: {
  readonly servers: Servers
  readonly randomness: Randomness
  readonly pauseMillis: number
  readonly stolenPayment: () => string | undefined
}): BadRequests => {
  const { pauseMillis, randomness, servers, stolenPayment } = options
  const outcomes = new Map<string, number>()
  const faults = new Set<string>()

  const sendOne = async (): Promise<void> => {
    const origin = await servers.origin(randomness)
    const { init, name, path, refusals } = randomness.pick(requests(stolenPayment()))
    let outcome: string
    try {
      const response = await fetch(new URL(path, origin), {
        ...init,
        // A server closes the connection of a body that is too long: another request must not reuse it.
        headers: { ...init?.headers, connection: "close" },
        signal: AbortSignal.timeout(sendMillis)
      })
      await response.arrayBuffer()
      outcome = `${name} ${response.status}`
      if (![...refusals, ...always].includes(response.status)) faults.add(`bad request: ${outcome}`)
    } catch {
      // The server was killed, or closed the connection before the body was sent.
      outcome = `${name} cut off`
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }

  return {
    run: async (isStopping) => {
      while (!isStopping()) {
        await sendOne()
        await new Promise((resolve) => setTimeout(resolve, randomness.between(0, pauseMillis)))
      }
    },
    outcomes,
    faults
  }
}
