import { Clock, Context, Effect, Layer } from "effect"
import { getAddress, type Hex, keccak256, stringToHex } from "viem"
import type { StoreError } from "../domain/Errors.ts"
import { findNetwork, type Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../domain/PaymentRequired.ts"
import type { RefundWallet } from "../Options.ts"
import { causeName } from "../ports/HostCall.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import { Chain, type ChainEvidence } from "../toll/Chain.ts"
import { Facilitator, type FacilitatorRequest, type Settlement } from "../toll/Facilitator.ts"
import * as Pace from "./Pace.ts"
import { makeRefundGuard, type RefundGuardOptions } from "./RefundGuard.ts"

/*
 * Sends back what is owed, from the host's wallet: as an EIP-3009 authorization to the payer, which the
 * facilitator submits like any payment, so that the wallet needs no gas.
 *
 * Its nonce is a digest of the charge's key. The token contract takes a nonce once: however often a refund is
 * signed and sent, by however many processes, after whatever crash, it moves once at most. `RefundGuard` decides
 * whether it is sent at all.
 */

/** The wallet that refunds are sent from, and the bounds on what it sends. */
export interface RefundOptions extends RefundGuardOptions {
  readonly wallet: RefundWallet | undefined
}

/** Sends refunds that are due. */
export class Refunds extends Context.Service<
  Refunds,
  {
    /** Whether there is a wallet to send from. */
    readonly isAutomatic: boolean
    /**
     * Sends what is owed for a charge, and records it; returns the transaction once its transfer is final.
     * `undefined`: not yet, refunds are stopped, or there is no wallet.
     */
    readonly send: (charge: Charge) => Effect.Effect<string | undefined, StoreError>
    /**
     * Sends what is owed, 1,000 charges at most; the next sweep goes on from there. What failed a moment ago is left for
     * later.
     */
    readonly sweep: Effect.Effect<void, StoreError>
  }
>()("@till402/core/Refunds") {
  static readonly layer = (options: RefundOptions) => Layer.effect(Refunds, make(options))
}

const validSeconds = 3_600
const signMillis = 10_000
const pageSize = 100
const maxPages = 10
const maxRemembered = 10_000

/** The nonce of a charge's refund: nobody else's, and always the same. */
export const refundNonce = (chargeKey: string): Hex => keccak256(stringToHex(`till402 refund ${chargeKey}`))

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

const authorizationOf = (charge: Charge, from: string, nowMillis: number): Authorization => ({
  from: getAddress(from),
  to: getAddress(charge.payer),
  value: charge.amountAtomic,
  validAfter: "0",
  validBefore: String(Math.floor(nowMillis / 1000) + validSeconds),
  nonce: refundNonce(charge.key)
})

const signed = (wallet: RefundWallet, network: Network, authorization: Authorization) =>
  Effect.timeout(
    Effect.tryPromise({
      try: async () =>
        wallet.signTypedData({
          domain: {
            ...network.eip712,
            chainId: network.chainId,
            verifyingContract: network.asset
          },
          types,
          primaryType: "TransferWithAuthorization",
          message: {
            from: authorization.from as Hex,
            to: authorization.to as Hex,
            value: BigInt(authorization.value),
            validAfter: BigInt(authorization.validAfter),
            validBefore: BigInt(authorization.validBefore),
            nonce: authorization.nonce as Hex
          }
        }),
      // The wallet's own error: it is reported by its name.
      catch: (error) => error
    }),
    signMillis
  )

const requestOf = (network: Network, authorization: Authorization, signature: string): FacilitatorRequest => {
  const requirements: PaymentRequirements = {
    scheme: "exact",
    network: network.caip2,
    amount: authorization.value,
    asset: network.asset,
    payTo: authorization.to,
    maxTimeoutSeconds: validSeconds,
    extra: { ...network.eip712 }
  }
  const resource = { url: "urn:till402:refund", description: "Refund", mimeType: "application/json" }
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource,
      accepted: requirements,
      payload: { signature, authorization }
    },
    requirements,
    resource
  }
}

/** What failed a moment ago, and until when it is left alone. Bounded; of one process. */
class Failures {
  private readonly failures = new Map<string, { readonly attempts: number; readonly untilMillis: number }>()

  isResting(key: string, nowMillis: number): boolean {
    return (this.failures.get(key)?.untilMillis ?? 0) > nowMillis
  }

  note(key: string, nowMillis: number): void {
    const attempts = this.failures.get(key)?.attempts ?? 0
    this.failures.delete(key)
    this.failures.set(key, { attempts: attempts + 1, untilMillis: nowMillis + Pace.refundAgain(attempts) })
    const [oldest] = this.failures.keys()
    if (this.failures.size > maxRemembered && oldest !== undefined) this.failures.delete(oldest)
  }

  forget(key: string): void {
    this.failures.delete(key)
  }
}

