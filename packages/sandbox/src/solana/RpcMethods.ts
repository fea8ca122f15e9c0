import { address, lamports, type Address, type EncodedAccount } from "@solana/kit"
import { accountJson, statusJson, transactionJson, uiTokenAmount } from "./RpcJson.ts"
import { invalidParams, RpcError, toAddress, type RpcOptions, type RpcParams } from "./RpcParams.ts"
import { blockhashLifetime, slotsWithoutBlock } from "./Slots.ts"
import type { LandedTransaction, SolanaVm } from "./SolanaVm.ts"
import { readMint, readTokenAccount, tokenPrograms } from "./Tokens.ts"
import { type RpcMethod, transactionMethods } from "./TransactionMethods.ts"

/*
 * The methods of Solana's JSON-RPC that payments need: https://solana.com/docs/rpc/http
 */

/** The most statuses and accounts of one call, as on the public networks. */
const maxStatuses = 256
const maxAccounts = 100
const maxSignatures = 1_000
const maxBlocks = 500_000

/** The account in which the chain keeps its time: https://docs.anza.xyz/runtime/sysvars#clock */
const clockAddress = address("SysvarC1ock11111111111111111111111111111111")

const clockAt = (account: EncodedAccount, slot: bigint, seconds: number): EncodedAccount => {
  const data = new Uint8Array(account.data)
  const view = new DataView(data.buffer)
  view.setBigUint64(0, slot, true)
  view.setBigInt64(32, BigInt(seconds), true)
  return { ...account, data }
}

/** All methods over this machine, by name. `genesisHash` tells which network the chain is. */
export const makeMethods = (vm: SolanaVm, genesisHash: string): ReadonlyMap<string, RpcMethod> => {
  const slotFor = (options: RpcOptions): bigint => (options.finalizedOnly ? vm.finalSlot : vm.slot)
  const heightFor = (options: RpcOptions): bigint => slotFor(options) - slotsWithoutBlock
  const inContext = (value: unknown, slot = vm.slot) => ({
    context: { apiVersion: "3.1.0", slot: Number(slot) },
    value
  })

  /** An account. The chain's clock is read as of the block that the caller wants; all others are as of the latest. */
  const accountFor = (address: Address, options: RpcOptions): EncodedAccount | undefined => {
    const account = vm.account(address)
    if (address !== clockAddress || account === undefined || !options.finalizedOnly) return account
    return clockAt(account, vm.finalSlot, vm.secondsAt(vm.finalSlot))
  }
  const isFinal = (landed: LandedTransaction): boolean => landed.slot <= vm.finalSlot

  const tokenAmount = (address: Address) => {
    const token = readTokenAccount(vm.account(address))
    if (token === undefined) throw invalidParams("could not find account.")
    const mint = readMint(vm.account(token.mint))
    return uiTokenAmount(token.amount, mint?.decimals)
  }

  const tokenAccountsOf = (owner: Address, filter: RpcOptions): ReadonlyArray<EncodedAccount> => {
    const mint = filter.address("mint")
    const program = filter.address("programId")
    if (mint === undefined && program === undefined) throw invalidParams("give a mint or a programId.")
    if (program !== undefined && !tokenPrograms.has(program)) throw invalidParams("unrecognized program.")
    return [...tokenPrograms.keys()]
      .filter((each) => program === undefined || each === program)
      .flatMap((each) => vm.accountsOf(each))
      .filter((account) => {
        const token = readTokenAccount(account)
        return token?.owner === owner && (mint === undefined || token.mint === mint)
      })
  }

  const statusOf = (signature: string, old: boolean) => {
    const landed = vm.transaction(signature)
    // Nodes keep the statuses of the latest 150 slots at hand, and search for others only if told to.
    if (landed === undefined || (!old && landed.slot + blockhashLifetime < vm.slot)) return null
    return {
      slot: Number(landed.slot),
      confirmations: isFinal(landed) ? null : Number(vm.slot - landed.slot),
      err: landed.error,
      status: statusJson(landed.error),
      confirmationStatus: isFinal(landed) ? "finalized" : "confirmed"
    }
  }

  return new Map<string, RpcMethod>([
    ...transactionMethods(vm, inContext),
    ["getHealth", () => "ok"],
    ["getVersion", () => ({ "solana-core": "3.1.0", "feature-set": 0 })],
    ["getGenesisHash", () => genesisHash],
    [
      "getSlot",
      (params) => {
        const options = params.options(0)
        // Transactions still land in the present slot: the newest block that is complete is the one before.
        return Number(options.finalizedOnly ? vm.finalSlot : vm.slot - 1n)
      }
    ],
    ["getBlockHeight", (params) => Number(heightFor(params.options(0)))],
    [
      "getEpochInfo",
      (params) => {
        const slot = slotFor(params.options(0))
        return {
          absoluteSlot: Number(slot),
          blockHeight: Number(slot - slotsWithoutBlock),
          epoch: 0,
          slotIndex: Number(slot),
          slotsInEpoch: 432_000,
          transactionCount: null
        }
      }
    ],
    ["getFirstAvailableBlock", () => 0],
    ["getBlockTime", (params) => vm.secondsAt(params.wholeNumber(0))],
    ["getBlocksWithLimit", (params) => blocksFrom(vm, params)],
    [
      "getLatestBlockhash",
      () => {
        const { blockhash, lastValidBlockHeight } = vm.latestBlockhash
        return inContext({ blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) })
      }
    ],
    [
      "isBlockhashValid",
      (params) => {
        const options = params.options(1)
        const slot = slotFor(options)
        options.requireSlot(slot)
        return inContext(vm.isBlockhashValid(params.text(0), heightFor(options)), slot)
      }
    ],
    ["getMinimumBalanceForRentExemption", (params) => Number(vm.rentExemption(params.wholeNumber(0)))],
    ["getBalance", (params) => inContext(Number(vm.account(params.address(0))?.lamports ?? 0n))],
    [
      "getAccountInfo",
      (params) => {
        const options = params.options(1)
        const slot = slotFor(options)
        options.requireSlot(slot)
        const account = accountFor(params.address(0), options)
        return inContext(accountJson(account, options.encoding("base64"), options.slice), slot)
      }
    ],
    [
      "getMultipleAccounts",
      (params) => {
        const options = params.options(1)
        const encoding = options.encoding("base64")
        const accounts = params.list(0, maxAccounts).map((each) => vm.account(toAddress(each)))
        return inContext(accounts.map((account) => accountJson(account, encoding, options.slice)))
      }
    ],
    ["getTokenAccountBalance", (params) => inContext(tokenAmount(params.address(0)))],
    [
      "getTokenAccountsByOwner",
      (params) => {
        const options = params.options(2)
        const encoding = options.encoding("base64")
        return inContext(
          tokenAccountsOf(params.address(0), params.options(1)).map((account) => ({
            pubkey: account.address,
            account: accountJson(account, encoding, options.slice)
          }))
        )
      }
    ],
    [
      "getSignatureStatuses",
      (params) => {
        const old = params.options(1).flag("searchTransactionHistory")
        return inContext(params.list(0, maxStatuses).map((each) => statusOf(String(each), old)))
      }
    ],
    [
      "getTransaction",
      (params) => {
        const options = params.options(1)
        const encoding = options.encoding("json")
        const landed = vm.transaction(params.text(0))
        if (landed === undefined || (options.finalizedOnly && !isFinal(landed))) return null
        if (landed.wire.message.version !== "legacy" && !options.has("maxSupportedTransactionVersion")) {
          throw new RpcError(
            -32015,
            "Transaction version (0) is not supported by the requesting client. Please try the request again with " +
              'the following configuration parameter: "maxSupportedTransactionVersion": 0'
          )
        }
        return transactionJson(landed, encoding)
      }
    ],
    [
      "getSignaturesForAddress",
      (params) => {
        const options = params.options(1)
        options.requireSlot(slotFor(options))
        return signaturesFor(vm, params.address(0), {
          limit: Math.min(options.wholeNumber("limit", maxSignatures), maxSignatures),
          before: options.text("before"),
          until: options.text("until"),
          counts: (landed) => !options.finalizedOnly || isFinal(landed),
          isFinal
        })
      }
    ],
    [
      "requestAirdrop",
      (params) => {
        const signature = vm.airdrop(params.address(0), lamports(params.wholeNumber(1)))
        if (signature === undefined) throw new RpcError(-32603, "The airdrop failed.")
        return signature
      }
    ]
  ])
}

