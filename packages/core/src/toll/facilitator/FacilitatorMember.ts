import type { Effect } from "effect"
import type { ClockReading } from "../../runtime/ClockReading.ts"
import type { FacilitatorRequest, Settlement, Verification } from "./FacilitatorVerdicts.ts"
import type { SupportedKinds } from "./SupportedKinds.ts"

/** One facilitator, as `FacilitatorGroup` uses it: single calls, without retries. */
export interface FacilitatorMember {
  readonly name: string
  /** Where it is, without keys. Not of one in this process. */
  readonly address?: string
  /** CAIP-2 identifiers and version-1 names of the networks that the host gave it; `undefined`: all that it lists. */
  readonly networks: ReadonlySet<string> | undefined
  readonly kinds: SupportedKinds
  readonly verify: (request: FacilitatorRequest) => Effect.Effect<Verification>
  /** Calls to `verify` for one payment, where no other facilitator takes it. */
  readonly maxVerifications: number
  readonly settle: (request: FacilitatorRequest) => Effect.Effect<Settlement>
  readonly settleTimeoutMillis: number
  readonly movesNoMoney?: boolean
  /** Reads the time that it shows. Not of one in this process, which has the till's clock. */
  readonly clock?: Effect.Effect<ClockReading | undefined>
}
