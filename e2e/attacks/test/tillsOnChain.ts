import { type Call, calls } from "../src/Calls.ts"
import {
  type HostileFacilitator,
  impatientMillis,
  type Mode,
  modes,
  openHostile
} from "../src/HostileFacilitator.ts"
import { type LocalChain, localChainOfFile } from "../src/LocalChain.ts"
import { type Ours, openOurs } from "../src/Ours.ts"
import { visit, type Visitor } from "../src/Visitor.ts"

export let local: () => LocalChain

/** Gives a test file the chain. Each file calls it, since files share their worker's modules. */
export const startLocalChain = (): void => {
  local = localChainOfFile()
}

/** Those that are waited for in vain are not waited for long. */
export const facilitatorIn = (mode: Mode) =>
  mode === modes.silent || mode === modes.slow
    ? openHostile(local().facilitator.client, mode, impatientMillis)
    : openHostile(local().facilitator.client, mode)

export const optionsOf = ({ settleTimeoutMillis, url }: HostileFacilitator) => ({ settleTimeoutMillis, url })

export interface OursOnChain {
  readonly hostile: HostileFacilitator
  readonly server: Ours
  readonly visitor: Visitor
}

/** A till over the real chain and a facilitator in some mode, over HTTP. */
export const openOursOnChain = async (mode: Mode, rpcUrl = local().chain.rpcUrl): Promise<OursOnChain> => {
  const hostile = await facilitatorIn(mode)
  const server = await openOurs(optionsOf(hostile), {
    networks: [{ network: "base-sepolia", rpcUrl }],
    trustFacilitator: false
  })
  return { hostile, server, visitor: visit(server) }
}

export const movedSince = async (before: bigint): Promise<bigint> => (await local().received()) - before

/** A plain response, an order and a purchase: the three effects of a payment. */
export const effectful: ReadonlyArray<Call> = [calls.track, calls.buy, calls.vaultBuy]
