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
  /** Milliseconds of each call whose payment was sent once. */
  readonly times: ReadonlyArray<number>
  /** Milliseconds of each call whose payment was sent twice. */
  readonly timesOfTwice: ReadonlyArray<number>
  /** Responses that were not a 200, by status; or why a connection broke. */
  readonly refused: Readonly<Record<string, number>>
}

const { callers, name, origins, payments: count, twiceEvery } = workerOptions<CallersOptions>()

/** Many, so that no limit of one payer decides. */
const payers = Array.from({ length: 200 }, (_, index) => keyNamed(`${name} ${index}`))
const connect = () => origins.map((origin) => clientAt(origin, "127.0.0.1"))
const challenge = await challengeAt(connect()[0]!)

let payments: ReadonlyArray<string> = []
let paid = 0

const pay = async (): Promise<CallersResult> => {
  // Servers close connections that were idle since the last round.
  const clients = connect()
  const times: Array<number> = []
  const timesOfTwice: Array<number> = []
  const refused: Record<string, number> = {}
  const copies: Array<Promise<void>> = []
  let next = 0
  const call = async (
    number: number,
    payment: string,
    server: number,
    into: Array<number>
  ): Promise<void> => {
    const startedAt = performance.now()
    const path = `/x402/search?q=${name}-${number}`
    const { status, text } = await clients[server % clients.length]!(payment, path)
    into.push(performance.now() - startedAt)
    const reason = status === 0 ? text : status
    if (status !== 200) refused[reason] = (refused[reason] ?? 0) + 1
  }
  const caller = async (): Promise<void> => {
    while (next < payments.length) {
      const payment = payments[next++]!
      const number = paid++
      const isTwice = number % twiceEvery === 0
      // Nobody waits for the copies: their responses may take longer.
      if (isTwice)
        copies.push(
          call(number, payment, number, timesOfTwice),
          call(number, payment, number + 1, timesOfTwice)
        )
      else await call(number, payment, number, times)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  await Promise.all(copies)
  return { millis: performance.now() - startedAt, times, timesOfTwice, refused }
}

const nothing: CallersResult = { millis: 0, times: [], timesOfTwice: [], refused: {} }

respond(async ({ step }: CallersCommand) => {
  if (step === "pay") return pay()
  payments = Array.from({ length: count }, (_, index) =>
    signPayment(challenge, payers[index % payers.length]!)
  )
  return nothing
})
report(nothing)