const make = Effect.fnUntraced(function* (options: RefundOptions) {
  const { wallet } = options
  const charges = yield* Charges
  const chain = yield* Chain
  const facilitator = yield* Facilitator
  const guard = yield* makeRefundGuard(options)
  const failures = new Failures()
  const underWay = new Set<string>()

  const record = Effect.fnUntraced(function* ({ key }: Charge, transaction: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    yield* charges.recordRefund(key, transaction, nowMillis)
    failures.forget(key)
    return transaction
  })

  /** Whether a refund's own transfer is on the chain. */
  const evidenceOf = Effect.fnUntraced(function* (
    charge: Charge,
    network: Network,
    authorization: Authorization,
    transaction?: string
  ) {
    const sinceSeconds = Math.floor((charge.settledAtMillis ?? charge.createdAtMillis) / 1000)
    return yield* chain.evidence(network, authorization, {
      sinceSeconds,
      ...(transaction === undefined ? {} : { transaction })
    })
  })

  /** Records a refund whose transfer is final; one that a reorganization can still undo is looked up later. */
  const recordMoved = (charge: Charge, evidence: Extract<ChainEvidence, { readonly _tag: "Moved" }>) =>
    evidence.isFinal ? record(charge, evidence.transaction) : Effect.succeed(undefined)

  const warn = (settlement: Settlement) =>
    Effect.as(
      Effect.logWarning(
        "A refund was sent, and is not known to have moved yet",
        settlement._tag === "Settled" ? "not on the chain" : settlement.reason
      ),
      undefined
    )

  /** Signs and submits a refund. The chain is read afterwards, where it can be. */
  const submit = Effect.fnUntraced(function* (
    charge: Charge,
    wallet: RefundWallet,
    network: Network,
    authorization: Authorization
  ) {
    const signature = yield* signed(wallet, network, authorization).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logError("A refund could not be signed", causeName(error)), undefined)
      )
    )
    if (signature === undefined) return undefined
    const settlement = yield* facilitator.settle(requestOf(network, authorization, signature))
    const reported = settlement._tag === "Rejected" ? undefined : settlement.transaction
    if (!chain.canRead(network.caip2)) {
      if (settlement._tag === "Settled") return yield* record(charge, settlement.transaction)
      return yield* warn(settlement)
    }
    if (reported === undefined) return yield* warn(settlement)
    const evidence = yield* evidenceOf(charge, network, authorization, reported)
    if (evidence._tag === "Moved") return yield* recordMoved(charge, evidence)
    return evidence._tag === "Confirming" ? undefined : yield* warn(settlement)
  })

  const attempt = Effect.fnUntraced(function* (charge: Charge, wallet: RefundWallet) {
    const network = findNetwork(charge.network)
    if (network === undefined) return undefined
    const nowMillis = yield* Clock.currentTimeMillis
    const authorization = authorizationOf(charge, wallet.address, nowMillis)
    if (chain.canRead(network.caip2)) {
      const before = yield* evidenceOf(charge, network, authorization)
      // A refund that has moved is recorded even while refunds are stopped.
      if (before._tag === "Moved") return yield* recordMoved(charge, before)
      if (before._tag === "NotPaid")
        yield* Effect.logError("A refund's nonce was used up without paying: an operator is needed")
      if (before._tag !== "NotMoved") return undefined
    }
    if (!(yield* guard.admits(charge, network))) return undefined
    return yield* submit(charge, wallet, network, authorization)
  })

  const send = Effect.fn("Refunds.send")(function* (charge: Charge) {
    if (charge.refund?._tag === "Sent") return charge.refund.transaction
    if (wallet === undefined || charge.refund === undefined || underWay.has(charge.key)) return undefined
    underWay.add(charge.key)
    const transaction = yield* Effect.ensuring(
      attempt(charge, wallet),
      Effect.sync(() => underWay.delete(charge.key))
    )
    if (transaction === undefined) failures.note(charge.key, yield* Clock.currentTimeMillis)
    return transaction
  })

  /** Where the last sweep ended before it was through: refunds that have to wait don't keep older ones waiting. */
  let last: Charge | undefined

  const sweep = Effect.gen(function* () {
    if (wallet === undefined) return
    for (let page = 0; page < maxPages; page++) {
      const owed = yield* charges.list({
        isOwed: true,
        limit: pageSize,
        ...(last === undefined ? {} : { before: last })
      })
      if (page === 0 && owed.length > 0) yield* guard.audit
      const isStopped = yield* guard.isStopped
      for (const charge of owed) {
        // While refunds are stopped, only those that may have moved before are looked up.
        if (isStopped && charge.refund?._tag === "Due" && charge.refund.startedAtMillis === undefined)
          continue
        if (!failures.isResting(charge.key, yield* Clock.currentTimeMillis)) yield* send(charge)
      }
      last = owed.length < pageSize ? undefined : owed.at(-1)
      if (last === undefined) return
    }
  })

  return Refunds.of({ isAutomatic: wallet !== undefined, send, sweep })
})
