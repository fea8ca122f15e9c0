import { Money } from "@till402/core/effect"
import type { EvmNetwork } from "@till402/core/effect"
import { Clock, Effect, Redacted } from "effect"
import {
  type FailedPlacement,
  notPlaced,
  type PlacementOutcome,
  refused,
  unknown,
  withOutcome
} from "../fulfilment/PlacementOutcome.ts"
import { fieldsOf } from "../listing/Fields.ts"
import type { Hex } from "../treasury/Hex.ts"
import { prepareTransfer } from "../treasury/TokenTransfer.ts"
import type { PaymentState, TreasuryClient } from "../treasury/Treasury.ts"
import { PaymentFailed } from "../treasury/TreasuryErrors.ts"
import { ResponseMalformed } from "../upstream/index.ts"
import { OfferChanged, type RyeError } from "./Errors.ts"
import type { IntentDocument } from "./IntentDocument.ts"
import type { Intents } from "./Intents.ts"
import { beforeConfirming } from "./Outcome.ts"

/*
 * Payment by x402: Rye responds to a confirmation with a 402 that names an account and an amount of USDC. The treasury
 * pays, each order once, and the confirmation is sent again with the transaction. As in Rye's own example:
 * https://github.com/rye-com/x402-demo
 */

/** What Rye demands for an intent. */
interface Demand {
  readonly recipient: Hex
  readonly amountAtomic: bigint
  readonly expiresAtMillis: number | undefined
}

const isAddress = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)

/** Reads a demand, from a header or from `nextAction.x402`; `undefined` if it is unusable. */
export const demandOf = (fields: unknown, network: string): Demand | undefined => {
  const {
    currency = "USDC",
    expiresAt,
    maxAmountRequired,
    network: named = network,
    recipient
  } = fieldsOf(fields)
  const amountAtomic =
    typeof maxAmountRequired === "string" ? Money.parseAtomic(maxAmountRequired) : undefined
  if (!isAddress(recipient) || amountAtomic === undefined || amountAtomic === 0n) return undefined
  if (currency !== "USDC" || named !== network) return undefined
  const expires = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN
  return { recipient, amountAtomic, expiresAtMillis: Number.isNaN(expires) ? undefined : expires }
}

const decoded = (header: string | undefined): unknown => {
  if (header === undefined) return undefined
  try {
    return JSON.parse(atob(header))
  } catch {
    // Not a header of Rye's; the intent is read instead.
    return undefined
  }
}

/** The header that names the transaction. */
const proofOf = (transaction: string, network: string): string =>
  btoa(JSON.stringify({ signature: transaction, network, transactionHash: transaction }))

/** The outcome if the treasury failed to pay; see `Treasury.pay`. */
const whilePaying = (error: RyeError): PlacementOutcome => {
  switch (error._tag) {
    // Nothing was signed for this order.
    case "PaymentExpired":
    case "TreasuryUnderfunded":
    case "FeesTooHigh":
    case "TreasuryBusy":
    case "SigningFailed":
      return notPlaced(error)
    case "PaymentFailed":
      return refused("payment_failed")
    case "PaymentRefused":
      return error.reason === "reference_taken" ? unknown() : notPlaced(error)
    default:
      return unknown()
  }
}

export interface PaidOrder {
  readonly orderId: string
  readonly reference: string
  /** The most that may be paid. */
  readonly agreedCents: bigint
}

/** How long a demand without an end of its own can be paid. */
const demandMillis = 600_000
const atomicPerCent = 10_000n

export const makeX402Payment = (
  intents: Intents,
  { network, treasury }: { readonly network: EvmNetwork; readonly treasury: TreasuryClient }
) => {
  const name = treasury.network

  /** The demand for an intent; `undefined` if Rye confirms it without a payment. */
  const demand = (reference: string, orderId: string): Effect.Effect<Demand | undefined, RyeError> =>
    Effect.matchEffect(intents.confirm(reference, orderId), {
      onSuccess: (intent): Effect.Effect<Demand | undefined, RyeError> =>
        intent.state === "requires_action" ? demandIn(intent) : Effect.succeed(undefined),
      onFailure: (fault) => {
        if (fault._tag !== "Rejected" || fault.status !== 402) return Effect.fail(fault)
        const inHeader = demandOf(decoded(Redacted.value(fault.response).headers["payment-required"]), name)
        return inHeader === undefined
          ? Effect.flatMap(intents.get(reference), demandIn)
          : Effect.succeed(inHeader)
      }
    })

  const demandIn = ({ nextAction }: IntentDocument): Effect.Effect<Demand, RyeError> => {
    const found = demandOf(fieldsOf(nextAction)["x402"], name)
    return found === undefined
      ? Effect.fail(new ResponseMalformed({ upstream: "rye", detail: "nextAction.x402" }))
      : Effect.succeed(found)
  }

  /** Pays an order that was not paid before. Returns the header for its confirmation. */
  const pay = Effect.fnUntraced(function* (
    order: PaidOrder
  ): Effect.fn.Return<string | undefined, FailedPlacement<RyeError>> {
    const { agreedCents, orderId, reference } = order
    const before = withOutcome((error: RyeError) => beforeConfirming(error, { mayArrive: false }))
    const demanded = yield* before(demand(reference, orderId))
    if (demanded === undefined) return undefined
    const { amountAtomic, recipient } = demanded
    if (amountAtomic > agreedCents * atomicPerCent) return yield* before(Effect.fail(new OfferChanged()))
    const expiresAtMillis = demanded.expiresAtMillis ?? (yield* Clock.currentTimeMillis) + demandMillis
    const { asset: token, chainId } = network
    const prepared = prepareTransfer({ chainId, token, payee: recipient, amountAtomic })
    const payment = { key: orderId, reference, prepared, payees: [recipient], amountAtomic, expiresAtMillis }
    const { transaction } = yield* withOutcome<RyeError>(whilePaying)(treasury.pay(payment))
    return proofOf(transaction, name)
  })

  /** Completes a payment that was begun. Returns the header for its confirmation. */
  const resume = (
    { status, ...state }: Exclude<PaymentState, { readonly status: "none" }>,
    orderId: string
  ): Effect.Effect<string, RyeError> => {
    const { reference, transaction } = state
    if (status === "failed") return Effect.fail(new PaymentFailed({ transaction }))
    if (status === "paid") return Effect.succeed(proofOf(transaction, name))
    const payment = {
      key: orderId,
      reference,
      payees: [],
      prepared: "0x",
      amountAtomic: 0n,
      expiresAtMillis: 0
    }
    return Effect.map(treasury.pay(payment), (paid) => proofOf(paid.transaction, name))
  }

  return {
    /** The payment of an order, as the treasury knows it. */
    find: (orderId: string): Effect.Effect<PaymentState, RyeError> => treasury.find(orderId),
    pay,
    resume
  }
}

export type X402Payment = ReturnType<typeof makeX402Payment>
