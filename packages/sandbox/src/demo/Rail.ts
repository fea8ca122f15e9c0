import { payingFetch } from "../payingFetch.ts"
import { type AnySandbox, isOnEvm } from "../NetworkChoice.ts"
import type { SolanaRail } from "../solana/SolanaRail.ts"
import type { Sandbox } from "../Sandbox.ts"
import { evmLedger, type Ledger, type Sides, solanaLedger } from "./Balances.ts"

/** A network that the demo pays on. */
export interface DemoRail {
  /** `a local chain`, for a sentence. */
  readonly name: string
  readonly sides: Sides
  readonly ledger: Ledger
  /** Pays over a plain `fetch`. */
  readonly pay: (base: typeof fetch) => typeof fetch
}

const firstOf = <A>(wallets: ReadonlyArray<A>): A => {
  const [wallet] = wallets
  if (wallet === undefined) throw new Error("The sandbox has no wallet.")
  return wallet
}

const evmRail = ({ chain, payTo, wallets }: Sandbox): DemoRail => {
  const { address, privateKey } = firstOf(wallets)
  const sides = { payer: address, payee: payTo }
  return {
    name: "a local chain",
    sides,
    ledger: evmLedger(chain, sides),
    pay: (base) => payingFetch(privateKey, 1_000, base)
  }
}

const solanaRail = async ({ chain, payTo, wallets }: SolanaRail): Promise<DemoRail> => {
  const { solanaPayingFetch } = await import("../solana/payingFetch.ts")
  const { address, signer } = firstOf(wallets)
  const sides = { payer: address, payee: payTo }
  return {
    name: "a local Solana chain",
    sides,
    ledger: solanaLedger(chain, sides),
    pay: (base) => solanaPayingFetch(chain, signer, 1_000, base)
  }
}

/** The networks of a sandbox, in the order in which the demo pays on them. */
export const railsOf = async (sandbox: AnySandbox): Promise<ReadonlyArray<DemoRail>> => [
  ...(isOnEvm(sandbox) ? [evmRail(sandbox)] : []),
  ...(sandbox.solana === undefined ? [] : [await solanaRail(sandbox.solana)])
]
