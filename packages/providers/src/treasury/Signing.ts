import { ConfigurationError } from "@till402/core"
import type { Network } from "@till402/core/effect"
import { Clock, Effect, Semaphore } from "effect"
import { isHex, keccak256, parseTransaction } from "viem"
import type { Chain, Fees } from "./Chain.ts"
import type { Journal, PaymentRecord } from "./PaymentJournal.ts"
import type { Hex } from "./Hex.ts"
import type { Transfer } from "./Transfer.ts"
import type { TreasuryPayment } from "./Treasury.ts"
import {
  FeesTooHigh,
  PaymentExpired,
  PaymentRefused,
  SigningFailed,
  TreasuryBusy,
  TreasuryUnderfunded
} from "./TreasuryErrors.ts"

/*
 * Signs an agreed transfer and records it in the journal. The payment itself is sent later, after its record
 * is written.
 */

/** The transaction to sign. */
export interface TreasuryTransaction {
  readonly type: "eip1559"
  readonly chainId: number
  readonly nonce: number
  readonly to: Hex
  readonly data: Hex
  readonly value: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Signs for the account that pays: a `LocalAccount` of viem, over a key or a custody service. */
export interface SigningAccount {
  readonly address: Hex
  // A method, so that the wider parameters of viem's own type fit.
  signTransaction(transaction: TreasuryTransaction): Promise<Hex>
}

/** A transfer needs about 60,000. No known token needs more than this. */
const maxGas = 300_000n
/** Transaction numbers that are tried before a payment fails with `TreasuryBusy`. */
const maxNonces = 32
/** A payment is not started shortly before its quote expires, because it must be mined before that. */
const expiryMarginMillis = 10_000

export interface SigningSettings {
  readonly account: SigningAccount
  /** The account's address, lower case. */
  readonly payer: Hex
  readonly network: Network
  readonly maxFeePerGas: bigint
}

/** Signs with the account. Keeps only the name of an error, because its message may contain a secret. */
const signer =
  (account: SigningAccount) =>
  (transaction: TreasuryTransaction): Effect.Effect<Hex, SigningFailed> =>
    Effect.tryPromise({
      try: () => account.signTransaction(transaction),
      catch: (cause) => new SigningFailed({ code: causeOf(cause) })
    })

/** The name of an error, if it is safe in a log. */
export const causeOf = (cause: unknown): string =>
  cause instanceof Error && /^\w{1,60}$/.test(cause.name) ? cause.name : "Error"

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

/** The fees that a recorded payment was signed with. */
const feesOf = ({ signedTransaction }: PaymentRecord): Fees => {
  try {
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(signedTransaction)
    return { maxFeePerGas, maxPriorityFeePerGas }
  } catch {
    return { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  }
}

/** A quarter above what is usual now and above what was signed: nodes replace a transaction for ten percent more. */
const raised = (now: bigint, signed: bigint): bigint => ((now > signed ? now : signed) * 5n) / 4n + 1n

/**
 * Clears the number of a recorded payment that has expired, so that later numbers can be mined. Sends an empty
 * transaction to ourselves. If the expired payment is mined instead, its record still counts.
 */
const makeClear = (
  { account, network, payer }: SigningSettings,
  chain: Chain,
  feesWithin: ReturnType<typeof makeCosts>["feesWithin"]
) =>
  Effect.fnUntraced(function* (record: PaymentRecord) {
    const fees = yield* feesWithin
    const signed = feesOf(record)
    const nothing = { to: payer, data: "0x", value: 0n, gas: 21_000n } as const
    const transaction = yield* signer(account)({
      type: "eip1559",
      chainId: network.chainId,
      nonce: record.nonce,
      ...nothing,
      maxFeePerGas: raised(fees.maxFeePerGas, signed.maxFeePerGas),
      maxPriorityFeePerGas: raised(fees.maxPriorityFeePerGas, signed.maxPriorityFeePerGas)
    })
    yield* chain.send(transaction)
  })

/** Signs payments one after the other, because concurrent ones would use the same transaction number. */
export const makeSigning = (settings: SigningSettings, chain: Chain, journal: Journal) => {
  const { account, payer } = settings
  const sign = signer(account)
  const { assertChain, feesWithin, gasFor } = makeCosts(settings, chain)
  const clear = makeClear(settings, chain, feesWithin)
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
          if (other === undefined) return record
          if (other.key === key) return other
          if (other.reference === reference) return yield* new PaymentRefused({ reason: "reference_taken" })
          // Another payment has this number, but the chain lacks it: send it, or ours would have to wait.
          yield* now < other.expiresAtMillis ? chain.send(other.signedTransaction) : clear(other)
        }
        return yield* new TreasuryBusy()
      })
    )

  return { clear, decide }
}

const hashOf = (signedTransaction: Hex): Effect.Effect<Hex, SigningFailed> =>
  isHex(signedTransaction)
    ? Effect.succeed(keccak256(signedTransaction))
    : Effect.fail(new SigningFailed({ code: "NotATransaction" }))
