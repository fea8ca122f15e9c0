import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import type { RefundTransfer } from "@till402/core"
import { type Address, getAddressDecoder } from "@solana/kit"
import { Effect } from "effect"
import { MintUnknown, PayeeAccountMissing, WalletUnderfunded } from "./RefundErrors.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import type { SolanaNode } from "./SolanaNode.ts"
import { associatedAccount, computeUnits, tokenPrograms, type TransferTerms } from "./TransferMessage.ts"

/** A transfer whose addresses have been checked. */
export interface CheckedTransfer extends RefundTransfer {
  readonly payee: Address
  readonly asset: Address
}

/** The wallet that sends transfers, and what it pays for them. */
export interface TransferPayer {
  readonly payer: Address
  readonly microLamports: number
  readonly createsAccounts: boolean
}

/** An account that has less than this is refused: the least that accounts without data must have. */
const leastLamports = 890_880n
/** Price of one signature. */
const signatureLamports = 5_000n
/** What a token account must have, extensions of Token-2022 included. */
const accountLamports = 2_100_000n

/** The fee of a transfer, rounded up. */
const feeOf = (microLamports: number): bigint =>
  signatureLamports + (BigInt(computeUnits) * BigInt(microLamports)) / 1_000_000n + 1n

/** Offsets in the data of mints and token accounts: https://github.com/solana-program/token */
const decimalsAt = 44
const ownerAt = 32
const amountAt = 64
const stateAt = 108
const initialized = 1

const readToken = Effect.fnUntraced(function* (node: SolanaNode, mint: Address) {
  const account = yield* node.account(mint)
  const tokenProgram = tokenPrograms.find((program) => program === account?.owner)
  const decimals = account?.data[decimalsAt]
  return tokenProgram === undefined || decimals === undefined
    ? yield* new MintUnknown({ mint })
    : { decimals, tokenProgram }
})

/** Whether a token account belongs to its wallet still, and isn't frozen. */
const canReceive = (data: Uint8Array | undefined, owner: Address): boolean =>
  data !== undefined &&
  data[stateAt] === initialized &&
  getAddressDecoder().decode(data.slice(ownerAt, amountAt)) === owner

export type PreparationFault = MintUnknown | PayeeAccountMissing | WalletUnderfunded | NodeFault

/** Returns the terms of a transfer. Fails if the transfer can't succeed now: then nothing is signed. */
export const prepareTransfer = Effect.fnUntraced(function* (
  node: SolanaNode,
  { createsAccounts, microLamports, payer }: TransferPayer,
  transfer: CheckedTransfer
): Effect.fn.Return<TransferTerms, PreparationFault> {
  const { amountAtomic, asset: mint, key, payee } = transfer
  const { decimals, tokenProgram } = yield* readToken(node, mint)
  const accountOf = (owner: Address) =>
    Effect.flatMap(
      Effect.promise(() => associatedAccount(owner, mint, tokenProgram)),
      (found) => node.account(found)
    )
  const source = yield* accountOf(payer)
  if (source === undefined || source.data.length < stateAt)
    return yield* new WalletUnderfunded({ asset: mint })
  const balance = new DataView(source.data.buffer).getBigUint64(amountAt, true)
  if (balance < amountAtomic) return yield* new WalletUnderfunded({ asset: mint })
  const target = yield* accountOf(payee)
  const createsAccount = target === undefined && createsAccounts
  if (!createsAccount && !canReceive(target?.data, payee)) return yield* new PayeeAccountMissing()
  const lamports = (yield* node.account(payer))?.lamports ?? 0n
  const needed = leastLamports + feeOf(microLamports)
  if (lamports < needed + (createsAccount ? accountLamports : 0n)) {
    return yield* new WalletUnderfunded({ asset: "SOL" })
  }
  const memo = `till402 refund ${bytesToHex(sha256(key))}`
  return { payer, payee, mint, tokenProgram, decimals, amountAtomic, memo, microLamports, createsAccount }
})
