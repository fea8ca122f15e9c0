import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { makeSolanaNode } from "../../../../providers/src/solana-refunds/SolanaNode.ts"
import { journalOf, type TransferAttempt } from "../../../../providers/src/solana-refunds/TransferJournal.ts"
import type { CheckedTransfer } from "../../../../providers/src/solana-refunds/prepareTransfer.ts"
import { Transfers, type TransferSettings } from "../../../../providers/src/solana-refunds/Transfers.ts"
import { makeUpstream } from "../../../../providers/src/upstream/Upstream.ts"
import type { SolanaRefunds } from "../../../src/ports/SolanaRefunds.ts"
import { devnet, type SolanaWallet } from "../../toll/solana.ts"
import type { Link } from "../Link.ts"

/*
 * The wallet of a till on Solana: the production code of `@till402/providers`, in the virtual time of its process.
 */

/** The recorded attempts, which outlive every process. */
export type RefundJournal = Array<TransferAttempt>

export interface WalletOptions {
  readonly wallet: SolanaWallet
  readonly client: HttpClient.HttpClient
  readonly rpcUrl: string
  readonly attempts: RefundJournal
  readonly count: (what: string) => void
  /** Whether another wallet has signed a refund. */
  readonly isSignedElsewhere?: (key: string) => boolean
}

export const journalOver = (
  { attempts, count, isSignedElsewhere }: Pick<WalletOptions, "attempts" | "count" | "isSignedElsewhere">,
  { call }: Link
) => {
  const of = (key: string) => attempts.filter((each) => each.key === key)
  return journalOf({
    insert: (attempt) =>
      call("journal.insert", () => {
        if (of(attempt.key).every(({ position }) => position !== attempt.position)) {
          attempts.push(attempt)
          if (attempt.position > 0 || isSignedElsewhere?.(attempt.key) === true) count("refund signed again")
        }
        return of(attempt.key)
      }),
    find: (key) => call("journal.find", () => of(key))
  })
}

/** Addresses have been checked by the time a transfer is made. */
const settings = {
  network: devnet.caip2,
  microLamports: 10_000,
  createsAccounts: false,
  confirmTimeoutMillis: 20_000,
  pollMillis: 1_000
}

/** The wallet of one process. */
export const solanaRefundsOver = (link: Link, options: WalletOptions): SolanaRefunds => {
  const upstream = Effect.runSync(
    Effect.provideService(makeUpstream({ name: "solana-refunds" }), HttpClient.HttpClient, options.client)
  )
  const { address } = options.wallet
  const sign = (message: Uint8Array) => link.call("host.sign", () => options.wallet.sign(message))
  const transfers = new Transfers(
    { ...settings, payer: address as TransferSettings["payer"], signer: { address, sign } },
    makeSolanaNode(upstream, options.rpcUrl),
    // Its network drops transactions, and no node hides one.
    makeSolanaNode(upstream, options.rpcUrl),
    journalOver(options, link)
  )
  return {
    network: settings.network,
    address,
    find: (key, context) => link.run(transfers.find(key, context ?? {}), context?.signal),
    refund: (transfer, context) =>
      link.run(transfers.bring(transfer as CheckedTransfer, context ?? {}), context?.signal)
  }
}
