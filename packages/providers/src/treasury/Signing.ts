import { ConfigurationError } from "@till402/core"
import { Clock, Effect, Semaphore } from "effect"
import type { Chain } from "./Chain.ts"
import type { Journal, PaymentRecord } from "./PaymentJournal.ts"
import { latestOf, makeReplacing } from "./Replacing.ts"
import { expiryMarginMillis, hashOf, signer, type SigningSettings } from "./SigningAccount.ts"
import type { Transfer } from "./Transfer.ts"
import type { TreasuryPayment } from "./Treasury.ts"
import {
  FeesTooHigh,
  PaymentExpired,
  PaymentRefused,
  TreasuryBusy,
  TreasuryUnderfunded
} from "./TreasuryErrors.ts"

/*
 * Signs an agreed transfer and records it in the journal. The payment itself is sent later, after its record
 * is written.
 */

/** A transfer needs about 60,000. No known token needs more than this. */
const maxGas = 300_000n
/** Transaction numbers that are tried before a payment fails with `TreasuryBusy`. */
const maxNonces = 32
/** Checks the costs of a transaction against the host's limits. */
const makeCosts = ({ maxFeePerGas, network, payer }: SigningSettings, chain: Chain) => {
  let isRightChain = false

  const assertChain = Effect.gen(function* () {
    if (isRightChain) return
    if ((yield* chain.chainId) !== BigInt(network.chainId)) {
      const message = `treasury: rpcUrl is not a node of ${network.caip2}`
      return yield* new ConfigurationError({ message })
    }
    isRightChain = true
  })

  const gasFor = Effect.fnUntraced(function* ({ amountAtomic, data, token }: Transfer) {
    if ((yield* chain.balanceOf(token, payer)) < amountAtomic) return yield* new TreasuryUnderfunded()
    const gas = ((yield* chain.estimateGas({ from: payer, to: token, data })) * 5n) / 4n
    return gas > maxGas ? yield* new FeesTooHigh() : gas
  })

  const feesWithin = Effect.flatMap(chain.fees, (fees) =>
    fees.maxFeePerGas > maxFeePerGas ? Effect.fail(new FeesTooHigh()) : Effect.succeed(fees)
  )

  return { assertChain, feesWithin, gasFor }
}

/** Signs payments one after the other, because concurrent ones would use the same transaction number. */
export const makeSigning = (settings: SigningSettings, chain: Chain, journal: Journal) => {
  const { account, payer } = settings
  const sign = signer(account)
  const { assertChain, feesWithin, gasFor } = makeCosts(settings, chain)
  const { clear, raise } = makeReplacing(settings, { sign, feesWithin }, chain, journal)
  const oneAtATime = Semaphore.makeUnsafe(1)

  /** Signs a transfer with the next free number and records it, or returns the existing record of its key. */
  const decide = (payment: TreasuryPayment, transfer: Transfer) =>
    oneAtATime.withPermit(
      Effect.gen(function* () {
        const { expiresAtMillis, key, reference } = payment
        yield* assertChain
        const gas = yield* gasFor(transfer)
        const fees = yield* feesWithin
        let nonce = yield* chain.transactionCount(payer)
        for (let attempt = 0; attempt < maxNonces; attempt++, nonce++) {
          const { chainId, data, token: to } = transfer
          const call = { chainId, nonce, to, data, value: 0n, gas }
          const signedTransaction = yield* sign({ type: "eip1559", ...call, ...fees })
          const now = yield* Clock.currentTimeMillis
          if (now + expiryMarginMillis >= expiresAtMillis) return yield* new PaymentExpired()
          const record: PaymentRecord = {
            key,
            reference,
            chainId,
            payer,
            nonce,
            transaction: yield* hashOf(signedTransaction),
            signedTransaction,
            expiresAtMillis
          }
          const other = yield* journal.insert(record)
          if (other === undefined) return { ...record, replacements: [] }
          if (other.key === key) return other
          if (other.reference === reference) return yield* new PaymentRefused({ reason: "reference_taken" })
          // Another payment has this number, but the chain lacks it: send it, or ours would have to wait.
          if (now < other.expiresAtMillis) yield* chain.send(latestOf(yield* raise(other)).signedTransaction)
          else yield* clear(other)
        }
        return yield* new TreasuryBusy()
      })
    )

  return { clear, raise, decide }
}
