import type { ConfigurationError, RefundTransfer, RefundTransferState, SolanaRefunds } from "@till402/core"
import { isAddress } from "@solana/kit"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { makeUpstream, settingReaders, toPromise, type UpstreamSettings } from "../upstream/index.ts"
import type { SolanaRefundError } from "./RefundErrors.ts"
import { makeSolanaNode } from "./SolanaNode.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import type { SolanaSigner } from "./SolanaSigner.ts"
import { type TransferRecord, Transfers } from "./Transfers.ts"
import { journalOf, type TransferJournal } from "./TransferJournal.ts"

/** Options of `solanaRefunds`. */
export interface SolanaRefundsOptions extends UpstreamSettings {
  /** Signs for the wallet, which holds the token and pays the fees in SOL: `solanaSigner`, or a custody service. */
  readonly signer: SolanaSigner
  /** JSON-RPC endpoint of the network, of a node that keeps history. Must be https or on this machine. */
  readonly rpcUrl: string
  /**
   * JSON-RPC endpoint of another provider. Before a refund is signed a second time, both nodes must show that no earlier
   * transaction moved it. Without it, one whose transaction expired without being shown waits for you
   * (`TransferUncertain`); one whose transaction failed in a final block doesn't.
   */
  readonly secondRpcUrl?: string | undefined
  /** Records attempts: durable, and shared by all processes that use the wallet. */
  readonly journal: TransferJournal
  /** `solana` (default) or `solana-devnet`. */
  readonly network?: "solana" | "solana-devnet" | undefined
  /** Price of a compute unit in millionths of a lamport, up to 5,000,000; default 10,000. */
  readonly computeUnitPriceMicroLamports?: number | undefined
  /**
   * Whether a payee without a token account gets one, at about 0.002 SOL of this wallet; default `false`. A payer who
   * closes the account after each payment would have that money of every refund.
   */
  readonly createsAccounts?: boolean | undefined
  /** How long one call waits for a final block, in milliseconds; default 20,000. */
  readonly confirmTimeoutMillis?: number | undefined
  /** Interval of polling the chain, in milliseconds; default 1000. */
  readonly pollMillis?: number | undefined
}

const read = settingReaders("solana-refunds")

/** CAIP-2 identifiers: `solana:` and the first 32 characters of the genesis block's hash. */
const references = {
  solana: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
  "solana-devnet": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
} as const
const names = ["solana", "solana-devnet"] as const

const configure = Effect.fnUntraced(function* (options: SolanaRefundsOptions) {
  const address: unknown = options.signer?.address
  if (typeof address !== "string" || !isAddress(address)) {
    return yield* read.invalid("signer must have an address in base58")
  }
  if (typeof options.signer.sign !== "function") return yield* read.invalid("signer has no method sign")
  if (typeof options.journal?.insert !== "function") return yield* read.invalid("journal is missing")
  const rpcUrl = yield* read.url("rpcUrl", options.rpcUrl)
  const secondRpcUrl =
    options.secondRpcUrl === undefined ? undefined : yield* read.url("secondRpcUrl", options.secondRpcUrl)
  if (secondRpcUrl === rpcUrl) return yield* read.invalid("secondRpcUrl must be another node than rpcUrl")
  const reference = references[yield* read.oneOf("network", options.network ?? "solana", names)]
  return {
    reference,
    network: `solana:${reference}`,
    payer: address,
    signer: options.signer,
    rpcUrl,
    secondRpcUrl,
    createsAccounts: options.createsAccounts === true,
    microLamports: yield* read.wholeNumber(
      "computeUnitPriceMicroLamports",
      options.computeUnitPriceMicroLamports ?? 10_000,
      0,
      5_000_000
    ),
    confirmTimeoutMillis: yield* read.wholeNumber(
      "confirmTimeoutMillis",
      options.confirmTimeoutMillis ?? 20_000,
      1
    ),
    pollMillis: yield* read.wholeNumber("pollMillis", options.pollMillis ?? 1_000, 1)
  }
})

type Failure = SolanaRefundError | NodeFault | ConfigurationError

/** Refunds over the `HttpClient` of the context. */
export const makeSolanaRefunds = Effect.fnUntraced(function* (
  options: SolanaRefundsOptions
): Effect.fn.Return<SolanaRefunds, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const { network, payer, reference } = settings
  const nodeAt = Effect.fnUntraced(function* (url: string, name: string) {
    return makeSolanaNode(yield* makeUpstream({ ...options, name }), url)
  })
  const node = yield* nodeAt(settings.rpcUrl, "solana-refunds")
  const second =
    settings.secondRpcUrl === undefined
      ? undefined
      : yield* nodeAt(settings.secondRpcUrl, "solana-refunds-second")
  const transfers = new Transfers(settings, node, second, journalOf(options.journal))
  let isRightChain = false

  const assertChain = Effect.gen(function* () {
    if (isRightChain) return
    if (!(yield* node.genesisHash).startsWith(reference)) {
      return yield* read.invalid(`rpcUrl is not a node of ${network}`)
    }
    if (second !== undefined && !(yield* second.genesisHash).startsWith(reference)) {
      return yield* read.invalid(`secondRpcUrl is not a node of ${network}`)
    }
    isRightChain = true
  })

  const refund = Effect.fn("SolanaRefunds.refund")(function* (
    transfer: RefundTransfer,
    till: TransferRecord
  ): Effect.fn.Return<RefundTransferState, Failure> {
    const { amountAtomic, asset, payee } = transfer
    if (!isAddress(payee) || !isAddress(asset) || amountAtomic < 1n || amountAtomic >= 1n << 64n) {
      return yield* read.invalid("a refund needs a payee and a mint in base58, and an amount of 64 bits")
    }
    yield* assertChain
    return yield* transfers.bring({ ...transfer, payee, asset }, till)
  })

  const stateOf = Effect.fn("SolanaRefunds.find")((key: string, till: TransferRecord) =>
    Effect.andThen(assertChain, transfers.find(key, till))
  )

  return {
    network,
    address: payer,
    find: (key, context) => toPromise(stateOf(key, context ?? {}), context?.signal),
    refund: (transfer, context) => toPromise(refund(transfer, context ?? {}), context?.signal)
  }
})
