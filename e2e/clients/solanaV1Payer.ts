import type { SolanaChain } from "@till402/sandbox/solana"
import { solanaPayingFetchV1 } from "@till402/v1-client"
import { createHash, createPrivateKey, createPublicKey } from "node:crypto"

/*
 * A payer with `x402-fetch`, apart from the shop: the version-1 client has 440 dependencies, which few tests need.
 */

type Wallet = Awaited<ReturnType<SolanaChain["wallets"]>>

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** A development wallet's key pair of 64 bytes in base58, as wallets export it. */
const secretKeyOf = (index: number): string => {
  const seed = createHash("sha256").update(`Till402 development wallet ${index}`).digest()
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed])
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32)
  let value = BigInt(`0x${Buffer.concat([seed, publicKey]).toString("hex")}`)
  let text = ""
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)]! + text
  return text
}

/** Below those of `solanaShop.ts`, which begin at 100. */
let wallets = 50

/** A wallet that no other test of this file has, with USDC, and the client that pays from it. */
export const openV1Payer = async (
  chain: SolanaChain,
  send: typeof fetch,
  balanceAtomic: bigint
): Promise<{ readonly payer: Wallet; readonly pay: typeof fetch }> => {
  const index = ++wallets
  const payer = await chain.wallets(index)
  await chain.mint(payer.address, balanceAtomic)
  return { payer, pay: await solanaPayingFetchV1(secretKeyOf(index), chain.rpcUrl, balanceAtomic, send) }
}
