import { isAddress } from "@solana/kit"
import { Effect } from "effect"
import type { SolanaSigner } from "../solana-refunds/SolanaSigner.ts"
import type { TransferJournal } from "../solana-refunds/TransferJournal.ts"
import { settingReaders, type UpstreamSettings } from "../upstream/index.ts"

/** Options of `solanaFacilitator`. */
export interface SolanaFacilitatorOptions extends UpstreamSettings {
  /** Signs as fee payer of every settlement: `solanaSigner`, or a custody service. It needs SOL, and nothing else. */
  readonly feePayer: SolanaSigner
  /** JSON-RPC endpoint of the network, of a node that keeps history. Must be https or on this machine. */
  readonly rpcUrl: string
  /** Records settlements: durable, and shared by all processes that use the fee payer. */
  readonly journal: TransferJournal
  /** `solana` (default) or `solana-devnet`. */
  readonly network?: "solana" | "solana-devnet" | undefined
  /**
   * Highest priority fee of one settlement, in lamports: its compute units times their price, which payers set. You pay
   * it beside 5,000 lamports for each of two signatures. Default 10,000.
   */
  readonly maxPriorityFeeLamports?: number | undefined
  /**
   * Fees of one payer's failed settlements within an hour, in lamports, above which this process takes no payment of
   * theirs; default 100,000.
   */
  readonly maxFailedFeesPerPayer?: number | undefined
  /**
   * The same of all payers for whom this process settled nothing within a day; default 1,000,000. Half of it may be used
   * at once, and the other half refills evenly.
   */
  readonly maxFailedFeesOfStrangers?: number | undefined
  /** How long one settlement waits for the chain, in milliseconds; default 25,000. */
  readonly confirmTimeoutMillis?: number | undefined
  /** Interval of polling the chain, in milliseconds; default 500. */
  readonly pollMillis?: number | undefined
}

/** Options of `SolanaFacilitator.layer`. The journal is a service. */
export interface SolanaFacilitatorLayerOptions extends Omit<SolanaFacilitatorOptions, "journal"> {
  /** Names the till's store, as in `forTill` of `solanaFacilitator`. */
  readonly till: string
}

export const read = settingReaders("solana-facilitator")

const references = {
  solana: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
  "solana-devnet": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
} as const
export const names = ["solana", "solana-devnet"] as const

/** Checks a host's options. Fails with a `ConfigurationError` that names the option. */
export const configure = Effect.fnUntraced(function* (options: SolanaFacilitatorOptions) {
  const address: unknown = options.feePayer?.address
  if (typeof address !== "string" || !isAddress(address)) {
    return yield* read.invalid("feePayer must have an address in base58")
  }
  if (typeof options.feePayer.sign !== "function") return yield* read.invalid("feePayer has no method sign")
  if (typeof options.journal?.insert !== "function") return yield* read.invalid("journal is missing")
  const v1Name = yield* read.oneOf("network", options.network ?? "solana", names)
  const number = (name: keyof SolanaFacilitatorOptions, value: unknown, minimum: number, maximum?: number) =>
    read.wholeNumber(name, value, minimum, maximum)
  const lamports = (
    name: "maxPriorityFeeLamports" | "maxFailedFeesPerPayer" | "maxFailedFeesOfStrangers",
    initial: number
  ) => Effect.map(number(name, options[name] ?? initial, 1), BigInt)
  const caip2: `solana:${string}` = `solana:${references[v1Name]}`
  return {
    served: { v1Name, caip2 },
    feePayer: address,
    signer: options.feePayer,
    rpcUrl: yield* read.url("rpcUrl", options.rpcUrl),
    maxPriorityFeeLamports: yield* lamports("maxPriorityFeeLamports", 10_000),
    failures: {
      perPayer: yield* lamports("maxFailedFeesPerPayer", 100_000),
      ofStrangers: yield* lamports("maxFailedFeesOfStrangers", 1_000_000)
    },
    confirmTimeoutMillis: yield* number("confirmTimeoutMillis", options.confirmTimeoutMillis ?? 25_000, 1),
    pollMillis: yield* number("pollMillis", options.pollMillis ?? 500, 1)
  }
})
