import { type Chain, usdcAbi } from "@till402/sandbox"
import type { Address } from "viem"
import type { Transfer } from "../Audit.ts"

/** A node returns the events of this many blocks in time. */
const spanBlocks = 2_000n

/** Reads events of all blocks, span by span. */
export const readSpans = async <A>(
  { client }: Chain,
  read: (span: { readonly fromBlock: bigint; readonly toBlock: bigint }) => Promise<ReadonlyArray<A>>
): Promise<ReadonlyArray<A>> => {
  const last = await client.getBlockNumber()
  const found: Array<A> = []
  for (let fromBlock = 0n; fromBlock <= last; fromBlock += spanBlocks) {
    found.push(...(await read({ fromBlock, toBlock: fromBlock + spanBlocks - 1n })))
  }
  return found
}

/** USDC that moved to `payTo`, with the nonce of the authorization that moved it. */
export const readTransfers = async ({
  chain,
  payTo
}: {
  readonly chain: Chain
  readonly payTo: Address
}): Promise<ReadonlyArray<Transfer>> => {
  const token = { address: chain.usdc, abi: usdcAbi } as const
  const [moves, uses] = await Promise.all([
    readSpans(chain, (span) =>
      chain.client.getContractEvents({ ...token, ...span, eventName: "Transfer", args: { to: payTo } })
    ),
    readSpans(chain, (span) =>
      chain.client.getContractEvents({ ...token, ...span, eventName: "AuthorizationUsed" })
    )
  ])
  const noncesOf = Map.groupBy(uses, ({ transactionHash }) => transactionHash)
  return moves.map(({ args, transactionHash }) => {
    const [used, ...others] = noncesOf.get(transactionHash) ?? []
    if (used?.args.nonce === undefined || others.length > 0 || args.value === undefined) {
      throw new Error(`the transfer in ${transactionHash} is not that of one authorization`)
    }
    return { nonce: used.args.nonce.toLowerCase(), amountAtomic: args.value, transaction: transactionHash }
  })
}
