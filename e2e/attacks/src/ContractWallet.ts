import { concatHex, hashTypedData, type Hex, pad, parseSignature, toHex } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { freshAccount } from "./Attacker.ts"
import type { LocalChain } from "./LocalChain.ts"
import { type Challenge, type Payment, sign, typedDataOf } from "./Payments.ts"

/** A contract on the local chain that pays, and the key of its owner. */
export interface ContractWallet {
  readonly address: Hex
  readonly owner: PrivateKeyAccount
}

/**
 * EIP-1271 in 60 bytes: `isValidSignature(hash, signature)` takes a signature of three words (v, r, s). It returns its
 * selector if `ecrecover` returns the owner, otherwise 0.
 */
const codeOf = (owner: Hex): Hex =>
  concatHex([
    // Memory: the hash, then v, r and s.
    "0x600435600052",
    "0x60606064602037",
    // ecrecover(hash, v, r, s) to 0x80.
    "0x602060806080600060015afa50",
    // The selector, or 0.
    concatHex(["0x60805173", owner, "0x14631626ba7e0260e01b600052"]),
    "0x60206000f3"
  ])

/** Deploys a wallet with 10 USDC. */
export const placeWallet = async ({ chain }: LocalChain): Promise<ContractWallet> => {
  const owner = freshAccount()
  const { address } = freshAccount()
  await chain.client.setCode({ address, bytecode: codeOf(owner.address) })
  await chain.mint(address, 10_000_000n)
  return { address, owner }
}

/** Pays from the wallet: its owner signs, in the wallet's format. */
export const signAsWallet = async (
  challenge: Challenge,
  { address, owner }: ContractWallet
): Promise<Payment> => {
  const payment = await sign(challenge, { account: owner, authorization: { from: address } })
  const hash = hashTypedData(typedDataOf(payment.accepted, payment.payload.authorization))
  const { r, s, v } = parseSignature(await owner.sign({ hash }))
  const signature = concatHex([pad(toHex(v!)), r, s])
  return { ...payment, payload: { ...payment.payload, signature } }
}
