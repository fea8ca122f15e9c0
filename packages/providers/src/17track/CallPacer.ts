import { Clock, Context, Effect } from "effect"
import type { Limiter } from "../upstream/Limiter.ts"

/** A turn to send one request, taken in advance. */
interface Turn {
  readonly takenAt: number
  isUsed: boolean
}

const CurrentTurn = Context.Reference<Turn | undefined>("@till402/providers/17track/CurrentTurn", {
  defaultValue: () => undefined
})

/** An unused turn expires after this time, because others may have taken theirs since. */
const turnLastsMillis = 200

/**
 * Applies the provider's rate to calls whose content is decided only when their turn comes. Retries of such
 * a call take their own turns.
 */
export class CallPacer {
  private readonly limiter: Limiter

  constructor(limiter: Limiter) {
    this.limiter = limiter
  }

  /** The limiter for the upstream. A call within `inTurn` already has its turn. */
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

  /** Waits for a turn, then runs the effect that `use` makes; `undefined` if no turn comes in time. */
  inTurn<A, E>(maxWaitMillis: number, use: () => Effect.Effect<A, E>): Effect.Effect<A | undefined, E> {
    return Effect.gen({ self: this }, function* () {
      if (!(yield* this.limiter.take(maxWaitMillis))) return undefined
      const turn: Turn = { takenAt: yield* Clock.currentTimeMillis, isUsed: false }
      return yield* Effect.provideService(use(), CurrentTurn, turn)
    })
  }
}
