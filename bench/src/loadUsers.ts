/*
 * The paying users, in a process of their own: each has an address and a key of its own and sends one request after
 * another.
 */
import { challengeAt, clientsAt } from "./loopback.ts"
import { keyNamed, signPayment } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"

export interface UsersOptions {
  readonly origin: string
  /** A name for each user. */
  readonly names: ReadonlyArray<string>
}

/** What a run of the users came to. */
export interface UsersResult {
  /** Milliseconds of each user's first call, and of each of the others. */
  readonly first: ReadonlyArray<number>
  readonly others: ReadonlyArray<number>
  /** Responses that were not a 200. */
  readonly refused: number
}

const { names, origin } = workerOptions<UsersOptions>()
const clients = clientsAt(origin, 1, names.length)

respond(async (millis: number): Promise<UsersResult> => {
  const challenge = await challengeAt(clients[0]!)
  const first: Array<number> = []
  const others: Array<number> = []
  let refused = 0
  const end = performance.now() + millis
  const user = async (name: string, index: number): Promise<void> => {
    const key = keyNamed(name)
    for (let calls = 0; performance.now() < end; calls++) {
      const payment = signPayment(challenge, key)
      const startedAt = performance.now()
      const { status } = await clients[index]!(payment)
      const times = calls === 0 ? first : others
      times.push(performance.now() - startedAt)
      if (status !== 200) refused += 1
    }
  }
  await Promise.all(names.map(user))
  return { first, others, refused }
})
report("ready")