/** Each slot has a block. */
const blocksFrom = (vm: SolanaVm, params: RpcParams): ReadonlyArray<number> => {
  const start = params.wholeNumber(0)
  const end = params.options(2).finalizedOnly ? vm.finalSlot : vm.slot
  const count = Math.min(Number(params.wholeNumber(1)), maxBlocks, Math.max(0, Number(end - start) + 1))
  return Array.from({ length: count }, (_, index) => Number(start) + index)
}

/** Newest first, from the transaction after `before` down to the one above `until`. */
const signaturesFor = (
  vm: SolanaVm,
  address: Address,
  options: {
    readonly limit: number
    readonly before: string | undefined
    readonly until: string | undefined
    readonly counts: (landed: LandedTransaction) => boolean
    readonly isFinal: (landed: LandedTransaction) => boolean
  }
) => {
  const all = [...vm.transactions()].toReversed()
  const { before, until } = options
  const place = all.findIndex((each) => each.signature === before)
  // As a node does that doesn't know it.
  if (before !== undefined && place === -1) return []
  const end = until === undefined ? -1 : all.findIndex((each) => each.signature === until)
  return all
    .slice(place + 1, end < 0 ? undefined : end)
    .filter((landed) => landed.accounts.includes(address) && options.counts(landed))
    .slice(0, options.limit)
    .map((landed) => ({
      signature: landed.signature,
      slot: Number(landed.slot),
      err: landed.error,
      memo: null,
      blockTime: landed.blockTimeSeconds,
      confirmationStatus: options.isFinal(landed) ? "finalized" : "confirmed"
    }))
}
