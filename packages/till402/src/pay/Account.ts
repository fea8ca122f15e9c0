import { evmPayer } from "@till402/testing/payer"
import { privateKeyToAccount } from "viem/accounts"
import { CommandFailed } from "../CommandFailed.ts"
import type { Wallet } from "./Wallet.ts"

/** The client of a wallet. */
export type Payer = ReturnType<typeof evmPayer>

export interface Account {
  readonly wallet: Wallet
  readonly address: string
  readonly payer: Payer
}

interface Limits {
  readonly maxDollars: number
  readonly tokens: ReadonlyArray<string>
  /** Instead of the wallet's own. */
  readonly rpcUrl: string | undefined
}

/** Solana's packages are peers: most callers pay on EVM networks. */
const loadSolana = async () => {
  try {
    return await import("@till402/testing/solana-payer")
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    if (!isMissing) throw error
    throw new CommandFailed("a wallet of Solana needs two packages: npm install @solana/kit @x402/svm")
  }
}

/** Opens a wallet: its address, and the official client that pays from it. */
export const openAccount = async (wallet: Wallet, limits: Limits): Promise<Account> => {
  const { maxDollars, tokens } = limits
  if (wallet.family === "evm") {
    const { privateKey } = wallet
    const { address } = privateKeyToAccount(privateKey)
    return { wallet, address, payer: evmPayer({ privateKey, maxDollars, tokens }) }
  }
  const { readSolanaKey, solanaPayer } = await loadSolana()
  const signer = await readSolanaKey(wallet.secretKey).catch((error: unknown) => {
    throw new CommandFailed(`${wallet.source}: ${error instanceof Error ? error.message : ""}`)
  })
  const rpcUrl = limits.rpcUrl ?? wallet.rpcUrl
  const node = rpcUrl === undefined ? {} : { rpcUrl }
  return { wallet, address: signer.address, payer: solanaPayer({ signer, maxDollars, ...node }) }
}
