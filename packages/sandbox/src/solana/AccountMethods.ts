import { address, lamports, type Address, type EncodedAccount } from "@solana/kit"
import { accountJson, uiTokenAmount } from "./RpcJson.ts"
import { invalidParams, RpcError, toAddress, type RpcOptions } from "./RpcParams.ts"
import type { RpcView } from "./RpcView.ts"
import type { SolanaVm } from "./SolanaVm.ts"
import { readMint, readTokenAccount, tokenPrograms } from "./Tokens.ts"
import type { RpcMethod } from "./TransactionMethods.ts"

/** The most accounts of one call, as on the public networks. */
const maxAccounts = 100

/** The account in which the chain keeps its time: https://docs.anza.xyz/runtime/sysvars#clock */
const clockAddress = address("SysvarC1ock11111111111111111111111111111111")

const clockAt = (account: EncodedAccount, slot: bigint, seconds: number): EncodedAccount => {
  const data = new Uint8Array(account.data)
  const view = new DataView(data.buffer)
  view.setBigUint64(0, slot, true)
  view.setBigInt64(32, BigInt(seconds), true)
  return { ...account, data }
}

/** An account. The chain's clock is read as of the block that the caller wants; all others are as of the latest. */
const accountFor = (vm: SolanaVm, address: Address, options: RpcOptions): EncodedAccount | undefined => {
  const account = vm.account(address)
  if (address !== clockAddress || account === undefined || !options.finalizedOnly) return account
  return clockAt(account, vm.finalSlot, vm.secondsAt(vm.finalSlot))
}

const tokenAmount = (vm: SolanaVm, address: Address) => {
  const token = readTokenAccount(vm.account(address))
  if (token === undefined) throw invalidParams("could not find account.")
  const mint = readMint(vm.account(token.mint))
  return uiTokenAmount(token.amount, mint?.decimals)
}

const tokenAccountsOf = (vm: SolanaVm, owner: Address, filter: RpcOptions): ReadonlyArray<EncodedAccount> => {
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

/** The methods that read accounts and give them coins. */
export const accountMethods = (vm: SolanaVm, view: RpcView): ReadonlyArray<readonly [string, RpcMethod]> => [
  ["getMinimumBalanceForRentExemption", (params) => Number(vm.rentExemption(params.wholeNumber(0)))],
  ["getBalance", (params) => view.inContext(Number(vm.account(params.address(0))?.lamports ?? 0n))],
  [
    "getAccountInfo",
    (params) => {
      const options = params.options(1)
      const slot = view.slotFor(options)
      options.requireSlot(slot)
      const account = accountFor(vm, params.address(0), options)
      return view.inContext(accountJson(account, options.encoding("base64"), options.slice), slot)
    }
  ],
  [
    "getMultipleAccounts",
    (params) => {
      const options = params.options(1)
      const encoding = options.encoding("base64")
      const accounts = params.list(0, maxAccounts).map((each) => vm.account(toAddress(each)))
      return view.inContext(accounts.map((account) => accountJson(account, encoding, options.slice)))
    }
  ],
  ["getTokenAccountBalance", (params) => view.inContext(tokenAmount(vm, params.address(0)))],
  [
    "getTokenAccountsByOwner",
    (params) => {
      const options = params.options(2)
      const encoding = options.encoding("base64")
      return view.inContext(
        tokenAccountsOf(vm, params.address(0), params.options(1)).map((account) => ({
          pubkey: account.address,
          account: accountJson(account, encoding, options.slice)
        }))
      )
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
]
