import { readFile } from "node:fs/promises"
import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { readText } from "../http/see.ts"
import { isOnThisMachine } from "./url.ts"

interface Place {
  /** Where the key is from, for people. */
  readonly source: string
  /** A node of its network, if the key's place named one. */
  readonly rpcUrl?: string
}

/** The wallet of a payer. */
export type Wallet =
  | ({ readonly family: "evm"; readonly privateKey: `0x${string}` } & Place)
  | ({ readonly family: "solana"; readonly secretKey: string } & Place)

export interface WalletChoice {
  readonly keyFile: string | undefined
  /** Of the environment. */
  readonly privateKey: string | undefined
  /** What is called. */
  readonly url: URL
  /** Where a sandbox may run. */
  readonly sandbox: string
}

const readKey = (text: string, source: string): Wallet => {
  const key = text.trim()
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(key)?.[1]
  if (digits !== undefined) return { family: "evm", privateKey: `0x${digits}`, source }
  // As Solana's wallets export it, or as its own command keeps it.
  if (/^[1-9A-HJ-NP-Za-km-z]{80,90}$|^\[[\d,\s]+\]$/.test(key))
    return { family: "solana", secretKey: key, source }
  // The text itself is never shown: it may be a key with a typing error.
  throw new CommandFailed(
    `the key of ${source} must be 64 hexadecimal digits, as of an EVM wallet, or a key pair of Solana`
  )
}

const maxAnnouncementBytes = 100_000
const sandboxTimeoutMillis = 2_000

interface AnnouncedRail {
  readonly rpcUrl?: unknown
  readonly wallets?: ReadonlyArray<{ readonly privateKey?: unknown; readonly secretKey?: unknown }>
}

const walletOf = ({ rpcUrl, wallets = [] }: AnnouncedRail, source: string): ReadonlyArray<Wallet> => {
  const key = wallets[0]?.privateKey ?? wallets[0]?.secretKey
  if (typeof key !== "string") return []
  const wallet = readKey(key, source)
  return [typeof rpcUrl === "string" ? { ...wallet, rpcUrl } : wallet]
}

/** The first wallet on each network of a sandbox on this machine, which announces them; none where none runs. */
const askSandbox = async (origin: string): Promise<ReadonlyArray<Wallet>> => {
  try {
    const response = await fetch(new URL("/sandbox.json", origin), {
      signal: AbortSignal.timeout(sandboxTimeoutMillis),
      redirect: "error"
    })
    const text = await readText(response, maxAnnouncementBytes)
    if (!response.ok || text === undefined) return []
    const announced = JSON.parse(text) as AnnouncedRail & { readonly solana?: AnnouncedRail }
    const source = `the sandbox at ${origin}`
    return [...walletOf(announced, source), ...walletOf(announced.solana ?? {}, source)]
  } catch {
    // Whatever runs there is no sandbox.
    return []
  }
}

/** The wallet of a file or of the environment, or, for a server on this machine, those of a sandbox. */
export const chooseWallets = async ({
  keyFile,
  privateKey,
  sandbox,
  url
}: WalletChoice): Promise<ReadonlyArray<Wallet>> => {
  if (keyFile !== undefined) {
    const text = await readFile(keyFile, "utf8").catch((error: unknown) => {
      throw new CommandFailed(`the key file ${keyFile} can't be read: ${wordsOf(error)}`)
    })
    return [readKey(text, keyFile)]
  }
  if (privateKey !== undefined && privateKey !== "") return [readKey(privateKey, "PRIVATE_KEY")]
  // Play money pays only what is on this machine.
  const origins = isOnThisMachine(url) ? [...new Set([url.origin, new URL(sandbox).origin])] : []
  for (const origin of origins) {
    const wallets = await askSandbox(origin)
    if (wallets.length > 0) return wallets
  }
  throw new CommandFailed(
    origins.length === 0
      ? "there is no wallet: give --key-file FILE, or set PRIVATE_KEY"
      : "there is no wallet, and no sandbox runs on this machine: give --key-file FILE, set PRIVATE_KEY, or start a sandbox: npx till402 sandbox, or npm run sandbox in a clone"
  )
}
