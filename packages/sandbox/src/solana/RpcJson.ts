import {
  getBase58Decoder,
  getBase64Decoder,
  type Address,
  type EncodedAccount,
  type ReadonlyUint8Array
} from "@solana/kit"
import { AccountState } from "@solana-program/token"
import type { TransactionMetadata } from "litesvm"
import { readMint, readTokenAccount, tokenDecimals, tokenPrograms } from "./Tokens.ts"
import type { Balances, LandedTransaction } from "./SolanaVm.ts"
import type { WireTransaction } from "./WireTransaction.ts"

/*
 * Values of Solana's JSON-RPC: https://solana.com/docs/rpc/json-structures
 */

export type Encoding = "base58" | "base64" | "json" | "jsonParsed"

const base64 = (bytes: ReadonlyUint8Array): string => getBase64Decoder().decode(bytes)
const base58 = (bytes: ReadonlyUint8Array): string => getBase58Decoder().decode(bytes)

/** An amount of a token with `decimals` decimals. */
export const uiTokenAmount = (amount: bigint, decimals = tokenDecimals) => {
  const digits = String(amount).padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const uiAmountString = fraction === "" ? whole : `${whole}.${fraction}`
  return { amount: String(amount), decimals, uiAmount: Number(uiAmountString), uiAmountString }
}

const states: Readonly<Record<AccountState, string>> = {
  [AccountState.Uninitialized]: "uninitialized",
  [AccountState.Initialized]: "initialized",
  [AccountState.Frozen]: "frozen"
}

const parsed = (account: EncodedAccount) => {
  const program = tokenPrograms.get(account.programAddress)
  const token = readTokenAccount(account)
  const space = account.data.length
  if (token !== undefined) {
    const info = {
      mint: token.mint,
      owner: token.owner,
      state: states[token.state],
      isNative: false,
      tokenAmount: uiTokenAmount(token.amount)
    }
    return { program, space, parsed: { type: "account", info } }
  }
  const mint = readMint(account)
  if (mint === undefined) return undefined
  const { decimals, freezeAuthority, mintAuthority, supply } = mint
  const info = {
    decimals,
    freezeAuthority: freezeAuthority.__option === "Some" ? freezeAuthority.value : null,
    isInitialized: true,
    mintAuthority: mintAuthority.__option === "Some" ? mintAuthority.value : null,
    supply: String(supply)
  }
  return { program, space, parsed: { type: "mint", info } }
}

export interface DataSlice {
  readonly offset: number
  readonly length: number
}

/** An account; `null` if it doesn't exist. Data that can't be parsed is base64, as on a real node. */
export const accountJson = (account: EncodedAccount | undefined, encoding: Encoding, slice?: DataSlice) => {
  if (account === undefined) return null
  const { data } = account
  const part = slice === undefined ? data : data.slice(slice.offset, slice.offset + slice.length)
  const encoded = encoding === "base58" ? [base58(part), "base58"] : [base64(part), "base64"]
  return {
    data: (encoding === "jsonParsed" ? parsed(account) : undefined) ?? encoded,
    executable: account.executable,
    lamports: Number(account.lamports),
    owner: account.programAddress,
    rentEpoch: 0,
    space: data.length
  }
}

const tokenBalances = ({ tokens }: Balances) =>
  tokens.map(({ accountIndex, amount, mint, owner, program }) => ({
    accountIndex,
    mint,
    owner,
    programId: program,
    uiTokenAmount: uiTokenAmount(amount)
  }))

/** Instructions that programs called, by the instruction that called them. */
export const innerInstructionsJson = (
  meta: TransactionMetadata | undefined,
  accounts: ReadonlyArray<Address>,
  encoding: Encoding
) =>
  (meta?.innerInstructions() ?? []).flatMap((calls, index) =>
    calls.length === 0
      ? []
      : [
          {
            index,
            instructions: calls.map((call) => {
              const instruction = call.instruction()
              return instructionJson(
                {
                  programAddressIndex: instruction.programIdIndex(),
                  accountIndices: [...instruction.accounts()],
                  data: instruction.data()
                },
                accounts,
                encoding,
                call.stackHeight()
              )
            })
          }
        ]
  )

