import type { Subject } from "../../ports/Charges.ts"
import type { ChargeFacts } from "../machine/ChargeStep.ts"
import type { SettlementTask } from "../machine/SettlementTask.ts"

/** The key of a charge, and the owner that holds its lease or tries to take it. */
export interface ChargeLease {
  readonly key: string
  readonly owner: string
  readonly by: ChargeFacts["by"]
  readonly nowMillis: () => number
}

/** A charge under one lease, from its claim or takeover to its end. */
export interface HeldCharge extends ChargeLease {
  /** The operation that is paid for. */
  readonly operation: string
  readonly facts: ChargeFacts
  readonly task: SettlementTask
  readonly subject: Subject | undefined
  /** As the charge stores it. */
  readonly claimedAfterBlock: string
  /** Failed attempts before this one. */
  readonly attempts: number
  /** The transaction that settled it, if it was settled when it was taken over. */
  readonly transaction?: string | undefined
}
