/** Where a server stores its records. */
export type StorageSettings =
  | { readonly kind: "sqlite"; readonly filename: string }
  | { readonly kind: "postgres"; readonly url: string }

/** A store that is broken on purpose; `Faults.ts` describes each fault. */
export type FaultName =
  | "forgets-responses"
  | "ignores-claims"
  | "writes-later"
  | "forgets-receipts"
  | "forgets-some-receipts"
  | "keeps-everything"
  | "keeps-native-memory"

export interface DaySettings {
  /** The facilitator, which is unreachable at times. */
  readonly facilitatorUrl: string
  /** Private key of the wallet that sends refunds. */
  readonly refundKey: `0x${string}`
}

/** The account by which servers settle payments themselves. */
export type Relayer =
  | { readonly rail: "evm"; readonly privateKey: `0x${string}` }
  /** The key is the JSON array of solana-keygen. */
  | { readonly rail: "solana"; readonly secretKey: string }

/** The settings of a server process, as JSON in its first argument. */
export interface ServerSettings {
  /** Sent with every call to the external services to identify the server. */
  readonly name: string
  /** Public address; the same for every server and every restart. */
  readonly baseUrl: string
  /** Default: Base Sepolia. */
  readonly network?: "base-sepolia" | "solana-devnet"
  readonly payTo: string
  readonly rpcUrl: string
  /** Default: the facilitator settles payments. */
  readonly relayer?: Relayer | undefined
  /** Facilitator and upstream, in the parent process. */
  readonly outsideUrl: string
  readonly secret: string
  readonly storage: StorageSettings
  /** Lease of a charge whose server may be dead, in milliseconds. */
  readonly leaseMillis: number
  readonly fault?: FaultName
  /** A long run: deliveries fail, refunds are sent, and nothing is reported at each moment of a call. */
  readonly day?: DaySettings
}

/** Lines that a server process prints, one JSON value each. */
export type ServerLine =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "event"; readonly level: string; readonly message: string; readonly error?: string }
