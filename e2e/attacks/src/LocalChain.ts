import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { afterAll, beforeAll } from "vitest"
import { payTo } from "./Calls.ts"
import { payer, stranger } from "./Payments.ts"

/** A chain with the official facilitator before it, and two payers with 1,000 USDC each. */
export interface LocalChain {
  readonly chain: Chain
  readonly facilitator: LocalFacilitator
  /** What the recipient of all payments has, in atomic units. */
  readonly received: () => Promise<bigint>
  readonly stop: () => Promise<void>
}

/** How far the chain's clock is ahead of this machine's. */
export const aheadSeconds = 2

export const openLocalChain = async (): Promise<LocalChain> => {
  const chain = await startChain()
  try {
    const facilitator = await startFacilitator({ chain })
    for (const { address } of [payer, stranger]) await chain.mint(address, 1_000_000_000n)
    // Where a settlement stands is told by the times of blocks, and a chain of a few milliseconds has but one.
    await chain.client.increaseTime({ seconds: aheadSeconds })
    await chain.client.mine({ blocks: 1 })
    return {
      chain,
      facilitator,
      received: () => chain.balanceOf(payTo),
      stop: async () => {
        await facilitator.stop()
        await chain.stop()
      }
    }
  } catch (error) {
    await chain.stop()
    throw error
  }
}

/** One for the tests of a file; call the answer inside of them. */
export const localChainOfFile = (): (() => LocalChain) => {
  let opened: LocalChain | undefined
  beforeAll(async () => {
    opened = await openLocalChain()
  })
  afterAll(() => opened?.stop())
  return () => opened!
}
