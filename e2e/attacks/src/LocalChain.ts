import type { NetworkOptions } from "@till402/core"
import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { afterAll, beforeAll } from "vitest"
import { payTo } from "./Calls.ts"
import { placeMulticall } from "./Multicall.ts"
import { payer, stranger } from "./Payments.ts"

/** A chain with the official facilitator and two payers with 100,000 USDC each. */
export interface LocalChain {
  readonly chain: Chain
  readonly facilitator: LocalFacilitator
  /** Balance of the recipient of all payments, in atomic units. */
  readonly received: () => Promise<bigint>
  /** Mines a block dated this many seconds later. */
  readonly pass: (seconds: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** How far the chain's clock is ahead of this machine's. */
export const aheadSeconds = 2

export const openLocalChain = async (): Promise<LocalChain> => {
  const chain = await startChain()
  try {
    const facilitator = await startFacilitator({ chain })
    for (const { address } of [payer, stranger]) await chain.mint(address, 100_000_000_000n)
    // Settlement states derive from block times, and a chain that is milliseconds old has only one.
    const pass = async (seconds: number): Promise<void> => {
      await chain.client.increaseTime({ seconds })
      await chain.client.mine({ blocks: 1 })
    }
    await placeMulticall(chain)
    await pass(aheadSeconds)
    return {
      chain,
      facilitator,
      received: () => chain.balanceOf(payTo),
      pass,
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

/** How a till reads the local chain: one confirmation is enough, and a proof is final after a second. */
export const readable = ({ chain }: LocalChain, rpcUrl = chain.rpcUrl): NetworkOptions => ({
  network: "base-sepolia",
  rpcUrl,
  confirmations: 1,
  finalitySeconds: 1
})

let shared: Promise<LocalChain> | undefined

/**
 * A chain for the tests of a file. Call the result inside a test. The files of a process share one, which ends with it,
 * but for those that move its clock.
 */
export const localChainOfFile = ({ movesClock = false } = {}): (() => LocalChain) => {
  let opened: LocalChain | undefined
  beforeAll(async () => {
    opened = await (movesClock ? openLocalChain() : (shared ??= openLocalChain()))
  })
  afterAll(() => (movesClock ? opened?.stop() : undefined))
  return () => opened!
}
