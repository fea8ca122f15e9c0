import { keccak_256 } from "@noble/hashes/sha3"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils"
import { Effect } from "effect"
import { fromBase58 } from "../../domain/Base58.ts"
import { type Hex, isHex, toHex } from "../../domain/Hex.ts"
import { findNetwork, isSolana } from "../../domain/Network.ts"
import { signatureBytes } from "../../domain/SolanaAddress.ts"
import { recoverSigner } from "../../fast/recoverSigner.ts"
import type { Chain } from "../evidence/Chain.ts"
import { isSignedBy } from "../exact/Ed25519.ts"
import type { WalletProof } from "./SignInProof.ts"

/** Longest signature of a contract wallet, in bytes. */
const maxContractSignature = 3_072

/** The hash of a message that a wallet signs (EIP-191). */
const personalHash = (message: string): Uint8Array => {
  const bytes = utf8ToBytes(message)
  return keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes))
}

/** An ordinary signature ends with 27 or 28; some wallets write 0 or 1. */
const withRecovery = (signature: Hex): Hex => {
  const end = signature.slice(-2)
  return end === "00" || end === "01" ? `0x${signature.slice(2, -2)}${end === "00" ? "1b" : "1c"}` : signature
}

const isSignedOnEvm = Effect.fnUntraced(function* (
  chain: Pick<Chain["Service"], "acceptsSignature" | "canRead">,
  { address, message, network, signature }: WalletProof,
  paidNetwork: string
) {
  if (!isHex(signature, 1, maxContractSignature)) return false
  const hash = personalHash(message)
  if (signature.length === 132) {
    const signer = yield* Effect.promise(async () => recoverSigner(hash, withRecovery(signature)))
    if (signer?.toLowerCase() === address.toLowerCase()) return true
  }
  // A contract at this address may belong to another owner on another chain.
  const evm = findNetwork(network)
  if (network !== paidNetwork || evm === undefined || !chain.canRead(network)) return false
  return (yield* chain.acceptsSignature(evm, address.toLowerCase(), toHex(hash), signature)) ?? false
})

/**
 * Whether the wallet of a proof has signed it. An ordinary account's signature counts for all EVM networks; that of a
 * contract (EIP-1271, EIP-6492) only on the network on which it has paid, and where that has an `rpcUrl`.
 */
export const isSignedByWallet = (
  chain: Pick<Chain["Service"], "acceptsSignature" | "canRead">,
  proof: WalletProof,
  paidNetwork: string
): Effect.Effect<boolean> => {
  if (!isSolana(proof.network)) return isSignedOnEvm(chain, proof, paidNetwork)
  const signature = fromBase58(proof.signature, signatureBytes)
  return signature === undefined
    ? Effect.succeed(false)
    : Effect.promise(() => isSignedBy(proof.address, signature, utf8ToBytes(proof.message)))
}
