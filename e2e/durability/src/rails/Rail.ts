import type { Transfer } from "../Audit.ts"
import type { ServerSettings } from "../ServerSettings.ts"

/** A wallet with play money, and the official client that pays from it. */
export interface Payer {
  readonly address: string
  /** A `fetch` that pays 402 responses, over one that sends requests. */
  readonly paying: (send: typeof fetch) => typeof fetch
}

/** The network on which the servers of a run sell, with a payee that has nothing at first. */
export interface Rail {
  /** How servers take payments. With a relayer they settle by themselves. */
  readonly settings: Pick<ServerSettings, "network" | "payTo" | "relayer" | "rpcUrl">
  /** Settles the payments for servers that don't. */
  readonly facilitatorUrl: string | undefined
  /** Makes a payer with enough money for any run. */
  readonly openPayer: () => Promise<Payer>
  /** Reads from the chain what the payee received. */
  readonly readTransfers: () => Promise<ReadonlyArray<Transfer>>
  /** The payee's balance on the chain, in atomic units. */
  readonly balance: () => Promise<bigint>
}

/** What each payer has, in atomic units. */
export const purseAtomic = 1_000_000_000_000n
