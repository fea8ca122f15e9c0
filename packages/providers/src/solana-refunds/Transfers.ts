import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import type {
  ConfigurationError,
  RefundTransaction,
  RefundTransfer,
  RefundTransferContext,
  RefundTransferState
} from "@till402/core"
import { type Address, getAddressDecoder } from "@solana/kit"
import { Clock, Effect } from "effect"
import {
  type ChainView,
  type KnownAttempt,
  knownAttempts,
  type TransferVerdict,
  verdictOf
} from "./AttemptVerdict.ts"
import {
  MintUnknown,
  PayeeAccountMissing,
  type SolanaRefundError,
  TooManyAttempts,
  TransferDiffers,
  TransferJournalFailed,
  TransferNotSigned,
  TransferUncertain,
  WalletUnderfunded
} from "./RefundErrors.ts"
import type { NodeFault, SolanaNode } from "./SolanaNode.ts"
import type { SolanaSigner } from "./SolanaSigner.ts"
import {
  associatedAccount,
  computeUnits,
  signTransfer,
  tokenPrograms,
  type TransferTerms
} from "./TransferMessage.ts"
import type { Journal, TransferAttempt } from "./TransferJournal.ts"

/*
 * Moves each transfer once. An attempt is recorded before it is sent, in this wallet's journal and by the till, which
 * knows those of other wallets too. Another one is signed only when no earlier one moved or can any more: it failed
 * in a final block, or two nodes show that it is in none and that its blockhash has expired.
 */

export interface TransferSettings {
  /** CAIP-2 identifier. */
  readonly network: string
  readonly payer: Address
  readonly signer: SolanaSigner
  readonly microLamports: number
  readonly createsAccounts: boolean
  readonly confirmTimeoutMillis: number
  readonly pollMillis: number
}

/** A transfer whose addresses have been checked. */
export interface CheckedTransfer extends RefundTransfer {
  readonly payee: Address
  readonly asset: Address
}

type Failure = SolanaRefundError | NodeFault | ConfigurationError

/** Far more than a congested network takes. */
const maxAttempts = 32
/** An account that has less than this is refused: the least that accounts without data must have. */
const leastLamports = 890_880n
/** Price of one signature. */
const signatureLamports = 5_000n
/** What a token account must have, extensions of Token-2022 included. */
const accountLamports = 2_100_000n

/** The fee of a transfer, rounded up. */
const feeOf = (microLamports: number): bigint =>
  signatureLamports + (BigInt(computeUnits) * BigInt(microLamports)) / 1_000_000n + 1n

/** Offsets in the data of mints and token accounts: https://github.com/solana-program/token */
const decimalsAt = 44
const ownerAt = 32
const amountAt = 64
const stateAt = 108
const initialized = 1

/** The name of an error, if it is safe in a log. */
const nameOf = (cause: unknown): string =>
  cause instanceof Error && /^\w{1,60}$/.test(cause.name) ? cause.name : "Error"

const hasTermsOf = (attempt: TransferAttempt, transfer: CheckedTransfer, network: string): boolean =>
  attempt.network === network &&
  attempt.payee === transfer.payee &&
  attempt.mint === transfer.asset &&
  attempt.amountAtomic === String(transfer.amountAtomic)

/** The till's record of a transfer. */
export type TransferRecord = Pick<RefundTransferContext, "recorded" | "record">

/** Reads the final block first: a signature that is missing later was in no block up to that one. */
const viewOf = Effect.fnUntraced(function* (
  node: SolanaNode,
  attempts: ReadonlyArray<KnownAttempt>
): Effect.fn.Return<ChainView, NodeFault> {
  const final = yield* node.finalBlock
  const { slot, statuses } = yield* node.statuses(attempts.map(({ signature }) => signature))
  const hasExpired = attempts.some(
    ({ lastValidBlockHeight }, index) => statuses[index] === undefined && final.height > lastValidBlockHeight
  )
  return {
    finalHeight: final.height,
    finalSlot: final.slot,
    statuses,
    statusSlot: slot,
    // Read last: a node that has the blocks now had them when it searched them.
    firstAvailableSlot: hasExpired ? yield* node.firstAvailableSlot : 0
  }
})

