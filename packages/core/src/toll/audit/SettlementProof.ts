import type { Charge, LedgerEntry } from "../../ports/Charges.ts"
import type { ChainEvidence } from "../evidence/Chain.ts"

/** Whether the chain proves a settlement of the ledger. */
export type SettlementProof =
  /** By its own authorization's transfer, which no other authorization shares. */
  | {
      readonly _tag: "Proven"
      readonly transaction: string
      readonly logIndex: number
      readonly atSeconds: number
    }
  /** The chain can't be read, or can still change. */
  | { readonly _tag: "Open" }
  | { readonly _tag: "Fault"; readonly fault: string }

const open: SettlementProof = { _tag: "Open" }
const fault = (text: string): SettlementProof => ({ _tag: "Fault", fault: text })

/**
 * Whether a recorded transfer is the proven one. One without a log index was reported by a facilitator: any proof
 * counts.
 */
export const isRecordedTransfer = (
  recorded: { readonly transaction: string | undefined; readonly transferLogIndex: number | undefined },
  proven: { readonly transaction: string; readonly logIndex: number }
): boolean =>
  recorded.transferLogIndex === undefined ||
  (recorded.transferLogIndex === proven.logIndex &&
    recorded.transaction?.toLowerCase() === proven.transaction.toLowerCase())

/**
 * Judges a settlement without a matching transfer in the period, by the evidence for its own authorization. Pure.
 *
 * An unused nonce is a fault only once the authorization has expired: until then its transfer may be pending, or the
 * node may lag behind.
 */
export const proveSettlement = (
  entry: Pick<LedgerEntry, "transaction" | "transferLogIndex">,
  charge: Pick<Charge, "awaitsFinality" | "validBeforeSeconds">,
  evidence: ChainEvidence
): SettlementProof => {
  if (charge.awaitsFinality) return open
  switch (evidence._tag) {
    case "Moved": {
      const { atSeconds, logIndex, transaction } = evidence
      return isRecordedTransfer(entry, evidence)
        ? { _tag: "Proven", transaction, logIndex, atSeconds }
        : fault("the chain shows its payment in another transfer than the ledger")
    }
    case "NotMoved":
      return evidence.chainTimeSeconds >= charge.validBeforeSeconds
        ? fault("the chain shows no transfer of its payment")
        : open
    case "NotPaid":
      return fault("its authorization was used up without paying")
    case "Confirming":
    case "Unavailable":
      return open
  }
}
