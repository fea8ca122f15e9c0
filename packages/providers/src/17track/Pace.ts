import { Clock, Context, Effect } from "effect"
import type { Limiter } from "../upstream/Limiter.ts"

/** A turn to send one request, taken ahead of it. */
interface Turn {
  readonly takenAt: number
  isUsed: boolean
}

const CurrentTurn = Context.Reference<Turn | undefined>("@till402/providers/17track/CurrentTurn", {
  defaultValue: () => undefined
})

/** A turn that was not used by then has passed: others may have taken theirs since. */
const turnLastsMillis = 200

/**
 * The provider's rate, for calls that are made up only once their turn has come: numbers gather until
 * then. Repeats of such a call take turns of their own.
 */
export class Pace {
  private readonly limiter: Limiter

  constructor(limiter: Limiter) {
    this.limiter = limiter
  }

  /** For the upstream: a call within `inTurn` has its turn already. */
  readonly forUpstream: Limiter = {
    take: (maxWaitMillis) =>
      Effect.gen({ self: this }, function* () {
        const turn = yield* CurrentTurn
        const now = yield* Clock.currentTimeMillis
        if (turn !== undefined && !turn.isUsed && now - turn.takenAt <= turnLastsMillis) {
          turn.isUsed = true
          return true
        }
        return yield* this.limiter.take(maxWaitMillis)
      })
  }

  /** Waits for a turn, then runs what `use` makes up at that moment; `undefined` if none comes in time. */
  inTurn<A, E>(maxWaitMillis: number, use: () => Effect.Effect<A, E>): Effect.Effect<A | undefined, E> {
    return Effect.gen({ self: this }, function* () {
      if (!(yield* this.limiter.take(maxWaitMillis))) return undefined
      const turn: Turn = { takenAt: yield* Clock.currentTimeMillis, isUsed: false }
      return yield* Effect.provideService(use(), CurrentTurn, turn)
    })
  }
}
