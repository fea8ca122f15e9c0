import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Charges, PayerActivity } from "../../ports/Charges.ts"
import { BoundedMap } from "../../runtime/BoundedMap.ts"
import { type PayerAccounts, recentMillis } from "./PayerAccounts.ts"
import type { PayingCall } from "../attempt/PayingCall.ts"

type Reading<A> = Effect.fn.Return<A, StoreError>

const dayMillis = 86_400_000
/** How long a payer without a settlement is remembered as a stranger. */
const strangerMillis = 2_000
const maxStrangers = 10_000

/** Reads a payer's settled and open payments from the store, and passes them on to this process's accounts. */
export class PayerHistory {
  private readonly charges: Charges["Service"]
  private readonly accounts: PayerAccounts
  /** Payers that the store doesn't know, and until when it isn't read again. */
  private readonly strangersUntil = new BoundedMap<string, number>(maxStrangers)

  constructor(charges: Charges["Service"], accounts: PayerAccounts) {
    this.charges = charges
    this.accounts = accounts
  }

  /** The payer's open payments up to this one, and those settled since a time. */
  activity(
    { lease, network, payer }: PayingCall,
    createdAtMillis: number,
    sinceMillis: number
  ): Effect.Effect<PayerActivity, StoreError> {
    return this.charges.payerActivity(
      { payer, network: network.caip2, asset: network.asset, key: lease.key, createdAtMillis },
      sinceMillis,
      lease.nowMillis()
    )
  }

  /** Whether the payer has settled here within a day, from memory; `undefined`: the store decides. */
  recallKnown({ account, learned, lease }: PayingCall): boolean | undefined {
    return learned.isProven ? (this.accounts.isKnown(account, lease.nowMillis()) ?? learned.isKnown) : false
  }

  /**
   * Whether the payer that a payment names has settled here within a day; its signature may be unchecked. Remembers a
   * "no" for a moment, so that a crowd of strangers costs few reads.
   */
  readonly namesKnownPayer = Effect.fnUntraced(
    { self: this },
    function* (call: PayingCall): Reading<boolean> {
      const { account, learned, lease } = call
      const nowMillis = lease.nowMillis()
      if (this.accounts.isKnown(account, nowMillis) === true) return true
      if ((this.strangersUntil.get(account) ?? 0) > nowMillis) return false
      const { settledAtomic } = yield* this.activity(call, nowMillis, nowMillis - dayMillis)
      const isKnown = settledAtomic !== "0"
      learned.isKnown = isKnown
      if (!isKnown) this.strangersUntil.set(account, nowMillis + strangerMillis)
      return isKnown
    }
  )

  /** Whether the payer has settled here within a day, in any process. Reads the store once per call. */
  readonly isKnown = Effect.fnUntraced({ self: this }, function* (call: PayingCall): Reading<boolean> {
    const recalled = this.recallKnown(call)
    if (recalled !== undefined) return recalled
    const nowMillis = call.lease.nowMillis()
    const { settledAtomic } = yield* this.activity(call, nowMillis, nowMillis - dayMillis)
    const isKnown = settledAtomic !== "0"
    call.learned.isKnown = isKnown
    if (isKnown) this.accounts.learnKnown(call.account, nowMillis)
    return isKnown
  })

  /** Learns what the payer has recently settled in all processes. */
  learnRecent(call: PayingCall, nowMillis: number): Effect.Effect<void, StoreError> {
    return Effect.map(this.activity(call, nowMillis, nowMillis - recentMillis), ({ settledAtomic }) =>
      this.accounts.learnRecent(call.account, BigInt(settledAtomic), nowMillis)
    )
  }
}
