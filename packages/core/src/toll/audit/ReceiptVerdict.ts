import { backoff } from "../../runtime/backoff.ts"
import type { ChainEvidence } from "../evidence/Chain.ts"

/*
 * Whether a facilitator's report of a settlement was false. Pure.
 */

/** What the chain shows about the settlement of a receipt. */
export type ReceiptVerdict =
  | { readonly _tag: "Proved" }
  /** Another transaction than the receipt's moved the money: somebody sent it first, or a reorganization replaced it. */
  | { readonly _tag: "ProvedElsewhere" }
  /** The chain can't be read, or can still change, or the authorization can still move. */
  | { readonly _tag: "NotYet" }
  /** A final block shows that its authorization never moved its money to `payTo`, and never will. */
  | { readonly _tag: "False"; readonly reason: "unused" | "canceled" | "failed" | "used_otherwise" }

/** The parts of a settled charge that a verdict depends on. */
export interface Receipted {
  /** As the receipt names it. */
  readonly transaction: string
  readonly validBeforeSeconds: number
}

const notYet: ReceiptVerdict = { _tag: "NotYet" }

/**
 * Judges a receipt by the evidence for its own authorization, whatever transaction it names.
 *
 * An unused authorization counts once it has expired in a final block: until then a slow facilitator may still settle it,
 * and a node that lags may not show it yet.
 */
export const judgeReceipt = (
  { transaction, validBeforeSeconds }: Receipted,
  evidence: ChainEvidence,
  finalitySeconds: number
): ReceiptVerdict => {
  switch (evidence._tag) {
    case "Moved":
      return {
        _tag: evidence.transaction.toLowerCase() === transaction.toLowerCase() ? "Proved" : "ProvedElsewhere"
      }
    case "NotMoved":
      return evidence.chainTimeSeconds > validBeforeSeconds + finalitySeconds
        ? { _tag: "False", reason: "unused" }
        : notYet
    case "NotPaid":
      return { _tag: "False", reason: evidence.reason }
    case "Confirming":
    case "Unavailable":
      return notYet
  }
}

/** Between the two reads that confirm a false receipt. */
export const confirmAfterMillis = 10 * 60_000
const firstRetryMillis = 60_000
const lastRetryMillis = 60 * 60_000
const retryMillis = backoff(firstRetryMillis, lastRetryMillis)
/** Reads of a receipt without a result, over about a day; after these, it is left alone. */
const maxReads = 30

/** What the reads of a receipt have come to. */
export interface Reads {
  readonly reads: number
  /** When a read first showed that it is false. */
  readonly falseAtMillis: number | undefined
}

export const noReads: Reads = { reads: 0, falseAtMillis: undefined }

/** What follows a read. */
export type AfterRead =
  /** Nothing more: its money has moved, or nothing can be found out. */
  | { readonly _tag: "Cleared" }
  | { readonly _tag: "Again"; readonly reads: Reads; readonly atMillis: number }
  | { readonly _tag: "Confirmed"; readonly reason: Extract<ReceiptVerdict, { _tag: "False" }>["reason"] }

/** What follows a verdict: a receipt is false once two reads say so, ten minutes apart. */
export const afterRead = (
  { falseAtMillis, reads }: Reads,
  verdict: ReceiptVerdict,
  nowMillis: number
): AfterRead => {
  switch (verdict._tag) {
    case "Proved":
    case "ProvedElsewhere":
      return { _tag: "Cleared" }
    case "NotYet": {
      if (reads + 1 >= maxReads) return { _tag: "Cleared" }
      const atMillis = nowMillis + retryMillis(reads)
      return { _tag: "Again", reads: { reads: reads + 1, falseAtMillis }, atMillis }
    }
    case "False": {
      if (falseAtMillis !== undefined && nowMillis - falseAtMillis >= confirmAfterMillis)
        return { _tag: "Confirmed", reason: verdict.reason }
      const firstMillis = falseAtMillis ?? nowMillis
      return {
        _tag: "Again",
        reads: { reads, falseAtMillis: firstMillis },
        atMillis: firstMillis + confirmAfterMillis
      }
    }
  }
}
