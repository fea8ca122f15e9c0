import { startChain, startFacilitator } from "@till402/sandbox"
import { startSolanaChain, startSolanaFacilitator } from "@till402/sandbox/solana"
import { evmRail } from "./EvmRail.ts"
import type { Rail } from "./Rail.ts"
import { solanaRail } from "./SolanaRail.ts"

export const railNames = ["evm", "solana"] as const
/** Who settles: the official facilitator over HTTP, or the local one in each server. */
export const settlerNames = ["facilitator", "local"] as const

export interface RailChoice {
  readonly name: (typeof railNames)[number]
  readonly settler: (typeof settlerNames)[number]
}

interface RunningRail {
  readonly rail: Rail
  readonly stop: () => Promise<void>
}

const startEvm = async (settler: RailChoice["settler"]): Promise<RunningRail> => {
  const chain = await startChain()
  if (settler === "local") return { rail: await evmRail({ chain }), stop: chain.stop }
  const facilitator = await startFacilitator({ chain })
  const stop = async () => {
    await facilitator.stop()
    await chain.stop()
  }
  return { rail: await evmRail({ chain, facilitator }), stop }
}

const startSolana = async (settler: RailChoice["settler"]): Promise<RunningRail> => {
  const chain = await startSolanaChain()
  if (settler === "local") return { rail: await solanaRail({ chain }), stop: chain.stop }
  const facilitator = await startSolanaFacilitator({ chain })
  const stop = async () => {
    await facilitator.stop()
    await chain.stop()
  }
  return { rail: await solanaRail({ chain, facilitator }), stop }
}

/** Starts a chain, and the official facilitator on it if that settles. */
export const startRail = ({ name, settler }: RailChoice): Promise<RunningRail> =>
  name === "evm" ? startEvm(settler) : startSolana(settler)