interface CompiledInstruction {
  readonly programAddressIndex: number
  readonly accountIndices?: ReadonlyArray<number>
  readonly data?: ReadonlyUint8Array
}

/** In `jsonParsed`, accounts are addresses. No program's instructions are parsed further. */
const instructionJson = (
  { accountIndices = [], data, programAddressIndex }: CompiledInstruction,
  accounts: ReadonlyArray<Address>,
  encoding: Encoding,
  stackHeight: number | null
) => {
  const shared = { data: base58(data ?? new Uint8Array()), stackHeight }
  return encoding === "jsonParsed"
    ? {
        programId: accounts[programAddressIndex],
        accounts: accountIndices.map((index) => accounts[index]),
        ...shared
      }
    : { programIdIndex: programAddressIndex, accounts: [...accountIndices], ...shared }
}

const messageJson = ({ accounts, wire: { message } }: LandedTransaction, encoding: Encoding) => {
  const { header, instructions, lifetimeToken, staticAccounts } = message
  const signers = header.numSignerAccounts
  const writable = (index: number): boolean =>
    index < signers
      ? index < signers - header.numReadonlySignerAccounts
      : index < staticAccounts.length - header.numReadonlyNonSignerAccounts
  const lookups = "addressTableLookups" in message ? (message.addressTableLookups ?? []) : []
  return {
    accountKeys:
      encoding === "jsonParsed"
        ? staticAccounts.map((pubkey, index) => ({
            pubkey,
            signer: index < signers,
            source: "transaction",
            writable: writable(index)
          }))
        : staticAccounts,
    ...(encoding === "jsonParsed"
      ? {}
      : {
          header: {
            numRequiredSignatures: signers,
            numReadonlySignedAccounts: header.numReadonlySignerAccounts,
            numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts
          }
        }),
    instructions: instructions.map((each) => instructionJson(each, accounts, encoding, 1)),
    recentBlockhash: lifetimeToken,
    ...(message.version === "legacy"
      ? {}
      : {
          addressTableLookups: lookups.map((lookup) => ({
            accountKey: lookup.lookupTableAddress,
            writableIndexes: lookup.writableIndexes,
            readonlyIndexes: lookup.readonlyIndexes
          }))
        })
  }
}

const encodedTransaction = (landed: LandedTransaction, encoding: Encoding) => {
  const wire: WireTransaction = landed.wire
  if (encoding === "base58") return [base58(wire.bytes), "base58"]
  if (encoding === "base64") return [base64(wire.bytes), "base64"]
  return { message: messageJson(landed, encoding), signatures: wire.signatures }
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, each) => total + each, 0n)

/** A transaction with its metadata: https://solana.com/docs/rpc/http/gettransaction */
export const transactionJson = (landed: LandedTransaction, encoding: Encoding) => {
  const { accounts, after, before, error, loaded, meta, slot, wire } = landed
  return {
    slot: Number(slot),
    blockTime: landed.blockTimeSeconds,
    meta: {
      err: error,
      status: statusJson(error),
      // Lamports that left all accounts of the transaction.
      fee: Number(sum(before.lamports) - sum(after.lamports)),
      preBalances: before.lamports.map(Number),
      postBalances: after.lamports.map(Number),
      preTokenBalances: tokenBalances(before),
      postTokenBalances: tokenBalances(after),
      innerInstructions: innerInstructionsJson(meta, accounts, encoding),
      logMessages: meta.logs(),
      loadedAddresses: loaded,
      rewards: [],
      computeUnitsConsumed: Number(meta.computeUnitsConsumed())
    },
    transaction: encodedTransaction(landed, encoding),
    version: wire.message.version
  }
}

export const statusJson = (error: LandedTransaction["error"]) =>
  error === null ? { Ok: null } : { Err: error }
