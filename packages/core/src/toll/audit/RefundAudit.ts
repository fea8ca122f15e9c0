import { Effect } from "effect"
import { checksumAddress } from "../../domain/EvmAddress.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { isSameAsset, type Network, networkOfAsset } from "../../domain/Network.ts"
import { Charges, type LedgerEntry, type RefundAttempt } from "../../ports/Charges.ts"
import { Chain } from "../evidence/Chain.ts"
import { eachEntryPage, entriesOfCharges } from "./LedgerPages.ts"
import type { PaidTo, Span } from "./NetworkAudit.ts"

/*
 * Compares the refunds of the ledger with the chain: each recorded attempt that moved money must be an entry of its own.
 * It reads the nonces of recorded attempts only, so whatever else a host does with the refund wallet is no fault (that is
 * listed by `OutflowAudit.ts`), and nothing that strangers do with those nonces is.
 */

/** Limit on attempts that are looked up on the chain. */
const maxLookups = 200

/** The network of a refund: that of the settings, or with its known token. */
export const networkOf = (
  networks: ReadonlyArray<PaidTo>,
  { asset, network }: LedgerEntry
): Network | undefined =>
  networks.find((each) => each.caip2 === network && isSameAsset(each, asset)) ??
  networkOfAsset(network, asset)

/**
 * The attempts of a charge that differ on the chain: of those under one nonce of a wallet, the one that is valid for
 * longest.
 */
const distinct = (attempts: ReadonlyArray<RefundAttempt>): ReadonlyArray<RefundAttempt> => {
  const ascending = attempts.toSorted((left, right) => left.validBefore - right.validBefore)
  return Array.from(
    new Map(ascending.map((attempt) => [`${attempt.wallet} ${attempt.nonce}`, attempt])).values()
  )
}

/** Notes the refunds in a span that a recorded attempt paid in a transaction which the ledger doesn't have. */
export const checkRefunds = Effect.fn("checkRefunds")(function* (
  span: Span,
  networks: ReadonlyArray<PaidTo>,
  note: (chargeKey: string, fault: string) => void
): Effect.fn.Return<void, StoreError, Charges | Chain> {
  const charges = yield* Charges
  const chain = yield* Chain
  let lookups = 0

  const hasMoved = Effect.fnUntraced(function* (
    network: Network,
    { amountAtomic, nonce, notBefore, validBefore, wallet }: RefundAttempt,
    { payer, transaction }: LedgerEntry
  ) {
    const evidence = yield* chain.evidence(
      network,
      {
        from: checksumAddress(wallet),
        to: checksumAddress(payer),
        value: amountAtomic,
        validAfter: "0",
        validBefore: String(validBefore),
        nonce
      },
      { sinceSeconds: notBefore, ...(transaction === undefined ? {} : { transaction }) }
    )
    return evidence._tag === "Moved" ? evidence.transaction : undefined
  })

  const checkCharge = Effect.fnUntraced(function* (
    refunded: LedgerEntry,
    entries: ReadonlyArray<LedgerEntry>,
    attempts: ReadonlyArray<RefundAttempt>
  ) {
    const network = networkOf(networks, refunded)
    if (network?.family !== "evm" || !chain.canRead(network.caip2)) return
    const entered = new Set(
      entries.filter(({ kind }) => kind === "refunded").map(({ transaction }) => transaction?.toLowerCase())
    )
    for (const attempt of distinct(attempts)) {
      if (lookups++ >= maxLookups) return
      const transaction = yield* hasMoved(network, attempt, refunded)
      if (transaction !== undefined && !entered.has(transaction.toLowerCase()))
        note(refunded.chargeKey, "its refund was paid in a transaction that the ledger doesn't have")
    }
  })

  yield* eachEntryPage(span, (page) =>
    Effect.gen(function* () {
      const refunded = new Map(
        page.filter(({ kind }) => kind === "refunded").map((entry) => [entry.chargeKey, entry])
      )
      const keys = Array.from(refunded.keys())
      if (keys.length === 0) return
      const attempts = Map.groupBy(yield* charges.refundAttempts(keys), ({ chargeKey }) => chargeKey)
      const entries = yield* entriesOfCharges(Array.from(attempts.keys()))
      for (const [key, ofCharge] of attempts)
        yield* checkCharge(refunded.get(key)!, entries.get(key) ?? [], ofCharge)
    })
  )
})