const judgeBy = (node: SolanaNode, attempts: ReadonlyArray<KnownAttempt>) =>
  Effect.map(viewOf(node, attempts), (view) => verdictOf(attempts, view))

export const makeTransfers = (
  settings: TransferSettings,
  node: SolanaNode,
  second: SolanaNode | undefined,
  journal: Journal
) => {
  const { confirmTimeoutMillis, network, payer, pollMillis, signer } = settings

  /**
   * Decides by two nodes where another attempt would be signed: one that hides a transaction would have it paid twice.
   * A final failure hides nothing: the chain accepts a transaction once, so one that failed moved nothing and never will.
   */
  const judge = Effect.fnUntraced(function* (
    attempts: ReadonlyArray<KnownAttempt>
  ): Effect.fn.Return<TransferVerdict, NodeFault> {
    const last = attempts.at(-1)
    if (last === undefined) return { _tag: "Sign", isShown: true }
    const verdict = yield* judgeBy(node, attempts)
    if (verdict._tag !== "Sign") return verdict
    if (second !== undefined) return yield* judgeBy(second, attempts)
    return verdict.isShown ? verdict : { _tag: "Uncertain", attempt: last }
  })

  /** Has the till record an attempt; `false`: it must not be sent. */
  const isRecorded = (
    { lastValidBlockHeight, payer: wallet, signature, signedAtSlot }: KnownAttempt,
    { record }: TransferRecord
  ): Effect.Effect<boolean, TransferJournalFailed> =>
    record === undefined
      ? Effect.succeed(true)
      : Effect.tryPromise({
          try: () => record({ wallet, transaction: signature, signedAtSlot, lastValidBlockHeight }),
          catch: (cause) => new TransferJournalFailed({ code: nameOf(cause) })
        })

  const readToken = Effect.fnUntraced(function* (mint: Address) {
    const account = yield* node.account(mint)
    const tokenProgram = tokenPrograms.find((program) => program === account?.owner)
    const decimals = account?.data[decimalsAt]
    return tokenProgram === undefined || decimals === undefined
      ? yield* new MintUnknown({ mint })
      : { decimals, tokenProgram }
  })

  /** Fails if the transfer can't succeed now, so that nothing is signed in vain. */
  const prepare = Effect.fnUntraced(function* (
    transfer: CheckedTransfer
  ): Effect.fn.Return<TransferTerms, Failure> {
    const { amountAtomic, asset: mint, key, payee } = transfer
    const { decimals, tokenProgram } = yield* readToken(mint)
    const accountOf = (owner: Address) =>
      Effect.flatMap(
        Effect.promise(() => associatedAccount(owner, mint, tokenProgram)),
        (found) => node.account(found)
      )
    const source = yield* accountOf(payer)
    if (source === undefined || source.data.length < stateAt)
      return yield* new WalletUnderfunded({ asset: mint })
    const balance = new DataView(source.data.buffer).getBigUint64(amountAt, true)
    if (balance < amountAtomic) return yield* new WalletUnderfunded({ asset: mint })
    const target = yield* accountOf(payee)
    const createsAccount = target === undefined && settings.createsAccounts
    if (!createsAccount && !canReceive(target?.data, payee)) return yield* new PayeeAccountMissing()
    const lamports = (yield* node.account(payer))?.lamports ?? 0n
    const needed = leastLamports + feeOf(settings.microLamports)
    if (lamports < needed + (createsAccount ? accountLamports : 0n)) {
      return yield* new WalletUnderfunded({ asset: "SOL" })
    }
    const memo = `till402 refund ${bytesToHex(sha256(key))}`
    const { microLamports } = settings
    return { payer, payee, mint, tokenProgram, decimals, amountAtomic, memo, microLamports, createsAccount }
  })

  /** Signs an attempt and records it. If another process has recorded one first, that one counts. */
  const sign = Effect.fnUntraced(function* (transfer: CheckedTransfer, position: number) {
    const terms = yield* prepare(transfer)
    const lifetime = yield* node.lifetime
    const signed = yield* Effect.tryPromise({
      try: () => signTransfer(terms, lifetime, signer),
      catch: (cause) => new TransferNotSigned({ code: nameOf(cause) })
    })
    return yield* journal.insert({
      key: transfer.key,
      position,
      ...signed,
      lastValidBlockHeight: lifetime.lastValidBlockHeight,
      signedAtSlot: lifetime.slot,
      network,
      payer,
      payee: terms.payee,
      mint: terms.mint,
      amountAtomic: String(terms.amountAtomic),
      caller: ""
    })
  })

  const pendingState = (attempts: ReadonlyArray<KnownAttempt>): RefundTransferState => {
    const last = attempts.at(-1)
    return last === undefined ? { status: "none" } : { status: "pending", transaction: last.signature }
  }

  const find = Effect.fnUntraced(function* (
    key: string,
    { recorded = [] }: TransferRecord
  ): Effect.fn.Return<RefundTransferState, Failure> {
    const attempts = knownAttempts(yield* journal.find(key), recorded)
    if (attempts.length === 0) return { status: "none" }
    const verdict = yield* judgeBy(node, attempts)
    if (verdict._tag === "Uncertain") {
      return yield* new TransferUncertain({ signature: verdict.attempt.signature })
    }
    return verdict._tag === "Moved"
      ? { status: "sent", transaction: verdict.attempt.signature }
      : pendingState(attempts)
  })

  /** The attempts of a transfer that are known now. Fails if its key was given with other terms. */
  const readKnown = Effect.fnUntraced(function* (
    transfer: CheckedTransfer,
    recorded: ReadonlyArray<RefundTransaction>
  ) {
    const own = yield* journal.find(transfer.key)
    const other = own.find((attempt) => !hasTermsOf(attempt, transfer, network))
    if (other !== undefined) return yield* new TransferDiffers({ signature: other.signature })
    return { own, known: knownAttempts(own, recorded) }
  })

  /** Signs, sends and looks again until the transfer is in a final block or the call has waited long enough. */
  const bring = Effect.fnUntraced(function* (
    transfer: CheckedTransfer,
    till: TransferRecord
  ): Effect.fn.Return<RefundTransferState, Failure> {
    const { recorded = [] } = till
    const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
    let { known, own } = yield* readKnown(transfer, recorded)
    for (let poll = 0; ; poll++) {
      const verdict = yield* judge(known)
      switch (verdict._tag) {
        case "Moved":
          return { status: "sent", transaction: verdict.attempt.signature }
        case "Uncertain":
          return yield* new TransferUncertain({ signature: verdict.attempt.signature })
        case "Sign": {
          if (known.length >= maxAttempts) return yield* new TooManyAttempts({ attempts: known.length })
          const position = own.length
          own = yield* sign(transfer, position)
          known = knownAttempts(own, recorded)
          const signed = own[position]
          if (signed === undefined) break
          if (!(yield* isRecorded(signed, till))) return pendingState(known)
          yield* node.send(signed.transaction)
          break
        }
        case "Send":
          // Sent again every fourth poll, because nodes forget. The chain accepts a transaction once.
          if (poll % 4 !== 0) break
          if (!(yield* isRecorded(verdict.attempt, till))) return pendingState(known)
          yield* node.send(verdict.transaction)
          break
        case "Wait":
          break
      }
      if ((yield* Clock.currentTimeMillis) + pollMillis >= until) return pendingState(known)
      yield* Effect.sleep(pollMillis)
    }
  })

  return { bring, find }
}

/** Whether a token account belongs to its wallet still, and isn't frozen. */
const canReceive = (data: Uint8Array | undefined, owner: Address): boolean =>
  data !== undefined &&
  data[stateAt] === initialized &&
  getAddressDecoder().decode(data.slice(ownerAt, amountAt)) === owner
