import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { FairPool } from "./FairPool.ts"
import type { PayerHistory } from "./PayerHistory.ts"
import { clientGroupOf, type PayingCall } from "../attempt/PayingCall.ts"

const queue = { maxQueued: 2_000, minWaitMillis: 4_000, maxWaitMillis: 8_000 }

/**
 * Limits concurrent verifications: strangers share one pool by client address, payers who have settled here another by
 * payer.
 *
 * So strangers don't delay payers, and one payer can't take the slots of the others.
 */
export class VerificationPools {
  private readonly strangers: FairPool
  private readonly payers: FairPool
  private readonly history: PayerHistory

  constructor(limits: { readonly unverified: number; readonly unsettled: number }, history: PayerHistory) {
    this.strangers = new FairPool({ capacity: limits.unverified, ...queue })
    this.payers = new FairPool({ capacity: limits.unsettled, ...queue })
    this.history = history
  }

  /** Whether the call would be refused a slot at once if its payer were a stranger. */
  isClosedToStranger(call: PayingCall): boolean {
    return this.strangers.isFull && this.strangers.isClosedTo(clientGroupOf(call))
  }

  /** Takes a slot for a verification, waiting for one if necessary; `false`: there was none in time. */
  readonly enter = Effect.fnUntraced({ self: this }, function* (call: PayingCall): Effect.fn.Return<
    boolean,
    StoreError
  > {
    const client = clientGroupOf(call)
    if (this.history.recallKnown(call) !== true && this.strangers.tryEnter(client)) {
      return this.hold(call, this.strangers, client)
    }
    const isKnown = yield* this.history.isKnown(call)
    const pool = isKnown ? this.payers : this.strangers
    const name = isKnown ? call.payer : client
    if (!pool.tryEnter(name) && !(yield* pool.enter(name))) return false
    return this.hold(call, pool, name)
  })

  private hold({ releases }: PayingCall, pool: FairPool, name: string): true {
    releases.hold("slot", () => pool.leave(name))
    return true
  }
}
