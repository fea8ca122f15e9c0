/*
 * The flood, in a process of its own: many connections from many addresses, each presenting payments of fresh keys as
 * fast as responses come.
 */
import { challengeAt, type Client, clientAt, type Reply } from "./loopback.ts"
import { report, respond, workerOptions } from "./processes.ts"
import { makeKey, signPayment } from "./signing.ts"

export interface AttackOptions {
  readonly origin: string
  readonly connections: number
  readonly addresses: number
  /** Payments that are signed before the first is sent. */
  readonly signed: number
}

/** `start` floods until `stop`; `{ payments }` presents so many. */
export type AttackCommand = "start" | "stop" | { readonly payments: number }

export interface AttackResult {
  readonly requests: number
  readonly seconds: number
  /** How many responses of each status and error code. */
  readonly endings: Readonly<Record<string, number>>
}

const { addresses, connections, origin, signed } = workerOptions<AttackOptions>()
const clients = Array.from({ length: addresses }, (_, index) => clientAt(origin, `127.0.2.${index + 1}`))
const challenge = await challengeAt(clients[0]!)
const freshPayment = (): string => signPayment(challenge, makeKey())
const pool = Array.from({ length: signed }, freshPayment)

let endings: Record<string, number> = {}
const count = ({ status, text }: Reply): void => {
  const code = /"(?:code|error)":"([^"]{1,60})/.exec(text)?.[1] ?? ""
  const ending = status === 0 ? "connection broken" : `${status} ${code}`.trim()
  endings[ending] = (endings[ending] ?? 0) + 1
}

let left = 0
const connection = async (client: Client): Promise<void> => {
  while (left-- > 0) count(await client(pool.pop() ?? freshPayment()))
}

let startedAt = 0
let flood: Promise<unknown> = Promise.resolve()
const begin = (payments: number): void => {
  left = payments
  endings = {}
  startedAt = performance.now()
  flood = Promise.all(
    Array.from({ length: connections }, (_, index) => connection(clients[index % addresses]!))
  )
}

const end = async (): Promise<AttackResult> => {
  await flood
  const requests = Object.values(endings).reduce((sum, times) => sum + times, 0)
  return { requests, seconds: (performance.now() - startedAt) / 1_000, endings }
}

respond(async (command: AttackCommand) => {
  if (command === "start") {
    begin(Number.POSITIVE_INFINITY)
    return "started"
  }
  if (command !== "stop") begin(command.payments)
  else left = 0
  return end()
})
report("ready")
