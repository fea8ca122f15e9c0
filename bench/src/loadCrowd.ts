/*
 * The crowd, in a process of its own: it signs payments, and then sends all of them at once, each over a connection of
 * its own.
 */
import { challengeAt, clientsAt } from "./loopback.ts"
import { signPayments } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"

export interface CrowdResult {
  /** Milliseconds of each call that got a 200. */
  readonly served: ReadonlyArray<number>
  /** Milliseconds of each call that was refused. */
  readonly refused: ReadonlyArray<number>
  /** Calls whose connection broke. */
  readonly broken: number
}

const clients = clientsAt(workerOptions<string>(), 2, 50)

respond(async (calls: number): Promise<CrowdResult> => {
  const payments = signPayments(await challengeAt(clients[0]!), calls)
  const served: Array<number> = []
  const refused: Array<number> = []
  const startedAt = performance.now()
  await Promise.all(
    payments.map(async (payment, index) => {
      const { status } = await clients[index % clients.length]!(payment)
      const times = status === 200 ? served : status === 0 ? undefined : refused
      times?.push(performance.now() - startedAt)
    })
  )
  return { served, refused, broken: calls - served.length - refused.length }
})
report("ready")
