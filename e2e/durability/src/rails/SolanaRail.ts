import { generateKeyPairSync, randomInt } from "node:crypto"
import { solanaSigner } from "@till402/providers/solana-refunds"
import { type LocalSolanaFacilitator, type SolanaChain, solanaPayingFetch } from "@till402/sandbox/solana"
import type { Transfer } from "../Audit.ts"
import type { Relayer } from "../ServerSettings.ts"
import { messageDigest } from "../SignedPayment.ts"
import { type Payer, purseAtomic, type Rail } from "./Rail.ts"

/** A wallet that no other run has. */
const newWallet = (chain: SolanaChain) => chain.wallets(randomInt(2 ** 47))

const solanaPayer = async (chain: SolanaChain): Promise<Payer> => {
  const wallet = await newWallet(chain)
  await chain.mint(wallet.address, purseAtomic)
  return { address: wallet.address, paying: (send) => solanaPayingFetch(chain, wallet, 100, send) }
}

const call = async <A>({ rpcUrl }: SolanaChain, method: string, params: ReadonlyArray<unknown>) => {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  return ((await response.json()) as { readonly result: A }).result
}

const lamportsPerSol = 1_000_000_000

/** A fee payer with SOL. */
const newRelayer = async (chain: SolanaChain): Promise<Relayer> => {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })
  const secretKey = JSON.stringify([d, x].flatMap((part) => [...Buffer.from(part, "base64url")]))
  await call<string>(chain, "requestAirdrop", [solanaSigner(secretKey).address, lamportsPerSol])
  return { rail: "solana", secretKey }
}

interface TokenBalance {
  readonly owner: string
  readonly mint: string
  readonly uiTokenAmount: { readonly amount: string }
}

interface LandedTransaction {
  readonly transaction: readonly [base64: string, "base64"]
  readonly meta: {
    readonly preTokenBalances: ReadonlyArray<TokenBalance>
    readonly postTokenBalances: ReadonlyArray<TokenBalance>
  }
}

interface LandedSignature {
  readonly signature: string
  readonly err: unknown
}

const pageSize = 1_000

type WalletAddress = Parameters<SolanaChain["balanceOf"]>[0]

/** Reads what a wallet received, each transaction once. */
const transferReader = async (chain: SolanaChain, payTo: WalletAddress) => {
  const account = await chain.tokenAccountOf(payTo)
  const known = new Map<string, Transfer>()

  const receivedIn = (balances: ReadonlyArray<TokenBalance>): bigint =>
    BigInt(
      balances.find(({ mint, owner }) => owner === payTo && mint === chain.usdc.mint)?.uiTokenAmount.amount ??
        0
    )
  const read = async (signature: string): Promise<Transfer> => {
    const options = { encoding: "base64", maxSupportedTransactionVersion: 0, commitment: "confirmed" }
    const { meta, transaction } = await call<LandedTransaction>(chain, "getTransaction", [signature, options])
    return {
      nonce: messageDigest(transaction[0]),
      amountAtomic: receivedIn(meta.postTokenBalances) - receivedIn(meta.preTokenBalances),
      transaction: signature
    }
  }

  return async (): Promise<ReadonlyArray<Transfer>> => {
    for (let before: string | undefined, isLast = false; !isLast;) {
      const page = await call<ReadonlyArray<LandedSignature>>(chain, "getSignaturesForAddress", [
        account,
        { limit: pageSize, commitment: "confirmed", ...(before === undefined ? {} : { before }) }
      ])
      for (const { err, signature } of page)
        if (err === null && !known.has(signature)) known.set(signature, await read(signature))
      before = page.at(-1)?.signature
      isLast = page.length < pageSize
    }
    return [...known.values()]
  }
}

/** Solana's devnet, with a new payee. Without a facilitator, the servers settle, by a new fee payer with SOL. */
export const solanaRail = async ({
  chain,
  facilitator
}: {
  readonly chain: SolanaChain
  readonly facilitator?: LocalSolanaFacilitator
}): Promise<Rail> => {
  const { address: payTo } = await newWallet(chain)
  await chain.mint(payTo, 0n)
  return {
    settings: {
      network: "solana-devnet",
      payTo,
      relayer: facilitator === undefined ? await newRelayer(chain) : undefined,
      rpcUrl: chain.rpcUrl
    },
    facilitatorUrl: facilitator?.url,
    openPayer: () => solanaPayer(chain),
    readTransfers: await transferReader(chain, payTo),
    balance: () => chain.balanceOf(payTo)
  }
}
