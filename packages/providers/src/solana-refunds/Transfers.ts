import type {
  ConfigurationError,
  RefundTransaction,
  RefundTransferContext,
  RefundTransferState
} from "@till402/core"
import { Clock, Effect } from "effect"
import {
  type ChainView,
  type KnownAttempt,
  knownAttempts,
  type TransferVerdict,
  verdictOf
} from "./AttemptVerdict.ts"
import { type CheckedTransfer, prepareTransfer, type TransferPayer } from "./prepareTransfer.ts"
import {
  type SolanaRefundError,
  TooManyAttempts,
  TransferDiffers,
  TransferJournalFailed,
  TransferNotSigned,
  TransferUncertain
} from "./RefundErrors.ts"
import type { SolanaNode } from "./SolanaNode.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import type { SolanaSigner } from "./SolanaSigner.ts"
import { signTransfer } from "./TransferMessage.ts"
import type { Journal, TransferAttempt } from "./TransferJournal.ts"

/*
 * Moves each transfer once. An attempt is recorded before it is sent, in this wallet's journal and by the till, which
 * knows those of other wallets too. Another one is signed only when no earlier one moved or can any more: it failed
 * in a final block, or two nodes show that it is in none and that its blockhash has expired.
 */

export interface TransferSettings extends TransferPayer {
  /** CAIP-2 identifier. */
  readonly network: string
  readonly signer: SolanaSigner
  readonly confirmTimeoutMillis: number
  readonly pollMillis: number
}

type Failure = SolanaRefundError | NodeFault | ConfigurationError

/** Far more than a congested network takes. */
const maxAttempts = 32

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

const pendingState = (attempts: ReadonlyArray<KnownAttempt>): RefundTransferState => {
  const last = attempts.at(-1)
  return last === undefined ? { status: "none" } : { status: "pending", transaction: last.signature }
}

/** Moves transfers from one wallet. */
export class Transfers {
  private readonly settings: TransferSettings
  private readonly node: SolanaNode
  private readonly second: SolanaNode | undefined
  private readonly journal: Journal

  constructor(
    settings: TransferSettings,
    node: SolanaNode,
    second: SolanaNode | undefined,
    journal: Journal
  ) {
    this.settings = settings
    this.node = node
    this.second = second
    this.journal = journal
  }

  /** Signs, sends and looks again until the transfer is in a final block or the call has waited long enough. */
  readonly bring = Effect.fnUntraced(
    { self: this },
    function* (
      transfer: CheckedTransfer,
      till: TransferRecord
    ): Effect.fn.Return<RefundTransferState, Failure> {
      const { confirmTimeoutMillis, pollMillis } = this.settings
      const { recorded = [] } = till
      const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
      let { known, own } = yield* this.readKnown(transfer, recorded)
      for (let poll = 0; ; poll++) {
        const verdict = yield* this.judge(known)
        switch (verdict._tag) {
          case "Moved":
            return { status: "sent", transaction: verdict.attempt.signature }
          case "Uncertain":
            return yield* new TransferUncertain({ signature: verdict.attempt.signature })
          case "Sign": {
            if (known.length >= maxAttempts) return yield* new TooManyAttempts({ attempts: known.length })
            const position = own.length
            own = yield* this.sign(transfer, position)
            known = knownAttempts(own, recorded)
            const signed = own[position]
            if (signed === undefined) break
            if (!(yield* isRecorded(signed, till))) return pendingState(known)
            yield* this.node.send(signed.transaction)
            break
          }
          case "Send":
            // Sent again every fourth poll, because nodes forget. The chain accepts a transaction once.
            if (poll % 4 !== 0) break
            if (!(yield* isRecorded(verdict.attempt, till))) return pendingState(known)
            yield* this.node.send(verdict.transaction)
            break
          case "Wait":
            break
        }
        if ((yield* Clock.currentTimeMillis) + pollMillis >= until) return pendingState(known)
        yield* Effect.sleep(pollMillis)
      }
    }
  )

  readonly find = Effect.fnUntraced(
    { self: this },
    function* (
      key: string,
      { recorded = [] }: TransferRecord
    ): Effect.fn.Return<RefundTransferState, Failure> {
      const attempts = knownAttempts(yield* this.journal.find(key), recorded)
      if (attempts.length === 0) return { status: "none" }
      const verdict = yield* judgeBy(this.node, attempts)
      if (verdict._tag === "Uncertain") {
        return yield* new TransferUncertain({ signature: verdict.attempt.signature })
      }
      return verdict._tag === "Moved"
        ? { status: "sent", transaction: verdict.attempt.signature }
        : pendingState(attempts)
    }
  )

  /**
   * Decides by two nodes where another attempt would be signed: one that hides a transaction would have it paid twice.
   * A final failure hides nothing: the chain accepts a transaction once, so one that failed moved nothing and never will.
   */
  private readonly judge = Effect.fnUntraced(
    { self: this },
    function* (attempts: ReadonlyArray<KnownAttempt>): Effect.fn.Return<TransferVerdict, NodeFault> {
      const last = attempts.at(-1)
      if (last === undefined) return { _tag: "Sign", isShown: true }
      const verdict = yield* judgeBy(this.node, attempts)
      if (verdict._tag !== "Sign") return verdict
      if (this.second !== undefined) return yield* judgeBy(this.second, attempts)
      return verdict.isShown ? verdict : { _tag: "Uncertain", attempt: last }
    }
  )

  /** Signs an attempt and records it. If another process has recorded one first, that one counts. */
  private readonly sign = Effect.fnUntraced(
    { self: this },
    function* (transfer: CheckedTransfer, position: number) {
      const { journal, node, settings } = this
      const { network, payer, signer } = settings
      const terms = yield* prepareTransfer(node, settings, transfer)
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
    }
  )

  /** The attempts of a transfer that are known now. Fails if its key was given with other terms. */
  private readonly readKnown = Effect.fnUntraced(
    { self: this },
    function* (transfer: CheckedTransfer, recorded: ReadonlyArray<RefundTransaction>) {
      const own = yield* this.journal.find(transfer.key)
      const other = own.find((attempt) => !hasTermsOf(attempt, transfer, this.settings.network))
      if (other !== undefined) return yield* new TransferDiffers({ signature: other.signature })
      return { own, known: knownAttempts(own, recorded) }
    }
  )
}
