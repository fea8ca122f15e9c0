import { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Network } from "../domain/Network.ts"
import { Charges, type Charge, type LedgerEntry, type RefundAttempt } from "../ports/Charges.ts"
import { report } from "../runtime/events.ts"
import { eachEntryPage } from "../toll/audit/LedgerPages.ts"
import { skewMillis } from "../toll/audit/NetworkAudit.ts"
import { matchRefunds } from "../toll/audit/OutflowAudit.ts"
import type { Chain } from "../toll/evidence/Chain.ts"

/*
 * Refunds that a version which recorded no attempts had begun. The migration records one for each of them, of a wallet
 * without a name: any wallet may have sent the refund, and only a transfer to the payer can show it. Its validity is in
 * seconds on every network, and ends two hours after the migration.
 */

/** Whether an attempt is that of an unknown wallet. */
export const isOfUnknownWallet = ({ wallet }: RefundAttempt): boolean => wallet === ""

/** What the chain shows of a refund by an unknown wallet. */
export type UnknownTransfer = "Unreadable" | "Perhaps" | "None"

/** The refunds to the payer that the ledger has since a time. */
const refundsTo = Effect.fnUntraced(function* (
  charges: Charges["Service"],
  { network, payer }: Charge,
  fromMillis: number
) {
  const refunds: Array<LedgerEntry> = []
  yield* Effect.provideService(
    eachEntryPage({ network, payer, fromMillis }, (page) =>
      Effect.sync(() => void refunds.push(...page.filter(({ kind }) => kind === "refunded")))
    ),
    Charges,
    charges
  )
  return refunds
})

/**
 * Looks for a transfer of the refund's amount to the payer since the refund was begun, from any wallet, that is no
 * refund of the ledger. Only an operator can say whether it is this refund: it is reported.
 */
export const findUnknownTransfer = Effect.fnUntraced(function* (
  { chain, charges }: { readonly chain: Chain["Service"]; readonly charges: Charges["Service"] },
  charge: Charge,
  network: Network,
  { amountAtomic, notBefore }: RefundAttempt,
  nowMillis: number
): Effect.fn.Return<UnknownTransfer, StoreError> {
  if (!chain.canRead(network.caip2)) return "Unreadable"
  const fromMillis = notBefore * 1000 - skewMillis
  const read = yield* chain.transfersTo(network, charge.payer, {
    fromSeconds: Math.floor(fromMillis / 1000),
    beforeSeconds: Math.ceil((nowMillis + skewMillis) / 1000)
  })
  if (read === undefined) return "Unreadable"
  const ofAmount = read.transfers.filter(({ valueAtomic }) => valueAtomic === amountAtomic)
  if (ofAmount.length === 0) return "None"
  const paid = ofAmount.map((transfer) => ({ ...transfer, to: charge.payer }))
  const [found] = matchRefunds(paid, yield* refundsTo(charges, charge, fromMillis)).others
  if (found === undefined) return "None"
  yield* report(
    "Error",
    "refund_perhaps_sent",
    "A version that recorded no wallets had begun a refund, and its payer got this amount since: record that transfer if it is the refund, or send the refund yourself",
    { chargeKey: charge.key, network: charge.network, transaction: found.transaction }
  )
  return "Perhaps"
})
