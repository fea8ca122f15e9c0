import { setImmediate } from "node:timers/promises"
import { freshAccount } from "./Attacker.ts"
import { type Call, requestOf } from "./Calls.ts"
import { type Challenge, headerOf, type Payment, sign } from "./Payments.ts"
import { clientHeader } from "./QuoteLimit.ts"
import type { Server } from "./Visitor.ts"

/*
 * Connections that present payments by keys without money, one after another, as fast as they are refused.
 */

/** Signs payments by fresh keys. */
export const signByFreshKeys = async (challenge: Challenge, count: number): Promise<Array<Payment>> => {
  const payments: Array<Payment> = []
  for (let made = 0; made < count; made++) payments.push(await sign(challenge, { account: freshAccount() }))
  return payments
}

/** Keeps a number of connections busy until stopped; resolves to the number of responses. */
export const startFlood = (
  { fetch }: Server,
  call: Call,
  payments: ReadonlyArray<Payment>,
  { clients, connections }: { readonly connections: number; readonly clients: number }
): { readonly stop: () => Promise<number> } => {
  const headers = payments.map(headerOf)
  const stopping = new AbortController()
  let sent = 0
  const connect = async (connection: number): Promise<void> => {
    const client = `198.51.100.${connection % clients}`
    while (!stopping.signal.aborted) {
      const header = headers[sent++ % headers.length]!
      await (await fetch(requestOf(call, { "payment-signature": header, [clientHeader]: client }))).text()
      // Yields, so that immediate refusals don't block everything else.
      await setImmediate()
    }
  }
  const connecting = Promise.all(Array.from({ length: connections }, (_, index) => connect(index)))
  return {
    stop: async () => {
      stopping.abort()
      await connecting
      return sent
    }
  }
}
