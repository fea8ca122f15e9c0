import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Chain } from "@till402/sandbox"
import {
  concatHex,
  getContractAddress,
  hashTypedData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseSignature,
  serializeErc6492Signature,
  size,
  toHex
} from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { messageOf, newAddress, paymentOf, termsOf } from "./relayers.ts"

/*
 * Contract wallets (EIP-1271) on the local chain, some not created yet (EIP-6492).
 */

/** `isValidSignature(hash, signature)` over a signature of three words (v, r, s): its selector for the owner's, else 0. */
const walletCode = (owner: Hex): Hex =>
  concatHex([
    "0x600435600052",
    "0x60606064602037",
    "0x602060806080600060015afa50",
    concatHex(["0x60805173", owner, "0x14631626ba7e0260e01b600052"]),
    "0x60206000f3"
  ])

/** Hashes a megabyte of memory first, which takes about 2.4 million gas. */
const greedyCode = (owner: Hex): Hex => concatHex(["0x6210000060002050", walletCode(owner)])

export interface WalletPayment {
  readonly owner: PrivateKeyAccount
  readonly address: Hex
}

const newOwner = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

export const placeWallet = async (chain: Chain, isGreedy = false): Promise<WalletPayment> => {
  const owner = newOwner()
  const address = newAddress()
  const bytecode = isGreedy ? greedyCode(owner.address) : walletCode(owner.address)
  await chain.client.setCode({ address, bytecode })
  await chain.mint(address, 1_000_000n)
  return { owner, address }
}

/** A payment that the wallet's owner signs, in the wallet's format. */
export const walletPayment = async (
  chain: Chain,
  { address, owner }: WalletPayment,
  wrap: (signature: Hex) => Hex = (signature) => signature
) => {
  const terms = termsOf(address)
  const { r, s, v } = parseSignature(await owner.sign({ hash: hashTypedData(messageOf(chain, terms)) }))
  return { terms, ...paymentOf(chain, terms, wrap(concatHex([pad(toHex(v!)), r, s]))) }
}

/** A factory that anvil has from the start: it creates contracts from a salt and their creation code. */
export const factory: Hex = "0x4e59b44847b379578588920cA78FbF26c0B4956C"

/** At this address on every public network. */
export const multicall3: Hex = "0xcA11bde05977b3631167028862bE2a173976CA11"

/** Deploys Multicall3. viem ships the contract's creation code and doesn't export it. */
export const placeMulticall = async ({ client }: Chain): Promise<void> => {
  const require = createRequire(import.meta.url)
  const constants = join(dirname(require.resolve("viem")), "constants/contracts.js")
  const { data } = await client.call({ data: require(constants).multicall3Bytecode })
  await client.setCode({ address: multicall3, bytecode: data! })
}

/** A wallet with money that isn't created yet. */
export const plannedWallet = async (chain: Chain) => {
  const owner = newOwner()
  const code = walletCode(owner.address)
  const bytecode = concatHex(["0x60", numberToHex(size(code), { size: 1 }), "0x80600b6000396000f3", code])
  const salt = pad("0x01")
  const address = getContractAddress({
    opcode: "CREATE2",
    from: factory,
    salt,
    bytecodeHash: keccak256(bytecode)
  })
  await chain.mint(address, 1_000_000n)
  const data = concatHex([salt, bytecode])
  const wrap = (signature: Hex): Hex => serializeErc6492Signature({ address: factory, data, signature })
  const create = () => chain.client.sendTransaction({ to: factory, data })
  return { owner, address, wrap, create }
}

/** Hashes 200 KB of memory, then accepts any signature. */
const acceptAfterWork = "6203000060002050631626ba7e60e01b60005260206000f3"

/** Accepts any signature where its caller pays no fees, as simulations do by default; else it uses up all gas. */
export const feeSensingCode: Hex = `0x3a15600657fe5b${acceptAfterWork}`

/** Accepts any signature until its owner changes its storage. */
const switchedCode: Hex = `0x60005415600857fe5b${acceptAfterWork}`

/** A wallet of an attacker, with money for some payments. */
export const placeHostileWallet = async (chain: Chain, bytecode: Hex = switchedCode) => {
  const address = newAddress()
  await chain.client.setCode({ address, bytecode })
  await chain.mint(address, 100_000n)
  return {
    address,
    pay: () => {
      const terms = termsOf(address)
      const signature = pad("0x11", { size: 96 })
      return { terms, signature, ...paymentOf(chain, terms, signature) }
    },
    /** Lets it accept signatures, or refuse them. */
    turn: (accepts: boolean) =>
      chain.client.setStorageAt({ address, index: pad("0x0"), value: pad(accepts ? "0x0" : "0x1") })
  }
}
