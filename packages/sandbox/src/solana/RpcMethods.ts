import { accountMethods } from "./AccountMethods.ts"
import { historyMethods } from "./HistoryMethods.ts"
import type { RpcParams } from "./RpcParams.ts"
import { RpcView } from "./RpcView.ts"
import { slotsWithoutBlock } from "./Slots.ts"
import type { SolanaVm } from "./SolanaVm.ts"
import { type RpcMethod, transactionMethods } from "./TransactionMethods.ts"

/*
 * The methods of Solana's JSON-RPC that payments need: https://solana.com/docs/rpc/http
 */

/** The most blocks of one call, as on the public networks. */
const maxBlocks = 500_000

/** Each slot has a block. */
const blocksFrom = (vm: SolanaVm, params: RpcParams): ReadonlyArray<number> => {
  const start = params.wholeNumber(0)
  const end = params.options(2).finalizedOnly ? vm.finalSlot : vm.slot
  const count = Math.min(Number(params.wholeNumber(1)), maxBlocks, Math.max(0, Number(end - start) + 1))
  return Array.from({ length: count }, (_, index) => Number(start) + index)
}

/** The methods that read slots, blocks and blockhashes. */
const blockMethods = (vm: SolanaVm, view: RpcView): ReadonlyArray<readonly [string, RpcMethod]> => [
  [
    "getSlot",
    (params) => {
      const options = params.options(0)
      // Transactions still land in the present slot: the newest block that is complete is the one before.
      return Number(options.finalizedOnly ? vm.finalSlot : vm.slot - 1n)
    }
  ],
  ["getBlockHeight", (params) => Number(view.heightFor(params.options(0)))],
  [
    "getEpochInfo",
    (params) => {
      const slot = view.slotFor(params.options(0))
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
      return view.inContext({ blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) })
    }
  ],
  [
    "isBlockhashValid",
    (params) => {
      const options = params.options(1)
      const slot = view.slotFor(options)
      options.requireSlot(slot)
      return view.inContext(vm.isBlockhashValid(params.text(0), view.heightFor(options)), slot)
    }
  ]
]

/** All methods over this machine, by name. `genesisHash` tells which network the chain is. */
export const makeMethods = (vm: SolanaVm, genesisHash: string): ReadonlyMap<string, RpcMethod> => {
  const view = new RpcView(vm)
  return new Map<string, RpcMethod>([
    ["getHealth", () => "ok"],
    ["getVersion", () => ({ "solana-core": "3.1.0", "feature-set": 0 })],
    ["getGenesisHash", () => genesisHash],
    ...blockMethods(vm, view),
    ...accountMethods(vm, view),
    ...historyMethods(vm, view),
    ...transactionMethods(vm, view)
  ])
}
