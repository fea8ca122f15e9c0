/*
 * The paying users, in a process of their own: each has an address and a key of its own and sends one request after
 * another.
 */
import { challengeAt, clientAt } from "./loopback.ts"
import { report, respond, workerOptions } from "./processes.ts"
import { keyNamed, signPayment } from "./signing.ts"

export interface UsersOptions {
  readonly origin: string
  readonly count: number
}

/** What a run of the users came to. */
export interface UsersResult {
  /** Milliseconds of each user's first call, and of each of the others. */
  readonly first: ReadonlyArray<number>
  readonly others: ReadonlyArray<number>
  /** Responses that were not a 200, by status. */
  readonly refused: Readonly<Record<string, number>>
}

/** The users' keys: the facilitator has to know that they have money. */
export const userKeys = (count: number) =>
  Array.from({ length: count }, (_, index) => keyNamed(`user ${index}`))

const run = async ({ count, origin }: UsersOptions, millis: number): Promise<UsersResult> => {
  const clients = Array.from({ length: count }, (_, index) => clientAt(origin, `127.0.1.${index + 1}`))
  const challenge = await challengeAt(clients[0]!)
  const first: Array<number> = []
  const others: Array<number> = []
  const refused: Record<string, number> = {}
  const end = performance.now() + millis
  const user = async (index: number): Promise<void> => {
    const key = userKeys(count)[index]!
    for (let calls = 0; performance.now() < end; calls++) {
      const payment = signPayment(challenge, key)
      const started = performance.now()
      const { status } = await clients[index]!(payment)
      const times = calls === 0 ? first : others
      times.push(performance.now() - started)
      if (status !== 200) refused[status] = (refused[status] ?? 0) + 1
    }
  }
  await Promise.all(clients.map((_, index) => user(index)))
  return { first, others, refused }
}

if (import.meta.main) {
  const options = workerOptions<UsersOptions>()
  respond((millis: number) => run(options, millis))
  report("ready")
}
