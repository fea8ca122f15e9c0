import { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { isSameAsset, type SolanaNetwork } from "../domain/Network.ts"
import type { Charge } from "../ports/Charges.ts"
import type { RefundTransferContext, RefundTransferState, SolanaRefunds } from "../ports/SolanaRefunds.ts"
import { causeName } from "../runtime/causeName.ts"
import { report } from "../runtime/events.ts"
import { recordSent, reportUnknownToken, type SenderServices } from "./RefundSender.ts"

/*
 * Sends one refund on Solana. The host's wallet transfers it, and knows by its own journal and the chain whether it has
 * moved: there is no authorization that the facilitator could submit.
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

/**
 * Sends the refund of a charge on Solana and returns its transaction; `undefined`: it was not sent, or is not final
 * yet.
 */
export const sendSolanaRefund = Effect.fnUntraced(function* (
  services: Pick<SenderServices, "charges" | "guard">,
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
  const before = yield* call(charge, (context) => wallet.find(key, context))
  // A refund that has moved is recorded even while refunds are stopped.
  if (before?.status === "sent") return yield* recordSent(services, charge, before.transaction)
  if (before === undefined) return undefined
  // The wallet itself refuses a refund that it can't pay, before it signs anything.
  if (!(yield* services.guard.tryStart(charge, network, Effect.succeed(true)))) return undefined
  const transfer = { key, payee: payer, asset, amountAtomic: BigInt(amountAtomic) }
  const state = yield* call(charge, (context) => wallet.refund(transfer, context))
  if (state?.status === "sent") return yield* recordSent(services, charge, state.transaction)
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
