import { getBase64Encoder, lamports, type Address, type EncodedAccount } from "@solana/kit"
import { accountJson, innerInstructionsJson, statusJson, transactionJson, uiTokenAmount } from "./RpcJson.ts"
import { invalidParams, RpcError, toAddress, type RpcOptions, type RpcParams } from "./RpcParams.ts"
import { blockhashLifetime, finalitySlots } from "./Slots.ts"
import type { LandedTransaction, Outcome, SolanaVm } from "./SolanaVm.ts"
import { readMint, readTokenAccount, tokenPrograms } from "./Tokens.ts"
import { maxTransactionBytes, readTransaction, type WireTransaction } from "./WireTransaction.ts"

/*
 * The methods of Solana's JSON-RPC that payments need: https://solana.com/docs/rpc/http
 */

export type RpcMethod = (params: RpcParams) => unknown

/** The most statuses and accounts of one call, as on the public networks. */
const maxStatuses = 256
const maxAccounts = 100
const maxSignatures = 1_000

const readWire = (params: RpcParams, options: RpcOptions): WireTransaction => {
  const wire = readTransaction(params.text(0), options.wireEncoding)
  if (wire === undefined) {
    throw invalidParams(`failed to deserialize a transaction of at most ${maxTransactionBytes} bytes.`)
  }
  return wire
}

/** All methods over this machine, by name. `genesisHash` tells which network the chain is. */
export const makeMethods = (vm: SolanaVm, genesisHash: string): ReadonlyMap<string, RpcMethod> => {
  const inContext = (value: unknown) => ({ context: { apiVersion: "3.1.0", slot: Number(vm.slot) }, value })
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
    ["getSlot", (params) => Number(params.options(0).finalizedOnly ? vm.finalSlot : vm.slot)],
    [
      "getBlockHeight",
      (params) => Number(vm.blockHeight - (params.options(0).finalizedOnly ? finalitySlots : 0n))
    ],
    [
      "getLatestBlockhash",
      () => {
        const { blockhash, lastValidBlockHeight } = vm.latestBlockhash
        return inContext({ blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) })
      }
    ],
    ["isBlockhashValid", (params) => inContext(vm.isBlockhashValid(params.text(0)))],
    ["getMinimumBalanceForRentExemption", (params) => Number(vm.rentExemption(params.wholeNumber(0)))],
    ["getBalance", (params) => inContext(Number(vm.account(params.address(0))?.lamports ?? 0n))],
    [
      "getAccountInfo",
      (params) => {
        const options = params.options(1)
        const account = vm.account(params.address(0))
        return inContext(accountJson(account, options.encoding("base64"), options.slice))
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
  const start = before === undefined ? 0 : all.findIndex((each) => each.signature === before) + 1
  const end = until === undefined ? -1 : all.findIndex((each) => each.signature === until)
  return all
    .slice(start, end < 0 ? undefined : end)
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

const simulationJson = ({ error, meta }: Outcome) => ({
  err: error,
  logs: meta?.logs() ?? [],
  unitsConsumed: Number(meta?.computeUnitsConsumed() ?? 0n),
  accounts: null,
  returnData: null
})

const transactionMethods = (
  vm: SolanaVm,
  inContext: (value: unknown) => unknown
): ReadonlyArray<readonly [string, RpcMethod]> => [
  [
    "simulateTransaction",
    (params) => {
      const options = params.options(1)
      const wire = readWire(params, options)
      const verifySignatures = options.flag("sigVerify")
      const replaces = options.flag("replaceRecentBlockhash")
      if (verifySignatures && replaces) {
        throw invalidParams("sigVerify may not be used with replaceRecentBlockhash.")
      }
      const outcome = vm.simulate(wire, { verifySignatures, checkBlockhash: !replaces })
      if (outcome.error === "SignatureFailure") throw signatureFailure()
      const { blockhash, lastValidBlockHeight } = vm.latestBlockhash
      return inContext({
        ...simulationJson(outcome),
        ...(replaces
          ? { replacementBlockhash: { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) } }
          : {}),
        innerInstructions: options.flag("innerInstructions")
          ? innerInstructionsJson(outcome.meta, wire.message.staticAccounts, "jsonParsed")
          : null
      })
    }
  ],
  [
    "sendTransaction",
    (params) => {
      const options = params.options(1)
      const wire = readWire(params, options)
      if (!options.flag("skipPreflight")) {
        const outcome = vm.simulate(wire, { verifySignatures: true, checkBlockhash: true })
        if (outcome.error === "SignatureFailure") throw signatureFailure()
        if (outcome.error !== null) {
          throw new RpcError(
            -32002,
            `Transaction simulation failed: ${JSON.stringify(outcome.error)}`,
            simulationJson(outcome)
          )
        }
      }
      // Without a preflight check, a node doesn't report that it drops a transaction.
      vm.send(wire)
      return wire.signatures[0]
    }
  ],
  [
    "getFeeForMessage",
    (params) => {
      const signers = new Uint8Array(getBase64Encoder().encode(params.text(0)))
      // The first byte is the version of a message that isn't of the legacy format.
      const count = (signers[0] ?? 0) > 127 ? signers[1] : signers[0]
      return inContext(5_000 * (count ?? 1))
    }
  ],
  ["getRecentPrioritizationFees", () => [{ slot: Number(vm.slot), prioritizationFee: 0 }]]
]

const signatureFailure = (): RpcError => new RpcError(-32003, "Transaction signature verification failure")
