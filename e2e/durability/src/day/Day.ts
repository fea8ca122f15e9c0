import type { Chain, LocalFacilitator } from "@till402/sandbox"
import type { Address } from "viem"
import type { Attempt } from "../Buyer.ts"
import type { Fleet } from "../Fleet.ts"
import type { Outside } from "../Outside.ts"
import type { FaultName } from "../ServerSettings.ts"
import type { BadRequests } from "./BadRequests.ts"
import type { CuttableProxy } from "./CuttableProxy.ts"
import type { MemorySample } from "./Memory.ts"
import type { Replays } from "./Replays.ts"

export type Counts = Record<string, number>

/** What an alert is for. */
export type OnlyFault = "nothing" | "stopped refunds" | "no database" | "no facilitator"

export interface DayOptions {
  readonly chain: Chain
  readonly facilitator: LocalFacilitator
  /** An empty database. */
  readonly postgresUrl: string
  readonly minutes: number
  /** Seeds requests and disturbances. The machine schedules the processes. */
  readonly seed: number
  readonly fault?: FaultName
  /** What goes wrong on a day without other disturbances; `nothing`: a quiet day. By default, a day is disturbed. */
  readonly only?: OnlyFault
  readonly onProgress: (line: string) => void
}

/** The parts of a day that has begun. */
export interface Day {
  readonly options: DayOptions
  readonly outside: Outside
  readonly database: CuttableProxy
  readonly facilitator: CuttableProxy
  readonly fleet: Fleet
  readonly payTo: Address
  readonly refundWallet: Address
  readonly events: Counts
  readonly attempts: Array<Attempt>
}

/** What the traffic of a day left behind. */
export interface Traffic {
  readonly replays: Awaited<ReturnType<Replays["end"]>>
  readonly badRequests: BadRequests
  readonly disturbances: Readonly<Counts>
  readonly samples: ReadonlyArray<MemorySample>
}
