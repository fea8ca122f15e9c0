import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { networkOfAsset } from "../../domain/Network.ts"
import { isTransactionIdOn } from "../../domain/transactionId.ts"
import { type Charge, Charges, type LedgerEntry } from "../../ports/Charges.ts"
import { report } from "../../runtime/events.ts"
import { Chain } from "../evidence/Chain.ts"
import { eachEntryPage } from "./LedgerPages.ts"
import type { Span } from "./NetworkAudit.ts"

/*
 * Looks on the chain for refunds that operators recorded by hand. One transaction may pay many buyers. What it doesn't
 * show is no fault: a refund may be paid on another network, in another coin, or to another wallet of the buyer.
 */

/** A refund whose transaction doesn't exist, or doesn't pay its buyer that amount. */
export interface UnshownRefund {
  readonly chargeKey: string
  /** CAIP-2. */
  readonly network: string
  readonly transaction: string
}

type Refunded = Pick<Charge, "amountAtomic" | "asset" | "network" | "payer">

/** Whether a transaction pays a buyer at least an amount; `undefined`: it can't be judged. */
export const pays = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  { asset, network: caip2, payer }: Refunded,
  transaction: string,
  amountAtomic: bigint
) {
  const network = networkOfAsset(caip2, asset)
  if (network === undefined || !isTransactionIdOn(caip2, transaction) || !chain.canRead(caip2)) return
  const read = chain.paidBy?.(network, transaction, payer) ?? Effect.undefined
  const paid = yield* read
  return paid === undefined || paid === "absent" ? paid : paid >= amountAtomic
})

/** Reports a refund whose transaction doesn't pay its buyer. One that doesn't exist may not be mined yet. */
export const reportUnshownRefund = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  charge: Refunded & { readonly key: string },
  transaction: string
): Effect.fn.Return<void> {
  if ((yield* pays(chain, charge, transaction, BigInt(charge.amountAtomic))) !== false) return
  yield* report(
    "Warn",
    "refund_without_transaction",
    "You recorded a refund, but on the network of its payment that transaction doesn't pay its buyer that amount. Compare the hash: the buyer reads that it was sent",
    { chargeKey: charge.key, transaction }
  )
})

const maxLookups = 200

/**
 * Lists the refunds of a span whose transactions don't pay their buyers. Those that the wallet never started were surely
 * recorded by hand: they are looked up first.
 */
export const findUnshownRefunds = Effect.fn("findUnshownRefunds")(function* (
  span: Span
): Effect.fn.Return<
  { readonly unshownRefunds: ReadonlyArray<UnshownRefund>; readonly unreadRefunds: number },
  StoreError,
  Charges | Chain
> {
  const charges = yield* Charges
  const chain = yield* Chain
  const byHand: Array<LedgerEntry> = []
  const started: Array<LedgerEntry> = []
  yield* eachEntryPage(span, (page) =>
    Effect.gen(function* () {
      const refunds = page.filter(({ kind }) => kind === "refunded")
      if (refunds.length === 0) return
      const attempts = yield* charges.refundAttempts(refunds.map(({ chargeKey }) => chargeKey))
      const attempted = new Set(attempts.map(({ chargeKey }) => chargeKey))
      for (const refund of refunds) (attempted.has(refund.chargeKey) ? started : byHand).push(refund)
    })
  )
  // One transfer doesn't pay two refunds.
  const payments = Map.groupBy([...byHand, ...started], ({ asset, network, payer, transaction }) =>
    [network, asset, payer, transaction].join(" ")
  )
  const looks = Array.from(payments.values(), (entries, index) => {
    const [first] = entries
    const amountAtomic = entries.reduce((sum, entry) => sum + BigInt(entry.amountAtomic), 0n)
    const look =
      index < maxLookups ? pays(chain, first!, first!.transaction ?? "", amountAtomic) : Effect.undefined
    return Effect.map(look, (found) => ({ entries, found }))
  })
  const unshownRefunds: Array<UnshownRefund> = []
  let unreadRefunds = 0
  for (const { entries, found } of yield* Effect.all(looks, { concurrency: 8 })) {
    if (found === undefined) unreadRefunds += entries.length
    else if (found !== true)
      for (const { chargeKey, network, transaction = "" } of entries)
        unshownRefunds.push({ chargeKey, network, transaction })
  }
  return { unshownRefunds, unreadRefunds }
})
