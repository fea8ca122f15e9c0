/*
 * A flood of strangers, in a process of its own: many connections from many addresses, each presenting payments of fresh
 * keys without money as fast as responses come.
 */
import { challengeAt, type Client, clientsAt } from "./loopback.ts"
import { makeKey, signPayment } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"

export interface StrangersOptions {
  readonly origin: string
  readonly connections: number
  readonly addresses: number
  /** Payments that are signed before the first is sent. */
  readonly signed: number
}

export interface StrangersResult {
  readonly requests: number
  readonly seconds: number
}

const { addresses, connections, origin, signed } = workerOptions<StrangersOptions>()
const clients = clientsAt(origin, 2, addresses)
const challenge = await challengeAt(clients[0]!)
const freshPayment = (): string => signPayment(challenge, makeKey())
const pool = Array.from({ length: signed }, freshPayment)

const flooding = { isOn: false }
let requests = 0
const connection = async (client: Client): Promise<void> => {
  while (flooding.isOn) {
    await client(pool.pop() ?? freshPayment())
    requests += 1
  }
}

let startedAt = 0
let flood: Promise<unknown> = Promise.resolve()

respond(async (command: "start" | "stop") => {
  flooding.isOn = command === "start"
  if (flooding.isOn) {
    startedAt = performance.now()
    flood = Promise.all(
      Array.from({ length: connections }, (_, index) => connection(clients[index % addresses]!))
    )
  } else await flood
  return { requests, seconds: (performance.now() - startedAt) / 1_000 } satisfies StrangersResult
})
report("ready")
