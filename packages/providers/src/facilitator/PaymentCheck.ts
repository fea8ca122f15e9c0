import { type Chain as ChainReader, domainSeparator, judgeSignature } from "@till402/core/effect"
import { Clock, Data, Effect } from "effect"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import type { Fees } from "./Chain.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"
import type { Relay } from "./Relay.ts"
import type { RelayRefused } from "./RelayRefused.ts"
import type { Hex, SettlementJournalFailed } from "./SettlementJournal.ts"
import {
  creatingTransfer,
  ecdsaTransfer,
  multicall3,
  type TransferCall,
  walletCreationOf,
  walletTransfer
} from "./TransferCall.ts"

/*
 * Verifies a payment against the chain: what is checked, and in which order reasons are named.
 */

/** The chain could not be read: nothing is known about the payment. */
export class ChainUnavailable extends Data.TaggedError("ChainUnavailable")<{ readonly network: string }> {
  override get message(): string {
    return `the chain ${this.network} could not be read`
  }
}

export type PaymentVerdict =
  | {
      readonly _tag: "Valid"
      readonly call: TransferCall
      /** The limit for the call, a quarter above the estimate. */
      readonly gas: bigint
      /** What the payer has, in atomic units. */
      readonly balanceAtomic: bigint
      /** Whether code of the payer decides about the signature. */
      readonly byContract: boolean
    }
  | { readonly _tag: "Invalid"; readonly reason: string }

export interface PaymentCheckSettings {
  /** In lower case. */
  readonly walletFactories: ReadonlySet<string>
  readonly minValidSeconds: number
}

/** The signature's form decides how it is submitted. */
type Signed =
  | { readonly _tag: "Signed"; readonly call: TransferCall; readonly byWallet: boolean }
  | { readonly _tag: "Invalid"; readonly reason: string }

const invalid = (reason: string) => ({ _tag: "Invalid", reason }) as const
const badSignature = invalid("invalid_exact_evm_signature")

/** More than any limit: the gas of a call that no gas of the node suffices for. */
const unboundedGas = 1n << 64n

const withMargin = (gas: bigint): bigint => (gas * 5n) / 4n

/** The payment was not judged: it is neither valid nor invalid. */
export type CheckFault = NodeFault | ChainUnavailable | RelayRefused | SettlementJournalFailed

/** Reads of the chain that prove payments. */
export type Evidence = ChainReader["Service"]

