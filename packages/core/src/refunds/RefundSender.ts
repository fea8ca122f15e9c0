import { Clock, Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { formatAtomic } from "../domain/Money.ts"
import { type EvmNetwork, findEvmNetwork, isSameAsset, type Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import type { Charge, Charges, RefundAttempt } from "../ports/Charges.ts"
import type { RefundWallet } from "../ports/RefundWallet.ts"
import { causeName } from "../runtime/causeName.ts"
import { report } from "../runtime/events.ts"
import { type PaymentFeed, publishRefunded } from "../runtime/PaymentEvents.ts"
import type { Chain, ChainEvidence } from "../toll/evidence/Chain.ts"
import type { Facilitator, Settlement } from "../toll/facilitator/Facilitator.ts"
import { newAttempt, refundAuthorization, refundRequest, signRefund } from "./RefundAuthorization.ts"
import type { RefundGuard } from "./RefundGuard.ts"
import { judgeTurn } from "./RefundTurn.ts"

/*
 * Sends one refund on an EVM network: looks for its transfer on the chain, lets `RefundTurn` and `RefundGuard` decide,
 * records the attempt, signs, submits, and records what moved.
 */

/** The services that sending needs. */
export interface SenderServices {
  readonly charges: Charges["Service"]
  readonly chain: Chain["Service"]
  readonly facilitator: Facilitator["Service"]
  readonly guard: RefundGuard
  readonly payments: PaymentFeed
  /** Those of the settings. */
  readonly networks: ReadonlyArray<Network>
}

/** One refund on its way. */
interface Sending {
  readonly charge: Charge
  readonly network: EvmNetwork
  /** That of the recorded attempt, once there is one. */
  readonly authorization: Authorization
}

/** The transaction of a refund that was recorded; `undefined`: not yet. */
type Sent = Effect.Effect<string | undefined, StoreError>

/** Records the transaction that sent a refund, and returns it. */
export const recordSent = Effect.fnUntraced(function* (
  { charges, payments }: Pick<SenderServices, "charges" | "payments">,
  charge: Charge,
  transaction: string
): Effect.fn.Return<string, StoreError> {
  const { key } = charge
  const nowMillis = yield* Clock.currentTimeMillis
  if (yield* charges.recordRefund(key, transaction, nowMillis)) {
    publishRefunded(payments, charge, transaction, nowMillis)
    return transaction
  }
  // An operator may have recorded another one meanwhile: both moved money, and the ledger has both.
  if (yield* charges.recordFurtherRefund(key, transaction, nowMillis)) {
    const refund = (yield* charges.find(key))?.refund
    yield* report(
      "Error",
      "refund_sent_twice",
      "A refund was sent that is recorded with another transaction",
      {
        chargeKey: key,
        transaction,
        otherTransaction: refund?._tag === "Sent" ? refund.transaction : undefined
      }
    )
  }
  return transaction
})

/** Looks for a refund's own transfer on the chain. */
const evidenceOf = (
  { chain }: SenderServices,
  { authorization, charge, network }: Sending,
  transaction?: string
): Effect.Effect<ChainEvidence> => {
  const sinceSeconds = Math.floor((charge.settledAtMillis ?? charge.createdAtMillis) / 1000)
  return chain.evidence(network, authorization, {
    sinceSeconds,
    ...(transaction === undefined ? {} : { transaction })
  })
}

/** Records a refund whose transfer is final; one that a reorganization can still undo is looked up later. */
const recordMoved = (
  services: SenderServices,
  { charge }: Sending,
  evidence: Extract<ChainEvidence, { readonly _tag: "Moved" }>
): Sent => (evidence.isFinal ? recordSent(services, charge, evidence.transaction) : Effect.succeed(undefined))

const fieldsOf = ({ charge }: Sending) => ({ chargeKey: charge.key, network: charge.network })

/** A facilitator's reasons for a wallet that holds too little. */
const shortReasons: ReadonlySet<string> = new Set([
  "insufficient_funds",
  "insufficient_balance",
  "invalid_exact_evm_insufficient_balance"
])

/** The token of a refund, as a host knows it. */
const tokenName = ({ asset, caip2, eip712 }: EvmNetwork): string => {
  const known = findEvmNetwork(caip2)
  return known !== undefined && isSameAsset(known, asset) ? "USDC" : eip712.name
}

/** Reports a wallet that can't pay a refund, with its balance if that was read. */
const reportShort = (sending: Sending, balance: bigint | undefined, reason?: string): Effect.Effect<void> => {
  const { authorization, network } = sending
  const token = tokenName(network)
  const holds = balance === undefined ? "too little" : formatAtomic(balance)
  return report(
    "Error",
    "refund_wallet_short",
    `The refund wallet ${authorization.from} has ${holds} ${token} on ${network.v1Name ?? network.caip2}, and this refund needs ${formatAtomic(BigInt(authorization.value))}. Send it ${token}; the refund is retried`,
    { ...fieldsOf(sending), reason }
  )
}

/** Reports a refund that a facilitator did not settle, or whose transfer the chain doesn't show. */
const warn = (sending: Sending, settlement: Settlement): Effect.Effect<undefined> => {
  const fields = fieldsOf(sending)
  if (settlement._tag === "Rejected")
    return Effect.as(
      shortReasons.has(settlement.reason)
        ? reportShort(sending, undefined, settlement.reason)
        : report(
            "Warn",
            "refund_refused",
            "The facilitator refused a refund before it was sent; it is retried",
            { ...fields, reason: settlement.reason }
          ),
      undefined
    )
  return Effect.as(
    report("Warn", "refund_not_confirmed", "A refund was submitted, and its transfer is not confirmed yet", {
      ...fields,
      transaction: settlement.transaction,
      reason: settlement._tag === "Settled" ? "not_on_chain" : settlement.reason
    }),
    undefined
  )
}

/** Whether the wallet holds the amount of a refund, as far as the chain can be read. Reports one that doesn't. */
const isFunded = Effect.fnUntraced(function* ({ chain }: SenderServices, sending: Sending) {
  const { authorization, network } = sending
  if (!chain.canRead(network.caip2)) return true
  const balance = yield* chain.balanceOf(network, authorization.from)
  if (balance === undefined || balance >= BigInt(authorization.value)) return true
  yield* reportShort(sending, balance)
  return false
})

/**
 * Signs and submits a refund, then reads the chain if possible. Calls `unsent` where it surely wasn't sent. A facilitator
 * that refuses it has the signature nevertheless: on a network that can be read, the chain decides instead.
 */
const submit = Effect.fnUntraced(function* (
  services: SenderServices,
  sending: Sending,
  wallet: RefundWallet,
  unsent: Effect.Effect<unknown, StoreError>
): Effect.fn.Return<string | undefined, StoreError> {
  const { authorization, charge, network } = sending
  const signature = yield* signRefund(wallet, network, authorization).pipe(
    Effect.catch((error) =>
      Effect.as(
        report("Error", "refund_not_signed", "A refund could not be signed", {
          ...fieldsOf(sending),
          error: causeName(error)
        }),
        undefined
      )
    )
  )
  if (signature === undefined) return yield* Effect.as(unsent, undefined)
  const settlement = yield* services.facilitator.settle(refundRequest(network, authorization, signature))
  const reported = settlement._tag === "Rejected" ? undefined : settlement.transaction
  if (!services.chain.canRead(network.caip2)) {
    if (settlement._tag === "Settled") return yield* recordSent(services, charge, settlement.transaction)
    if (settlement._tag === "Rejected") yield* unsent
    return yield* warn(sending, settlement)
  }
  if (reported === undefined) return yield* warn(sending, settlement)
  const evidence = yield* evidenceOf(services, sending, reported)
  if (evidence._tag === "Moved") return yield* recordMoved(services, sending, evidence)
  return evidence._tag === "Confirming" ? undefined : yield* warn(sending, settlement)
})

/** Reports a refund in a token that is neither the network's USDC nor in the settings. */
export const reportUnknownToken = ({ key, network }: Charge): Effect.Effect<undefined> =>
  Effect.as(
    report(
      "Error",
      "refund_token_unknown",
      "A refund is due in a token that is not in the settings: send it yourself, and record it",
      { chargeKey: key, network }
    ),
    undefined
  )

/** The network of a charge whose token's EIP-712 domain is known: that of the settings, or with its USDC. */
const networkOf = ({ networks }: SenderServices, { asset, network }: Charge): EvmNetwork | undefined => {
  const known = findEvmNetwork(network)
  const candidates: ReadonlyArray<Network> = known === undefined ? networks : [...networks, known]
  return candidates.find(
    (each): each is EvmNetwork => each.family === "evm" && each.caip2 === network && isSameAsset(each, asset)
  )
}

/** Reports a nonce whose use didn't pay, or can't be found. */
const reportUse = (chargeKey: string, evidence: ChainEvidence): Effect.Effect<void> => {
  if (evidence._tag === "NotPaid")
    return report(
      "Error",
      "refund_nonce_used",
      "A refund's nonce was used up without paying: an operator is needed",
      { chargeKey }
    )
  if ("isUsed" in evidence)
    return report(
      "Error",
      "refund_not_found",
      "A refund's nonce is used, and the chain doesn't show by which transfer: an operator is needed",
      { chargeKey }
    )
  return Effect.void
}

/** Reports a refund that waits, because another wallet may have sent it. */
export const reportOtherWallet = (
  { key, network }: Charge,
  { isReadable }: { readonly isReadable: boolean }
): Effect.Effect<undefined> =>
  Effect.as(
    isReadable
      ? report(
          "Warn",
          "refund_of_other_wallet",
          "Another wallet may still send a refund: this one sends it once the chain shows that the other can't",
          { chargeKey: key, network }
        )
      : report(
          "Error",
          "refund_of_other_wallet",
          "Another wallet may have sent a refund, and its network has no rpcUrl: look for its transfer, then record it",
          { chargeKey: key, network }
        ),
    undefined
  )

/** What the chain shows of the attempts of other wallets, by wallet. */
const evidenceOfOthers = Effect.fnUntraced(function* (
  services: SenderServices,
  sending: Sending,
  others: ReadonlyArray<RefundAttempt>
): Effect.fn.Return<ReadonlyMap<string, ChainEvidence>, StoreError> {
  const { charge, network } = sending
  const found = new Map<string, ChainEvidence>()
  if (!services.chain.canRead(network.caip2)) return found
  for (const [wallet, ofWallet] of Map.groupBy(others, (attempt) => attempt.wallet)) {
    // All have one nonce. The one that is valid for longest covers the others.
    const attempt = ofWallet.reduce((longest, each) =>
      each.validBefore > longest.validBefore ? each : longest
    )
    const authorization = refundAuthorization(attempt, charge.payer)
    const evidence = yield* evidenceOf(services, { charge, network, authorization })
    if (evidence._tag !== "NotPaid") yield* reportUse(charge.key, evidence)
    found.set(wallet, evidence)
  }
  return found
})

/** Sends the refund of a charge on an EVM network and returns its transaction; `undefined`: it was not sent, or is not final yet. */
export const sendRefund = Effect.fnUntraced(function* (
  services: SenderServices,
  charge: Charge,
  wallet: RefundWallet
): Effect.fn.Return<string | undefined, StoreError> {
  const network = networkOf(services, charge)
  if (network === undefined) return yield* reportUnknownToken(charge)
  const nowMillis = yield* Clock.currentTimeMillis
  const own = wallet.address.toLowerCase()
  const isReadable = services.chain.canRead(network.caip2)
  // Read before the chain: an attempt that is recorded later takes the sequence that this one would have.
  const attempts = yield* services.charges.refundAttempts([charge.key])
  const next = newAttempt(charge, own, (attempts.at(-1)?.sequence ?? 0) + 1, nowMillis)
  const sending = { charge, network, authorization: refundAuthorization(next, charge.payer) }
  if (isReadable) {
    const before = yield* evidenceOf(services, sending)
    // A refund that has moved is recorded even while refunds are stopped.
    if (before._tag === "Moved") return yield* recordMoved(services, sending, before)
    yield* reportUse(charge.key, before)
    if (before._tag !== "NotMoved") return undefined
  }
  const others = attempts.filter((attempt) => attempt.wallet !== own)
  const evidence = yield* evidenceOfOthers(services, sending, others)
  const turn = judgeTurn(attempts, own, evidence, network, Math.floor(nowMillis / 1000))
  if (turn._tag === "Moved") return yield* recordMoved(services, sending, turn.evidence)
  if (turn._tag === "Wait") return yield* reportOtherWallet(charge, { isReadable })
  if (!(yield* services.guard.tryStart(charge, network, isFunded(services, sending)))) return undefined
  const attempt = turn._tag === "Record" ? next : turn.attempt
  if (turn._tag !== "Submit" && !(yield* services.charges.recordRefundAttempt(attempt))) return undefined
  // Only this process submits an attempt that it has recorded as the first of its kind.
  const unsent = turn._tag === "Record" ? services.charges.endRefundAttempt(attempt) : Effect.void
  const authorization = refundAuthorization(attempt, charge.payer)
  return yield* submit(services, { ...sending, authorization }, wallet, unsent)
})
