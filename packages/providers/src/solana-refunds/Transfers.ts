import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import type { ConfigurationError, RefundTransfer, RefundTransferState } from "@till402/core"
import { type Address, getAddressDecoder } from "@solana/kit"
import { Clock, Effect } from "effect"
import { type ChainView, verdictOf } from "./AttemptVerdict.ts"
import {
  MintUnknown,
  PayeeAccountMissing,
  type SolanaRefundError,
  TooManyAttempts,
  TransferDiffers,
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
 * Moves each transfer once. An attempt is recorded before it is sent. Another one is signed only when the chain shows
 * that no earlier one moved, and that none can any more: its blockhash has expired.
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

export const makeTransfers = (settings: TransferSettings, node: SolanaNode, journal: Journal) => {
  const { confirmTimeoutMillis, network, payer, pollMillis, signer } = settings

  /** Reads the final block first: a signature that is missing later was in no block up to that one. */
  const viewOf = Effect.fnUntraced(function* (
    attempts: ReadonlyArray<TransferAttempt>
  ): Effect.fn.Return<ChainView, NodeFault> {
    const final = yield* node.finalBlock
    const { slot, statuses } = yield* node.statuses(attempts.map(({ signature }) => signature))
    const hasExpired = attempts.some(
      ({ lastValidBlockHeight, position }) =>
        statuses[position] === undefined && final.height > lastValidBlockHeight
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
    if (position >= maxAttempts) return yield* new TooManyAttempts({ attempts: position })
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

  const pendingState = (attempts: ReadonlyArray<TransferAttempt>): RefundTransferState => {
    const last = attempts.at(-1)
    return last === undefined ? { status: "none" } : { status: "pending", transaction: last.signature }
  }

  const find = Effect.fnUntraced(function* (key: string): Effect.fn.Return<RefundTransferState, Failure> {
    const attempts = yield* journal.find(key)
    if (attempts.length === 0) return { status: "none" }
    const verdict = verdictOf(attempts, yield* viewOf(attempts))
    if (verdict._tag === "Uncertain") {
      return yield* new TransferUncertain({ signature: verdict.attempt.signature })
    }
    return verdict._tag === "Moved"
      ? { status: "sent", transaction: verdict.attempt.signature }
      : pendingState(attempts)
  })

  /** Signs, sends and looks again until the transfer is in a final block or the call has waited long enough. */
  const bring = Effect.fnUntraced(function* (
    transfer: CheckedTransfer
  ): Effect.fn.Return<RefundTransferState, Failure> {
    const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
    let attempts = yield* journal.find(transfer.key)
    const other = attempts.find((attempt) => !hasTermsOf(attempt, transfer, network))
    if (other !== undefined) return yield* new TransferDiffers({ signature: other.signature })
    for (let poll = 0; ; poll++) {
      const verdict = verdictOf(attempts, attempts.length === 0 ? nothing : yield* viewOf(attempts))
      switch (verdict._tag) {
        case "Moved":
          return { status: "sent", transaction: verdict.attempt.signature }
        case "Uncertain":
          return yield* new TransferUncertain({ signature: verdict.attempt.signature })
        case "Sign": {
          attempts = yield* sign(transfer, verdict.position)
          const recorded = attempts[verdict.position]
          if (recorded !== undefined) yield* node.send(recorded.transaction)
          break
        }
        case "Send":
          // Sent again every fourth poll, because nodes forget. The chain accepts a transaction once.
          if (poll % 4 === 0) yield* node.send(verdict.attempt.transaction)
          break
        case "Wait":
          break
      }
      if ((yield* Clock.currentTimeMillis) + pollMillis >= until) return pendingState(attempts)
      yield* Effect.sleep(pollMillis)
    }
  })

  return { bring, find }
}

/** The view of a transfer without attempts. */
const nothing: ChainView = {
  finalHeight: 0,
  finalSlot: 0,
  statuses: [],
  statusSlot: 0,
  firstAvailableSlot: 0
}

/** Whether a token account belongs to its wallet still, and isn't frozen. */
const canReceive = (data: Uint8Array | undefined, owner: Address): boolean =>
  data !== undefined &&
  data[stateAt] === initialized &&
  getAddressDecoder().decode(data.slice(ownerAt, amountAt)) === owner
