import { Clock, Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { isSameAsset, type SolanaNetwork } from "../domain/Network.ts"
import type { Charge, RefundAttempt } from "../ports/Charges.ts"
import type {
  RefundTransaction,
  RefundTransferContext,
  RefundTransferState,
  SolanaRefunds
} from "../ports/SolanaRefunds.ts"
import { causeName } from "../runtime/causeName.ts"
import { report } from "../runtime/events.ts"
import { recordSent, reportOtherWallet, reportUnknownToken, type SenderServices } from "./RefundSender.ts"

/*
 * Sends one refund on Solana. The host's wallet transfers it, and knows by its own journal, the till's record of the
 * attempts of all wallets, and the chain whether it has moved: there is no authorization that the facilitator could
 * submit.
 */

/** Longer than a final block takes. After it, the outcome is open and looked up with the next attempt. */
const callMillis = 60_000

/** Calls the wallet; an error is reported, and the refund stays due. */
const call = (
  { key }: Charge,
  run: (context: RefundTransferContext) => Promise<RefundTransferState>
): Effect.Effect<RefundTransferState | undefined> =>
  Effect.timeout(
    Effect.tryPromise({ try: (signal) => run({ signal }), catch: (error) => error }),
    callMillis
  ).pipe(
    Effect.catch((error) =>
      Effect.as(
        report("Error", "refund_not_sent", "A refund could not be sent from the wallet on Solana", {
          chargeKey: key,
          error: causeName(error)
        }),
        undefined
      )
    )
  )

const transactionOf = ({ nonce, notBefore, validBefore, wallet }: RefundAttempt): RefundTransaction => ({
  wallet,
  transaction: nonce,
  signedAtSlot: notBefore,
  lastValidBlockHeight: validBefore - 1
})

/**
 * Records a transaction as the next attempt after those that the wallet has judged. `false`: another wallet, or another
 * process with its own signature, was first.
 */
const recorderOf = (
  charges: SenderServices["charges"],
  { amountAtomic, key }: Charge,
  judged: ReadonlyArray<RefundAttempt>
) =>
  Effect.map(Effect.context<never>(), (context) => {
    const known = [...judged]
    const record = Effect.fnUntraced(function* (signed: RefundTransaction) {
      const isAmong = (attempts: ReadonlyArray<RefundAttempt>) =>
        attempts.some(({ nonce }) => nonce === signed.transaction)
      if (isAmong(known)) return true
      const attempt: RefundAttempt = {
        chargeKey: key,
        refundNumber: 1,
        sequence: (known.at(-1)?.sequence ?? 0) + 1,
        wallet: signed.wallet,
        amountAtomic,
        nonce: signed.transaction,
        notBefore: signed.signedAtSlot,
        validBefore: signed.lastValidBlockHeight + 1,
        atMillis: yield* Clock.currentTimeMillis
      }
      if (yield* charges.recordRefundAttempt(attempt)) {
        known.push(attempt)
        return true
      }
      // A process with the same journal may have recorded the same transaction.
      return isAmong(yield* charges.refundAttempts([key]))
    })
    return (signed: RefundTransaction): Promise<boolean> => Effect.runPromiseWith(context)(record(signed))
  })

/**
 * Sends the refund of a charge on Solana and returns its transaction; `undefined`: it was not sent, or is not final
 * yet.
 */
export const sendSolanaRefund = Effect.fnUntraced(function* (
  services: Pick<SenderServices, "charges" | "guard" | "payments">,
  charge: Charge,
  network: SolanaNetwork,
  wallet: SolanaRefunds
): Effect.fn.Return<string | undefined, StoreError> {
  const { amountAtomic, asset, key, payer } = charge
  // The guard reads payments in USDC only.
  if (!isSameAsset(network, asset)) return yield* reportUnknownToken(charge)
  if (wallet.network !== network.caip2) {
    yield* report("Error", "refund_not_sent", "A refund is due on a network that solanaRefunds is not for", {
      chargeKey: key,
      network: network.caip2
    })
    return undefined
  }
  const attempts = yield* services.charges.refundAttempts([key])
  const recorded = attempts.map(transactionOf)
  const before = yield* call(charge, (context) => wallet.find(key, { ...context, recorded }))
  // A refund that has moved is recorded even while refunds are stopped.
  if (before?.status === "sent") return yield* recordSent(services, charge, before.transaction)
  if (before === undefined) return undefined
  // The wallet itself refuses a refund that it can't pay, before it signs anything.
  if (!(yield* services.guard.tryStart(charge, network, Effect.succeed(true)))) return undefined
  const transfer = { key, payee: payer, asset, amountAtomic: BigInt(amountAtomic) }
  const record = yield* recorderOf(services.charges, charge, attempts)
  const state = yield* call(charge, (context) => wallet.refund(transfer, { ...context, recorded, record }))
  if (state?.status === "sent") return yield* recordSent(services, charge, state.transaction)
  const last = recorded.at(-1)
  if (state !== undefined && last !== undefined && last.wallet !== wallet.address)
    return yield* reportOtherWallet(charge, { isReadable: true })
  if (state !== undefined) {
    yield* report(
      "Warn",
      "refund_not_confirmed",
      "A refund was sent, and its transfer is not confirmed yet",
      { chargeKey: key, network: network.caip2, reason: state.status }
    )
  }
  return undefined
})
