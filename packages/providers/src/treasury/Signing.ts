import { ConfigurationError } from "@till402/core"
import type { Network } from "@till402/core/effect"
import { Clock, Effect, Semaphore } from "effect"
import { isHex, keccak256 } from "viem"
import type { Chain } from "./Chain.ts"
import type { Journal, PaymentRecord } from "./PaymentJournal.ts"
import type { Hex } from "./Hex.ts"
import type { Transfer } from "./Transfer.ts"
import {
  FeesTooHigh,
  PaymentLapsed,
  PaymentRefused,
  SigningFailed,
  TreasuryBusy,
  type TreasuryPayment,
  TreasuryShort
} from "./Treasury.ts"

/*
 * From an agreed transfer to its one signed transaction, written into the journal. Nothing is sent for a
 * payment here: that comes after its record.
 */

/** What is signed. */
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

/** Signs for the account that pays: a `LocalAccount` of viem is one, over a key or a custody service. */
export interface SigningAccount {
  readonly address: Hex
  // A method, so that the wider parameters of viem's own type fit.
  signTransaction(transaction: TreasuryTransaction): Promise<Hex>
}

/** A transfer needs about 60,000; a proxy with more than this behind it is not a token we know. */
const maxGas = 300_000n
/** Numbers of transactions that may be taken by others before a payment gives up. */
const maxNonces = 16
/** A payment is not begun in the last seconds of its quote: it has to be mined before it lapses. */
const lastMomentsMillis = 10_000

export interface SigningSettings {
  readonly account: SigningAccount
  /** The account's address, lower case. */
  readonly payer: Hex
  readonly network: Network
  readonly maxFeePerGas: bigint
}

/** Signs as the account; what its error says may hold a secret, so that only its name is kept. */
const signer =
  (account: SigningAccount) =>
  (transaction: TreasuryTransaction): Effect.Effect<Hex, SigningFailed> =>
    Effect.tryPromise({
      try: () => account.signTransaction(transaction),
      catch: (cause) => new SigningFailed({ code: causeOf(cause) })
    })

/** The name of an error, if it can stand in a log. */
export const causeOf = (cause: unknown): string =>
  cause instanceof Error && /^\w{1,60}$/.test(cause.name) ? cause.name : "Error"

/** What a transaction costs, and whether that is within what the host allows. */
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
    if ((yield* chain.balanceOf(token, payer)) < amountAtomic) return yield* new TreasuryShort()
    const gas = ((yield* chain.estimateGas({ from: payer, to: token, data })) * 5n) / 4n
    return gas > maxGas ? yield* new FeesTooHigh() : gas
  })

  const feesWithin = Effect.flatMap(chain.fees, (fees) =>
    fees.maxFeePerGas > maxFeePerGas ? Effect.fail(new FeesTooHigh()) : Effect.succeed(fees)
  )

  return { assertChain, feesWithin, gasFor }
}

/**
 * Clears a number that a payment was recorded under which must not be sent any more, so that those after it
 * are mined: a transaction to ourselves that moves nothing. If the old one is mined instead, its record says
 * so.
 */
const makeClear = (
  { account, network, payer }: SigningSettings,
  chain: Chain,
  feesWithin: ReturnType<typeof makeCosts>["feesWithin"]
) =>
  Effect.fnUntraced(function* (nonce: number) {
    const fees = yield* feesWithin
    const nothing = { to: payer, data: "0x", value: 0n, gas: 21_000n } as const
    // Nodes take another transaction of the same number where it pays a tenth more.
    const signed = yield* signer(account)({
      type: "eip1559",
      chainId: network.chainId,
      nonce,
      ...nothing,
      maxFeePerGas: (fees.maxFeePerGas * 5n) / 4n,
      maxPriorityFeePerGas: (fees.maxPriorityFeePerGas * 5n) / 4n + 1n
    })
    yield* chain.send(signed)
  })

/** Signs payments one after the other: two that look for the next number at once would find the same one. */
export const makeSigning = (settings: SigningSettings, chain: Chain, journal: Journal) => {
  const { account, payer } = settings
  const sign = signer(account)
  const { assertChain, feesWithin, gasFor } = makeCosts(settings, chain)
  const clear = makeClear(settings, chain, feesWithin)
  const turn = Semaphore.makeUnsafe(1)

  /** Signs a transfer under the next free number and records it; or answers what was recorded meanwhile. */
  return (payment: TreasuryPayment, transfer: Transfer) =>
    turn.withPermit(
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
          if (now + lastMomentsMillis >= expiresAtMillis) return yield* new PaymentLapsed()
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
          // The number is another payment's, which the chain doesn't have yet: without it ours would wait.
          yield* now < other.expiresAtMillis ? chain.send(other.signedTransaction) : clear(nonce)
        }
        return yield* new TreasuryBusy()
      })
    )
}

const hashOf = (signedTransaction: Hex): Effect.Effect<Hex, SigningFailed> =>
  isHex(signedTransaction)
    ? Effect.succeed(keccak256(signedTransaction))
    : Effect.fail(new SigningFailed({ code: "NotATransaction" }))