export const makePaymentCheck = (
  { minValidSeconds, walletFactories }: PaymentCheckSettings,
  evidence: Effect.Effect<Evidence>
) => {
  const separators = new Map<string, Hex>()
  const separatorOf = (network: PresentedPayment["network"]): Hex => {
    const token = `${network.caip2} ${network.asset}`
    const known = separators.get(token) ?? domainSeparator(network)
    separators.set(token, known)
    return known
  }

  const readSignature = Effect.fnUntraced(function* (
    { chain }: Relay,
    { authorization, network, signature }: PresentedPayment
  ): Effect.fn.Return<Signed, NodeFault> {
    const { asset } = network
    const payer: Hex = `0x${authorization.from.slice(2)}`
    const creation = walletCreationOf(signature)
    if (creation === "Malformed") return badSignature
    if (creation !== undefined) {
      if (yield* chain.hasCode(payer)) {
        const call = walletTransfer(asset, authorization, creation.signature)
        return { _tag: "Signed", call, byWallet: true }
      }
      // A call to an address without code succeeds and does nothing.
      return walletFactories.has(creation.factory.toLowerCase()) && (yield* chain.hasCode(multicall3))
        ? { _tag: "Signed", call: creatingTransfer(asset, authorization, creation), byWallet: true }
        : invalid("wallet_factory_not_allowed")
    }
    const judged = judgeSignature(separatorOf(network), authorization, signature)
    const verdict = judged instanceof Promise ? yield* Effect.promise(() => judged) : judged
    if (verdict === "Malformed") return badSignature
    if (verdict === "Ordinary") {
      return { _tag: "Signed", call: ecdsaTransfer(asset, authorization, signature), byWallet: false }
    }
    return (yield* chain.hasCode(payer))
      ? { _tag: "Signed", call: walletTransfer(asset, authorization, signature), byWallet: true }
      : badSignature
  })

  const readable = <A>({ network }: PresentedPayment, value: A | undefined) =>
    value === undefined
      ? Effect.fail(new ChainUnavailable({ network: network.caip2 }))
      : Effect.succeed(value)

  const isUsed = Effect.fnUntraced(function* (payment: PresentedPayment) {
    const reader = yield* evidence
    const read = yield* reader.usedNonces(payment.network, [payment.authorization])
    return (yield* readable(payment, read)).used[0] === true
  })

  const balanceOfPayer = Effect.fnUntraced(function* (payment: PresentedPayment) {
    const reader = yield* evidence
    return yield* readable(payment, yield* reader.balanceOf(payment.network, payment.authorization.from))
  })

  /** The gas of a call; `undefined` if it reverts. */
  const tryCall = (relay: Relay, { data, to }: TransferCall, fees?: Fees) =>
    relay.chain
      // Settlements that aren't mined may still fail: the relayer counts them by itself.
      .estimateGas({ from: relay.settings.relayer, to, data, block: "latest", fees })
      .pipe(
        Effect.catchTag("NodeRefused", (refusal) =>
          refusal.failure === "reverted" ? Effect.succeed(undefined) : Effect.fail(refusal)
        )
      )

  const tryFreeCall = (relay: Relay, call: TransferCall) =>
    Effect.catchTag(tryCall(relay, call), "NodeRefused", (refusal) =>
      refusal.failure === "out_of_gas" ? Effect.succeed(unboundedGas) : Effect.fail(refusal)
    )

  /**
   * The gas that the settlement takes; `undefined` if it would be reverted. Simulated with the fees that it will pay:
   * a contract sees the difference.
   */
  const estimate = Effect.fnUntraced(function* (relay: Relay, { key }: PresentedPayment, call: TransferCall) {
    const fees = yield* relay.simulationFees
    if (fees === undefined) return yield* tryFreeCall(relay, call)
    return yield* Effect.catchTag(
      tryCall(relay, call, fees),
      "NodeRefused",
      Effect.fnUntraced(function* (refusal) {
        // The node, or the relayer's gas money, doesn't suffice for the simulation: name the reason.
        const gas = yield* tryFreeCall(relay, call)
        if (gas === undefined || withMargin(gas) > relay.settings.maxGas) return gas
        yield* relay.assertAffordable(withMargin(gas), key)
        return yield* refusal
      })
    )
  })

  const checkOnChain = Effect.fnUntraced(function* (
    relay: Relay,
    payment: PresentedPayment,
    { byWallet, call }: Extract<Signed, { readonly _tag: "Signed" }>
  ): Effect.fn.Return<PaymentVerdict, CheckFault> {
    const payer: Hex = `0x${payment.authorization.from.slice(2)}`
    const [gas, balance, byContract] = yield* Effect.all(
      [
        estimate(relay, payment, call),
        balanceOfPayer(payment),
        byWallet ? Effect.succeed(true) : relay.chain.hasCode(payer)
      ],
      { concurrency: 3 }
    )
    const isShort = balance < BigInt(payment.authorization.value)
    if (gas !== undefined && !isShort) {
      const limit = withMargin(gas)
      return limit > relay.settings.maxGas
        ? invalid("settlement_gas_above_limit")
        : { _tag: "Valid", call, gas: limit, balanceAtomic: balance, byContract }
    }
    // Read last: this payment, or another of the payer's, may have been settled between the reads.
    if (yield* isUsed(payment)) return invalid("invalid_exact_evm_nonce_already_used")
    if (isShort || (yield* balanceOfPayer(payment)) < BigInt(payment.authorization.value))
      return invalid("invalid_exact_evm_insufficient_balance")
    return byWallet ? badSignature : invalid("invalid_exact_evm_transaction_simulation_failed")
  })

  /** Verifies a payment: time window, signature, funds, nonce, gas. The chain simulates the whole settlement. */
  return Effect.fn("LocalFacilitator.check")(function* (
    relay: Relay,
    payment: PresentedPayment
  ): Effect.fn.Return<PaymentVerdict, CheckFault> {
    const nowSeconds = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000))
    const { validAfter, validBefore } = payment.authorization
    if (BigInt(validAfter) > nowSeconds) {
      return invalid("invalid_exact_evm_payload_authorization_valid_after")
    }
    if (BigInt(validBefore) < nowSeconds + BigInt(minValidSeconds)) {
      return invalid("invalid_exact_evm_payload_authorization_valid_before")
    }
    const signed = yield* readSignature(relay, payment)
    return signed._tag === "Invalid" ? signed : yield* checkOnChain(relay, payment, signed)
  })
}

export type PaymentCheck = ReturnType<typeof makePaymentCheck>
