import type { FacilitatorClient, TillOptions } from "@till402/core"
import { freshAccount } from "./Attacker.ts"
import { payTo } from "./Calls.ts"
import type { Loss } from "./Dodgers.ts"
import { dollars } from "./Ledger.ts"
import { type LocalChain, readable } from "./LocalChain.ts"
import { openOurs } from "./Ours.ts"
import type { Server } from "./Visitor.ts"

/** A server whose upstream work is counted, with its own `payTo`. */
export interface Target {
  readonly server: Server
  readonly payTo: string
}
export type OpenTarget = (facilitator: FacilitatorClient) => Promise<Target>

export const naiveTarget =
  (open: (facilitator: FacilitatorClient) => Server): OpenTarget =>
  async (facilitator) => ({ server: open(facilitator), payTo })

/** A till with its own `payTo`, so that several can be attacked at the same time. */
export const tillTarget =
  (local: LocalChain, options: Partial<TillOptions> = {}): OpenTarget =>
  async (facilitator) => {
    const { address } = freshAccount()
    const networks = [readable(local)]
    const server = await openOurs(facilitator, {
      payTo: address,
      networks,
      trustFacilitator: false,
      ...options
    })
    return { server, payTo: address }
  }

/** Prints a loss; returns the unpaid part. */
export const report = (title: string, { cost, paid, unpaid }: Loss): bigint => {
  console.info(`${title}: upstream work of ${dollars(cost)}, paid ${dollars(paid)}`)
  return unpaid
}
