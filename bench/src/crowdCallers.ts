/*
 * The crowd, in a process of its own: it signs payments, and then sends all of them at once, each over a connection of
 * its own.
 */
import { challengeAt, clientAt } from "./loopback.ts"
import { report, respond, workerOptions } from "./processes.ts"
import { keyNamed, signPayment } from "./signing.ts"

export interface CrowdResult {
  readonly millis: number
  /** Milliseconds of each call that got a 200. */
  readonly served: ReadonlyArray<number>
  /** Milliseconds of each call that was refused. */
  readonly refused: ReadonlyArray<number>
  /** Responses by status; 0: the connection broke. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Payers of a crowd: many, so that no limit of one payer decides. */
const payers = 200
/** Client addresses of a crowd. */
const addresses = 50

const { origin } = workerOptions<{ readonly origin: string }>()

respond(async ({ calls, run }: { readonly calls: number; readonly run: number }): Promise<CrowdResult> => {
  const keys = Array.from({ length: payers }, (_, index) => keyNamed(`crowd ${run} ${index}`))
  const clients = Array.from({ length: addresses }, (_, index) => clientAt(origin, `127.0.2.${index + 1}`))
  const challenge = await challengeAt(clients[0]!)
  const signed = Array.from({ length: calls }, (_, index) => signPayment(challenge, keys[index % payers]!))
  const statuses: Record<string, number> = {}
  const served: Array<number> = []
  const refused: Array<number> = []
  const started = performance.now()
  await Promise.all(
    signed.map(async (payment, index) => {
      const { status } = await clients[index % addresses]!(payment)
      const millis = performance.now() - started
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 200) served.push(millis)
      else refused.push(millis)
    })
  )
  return { millis: performance.now() - started, served, refused, statuses }
})

report("ready")
