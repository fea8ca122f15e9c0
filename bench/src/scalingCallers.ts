/*
 * Paying callers of the scaling table, in a process of their own: each payment goes to the next server, and some go to
 * two servers at the same moment.
 */
import { challengeAt, clientAt } from "./loopback.ts"
import { report, respond, workerOptions } from "./processes.ts"
import { keyNamed, signPayment } from "./signing.ts"

export interface CallersOptions {
  readonly name: string
  readonly origins: ReadonlyArray<string>
  /** Calls under way at the same time. */
  readonly callers: number
  /** Payments of a round. */
  readonly payments: number
  /** Every so many payments, one is sent to two servers at once. */
  readonly twiceEvery: number
}

export interface CallersCommand {
  readonly step: "sign" | "pay"
}

export interface CallersResult {
  /** Milliseconds until all responses have arrived. */
  readonly millis: number
  /** Milliseconds of each call. */
  readonly times: ReadonlyArray<number>
  /** Responses that were not a 200, by status. */
  readonly refused: Readonly<Record<string, number>>
}

const { callers, name, origins, payments: count, twiceEvery } = workerOptions<CallersOptions>()

/** Many, so that no limit of one payer decides. */
const payers = Array.from({ length: 200 }, (_, index) => keyNamed(`${name} ${index}`))
const clients = origins.map((origin) => clientAt(origin, "127.0.0.1"))
const challenge = await challengeAt(clients[0]!)

let payments: ReadonlyArray<string> = []
let paid = 0

const pay = async (): Promise<CallersResult> => {
  const times: Array<number> = []
  const refused: Record<string, number> = {}
  let next = 0
  const call = async (payment: string, number: number, server: number): Promise<void> => {
    const startedAt = performance.now()
    const { status } = await clients[server % clients.length]!(payment, `/x402/search?q=${name}-${number}`)
    times.push(performance.now() - startedAt)
    if (status !== 200) refused[status] = (refused[status] ?? 0) + 1
  }
  const caller = async (): Promise<void> => {
    while (next < payments.length) {
      const payment = payments[next++]!
      const number = paid++
      const copies = number % twiceEvery === 0 ? 2 : 1
      await Promise.all(Array.from({ length: copies }, (_, copy) => call(payment, number, number + copy)))
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  return { millis: performance.now() - startedAt, times, refused }
}

const nothing: CallersResult = { millis: 0, times: [], refused: {} }

respond(async ({ step }: CallersCommand) => {
  if (step === "pay") return pay()
  payments = Array.from({ length: count }, (_, index) =>
    signPayment(challenge, payers[index % payers.length]!)
  )
  return nothing
})
report(nothing)
