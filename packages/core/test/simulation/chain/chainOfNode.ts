import { custom } from "viem"
import { type Chain, type ChainNetwork, chainOver } from "../../../src/toll/Chain.ts"
import type { RpcRequest } from "./RpcNode.ts"

/** The chain as a process reads it: the production code over a transport of the simulated world. */
export const chainOfNode = (
  network: ChainNetwork,
  request: (request: RpcRequest) => Promise<unknown>
): Chain["Service"] =>
  // A retry would wait in real time.
  chainOver([network], () => custom({ request }, { retryCount: 0 }))
