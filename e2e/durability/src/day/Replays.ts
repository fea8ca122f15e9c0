import type { Replay } from "../Audit.ts"
import { type Attempt, sendUntilFinal, type Servers } from "../Buyer.ts"
import type { Randomness } from "../Randomness.ts"

/** Sends each successful payment again while the day goes on. */
export interface Replays {
  /** Schedules the replay of an attempt that has ended. */
  readonly schedule: (attempt: Attempt) => void
  /** The header of a payment that bought something lately. */
  readonly usedPayment: () => string | undefined
  /** Resolves with all replays once they have their responses. */
  readonly end: () => Promise<ReadonlyMap<Attempt, Replay>>
}

/** Longest time after which a client repeats its request. */
const delayMillis = 20_000

export const makeReplays = (options: {
  readonly servers: Servers
  readonly randomness: Randomness
  readonly baseUrl: string
}): Replays => {
  const { baseUrl, randomness, servers } = options
  const replays = new Map<Attempt, Replay>()
  const running = new Set<Promise<void>>()
  let used: string | undefined

  const replay = async (attempt: Attempt, request: Request): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, randomness.between(0, delayMillis)))
    try {
      const note = { cutOff: 0, sentAgain: 0 }
      replays.set(attempt, await sendUntilFinal(request, { baseUrl, servers, randomness }, note))
    } catch (error) {
      replays.set(attempt, { failure: error instanceof Error ? error.message : String(error) })
    }
  }

  return {
    schedule: (attempt) => {
      const { payment, responses } = attempt
      if (payment === undefined) return
      // Of a long run, only what the audit reads is kept.
      attempt.payment = { ...payment, request: new Request(baseUrl) }
      if (!responses.some(({ status }) => status === 200)) return
      used = payment.request.headers.get("payment-signature") ?? used
      const work = replay(attempt, payment.request)
      running.add(work)
      void work.finally(() => running.delete(work))
    },
    usedPayment: () => used,
    end: async () => {
      while (running.size > 0) await Promise.all(running)
      return replays
    }
  }
}
