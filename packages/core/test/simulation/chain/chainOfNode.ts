import { custom } from "viem"
import type { Chain } from "../../../src/toll/evidence/Chain.ts"
import { type ChainNetwork, makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import type { RpcRequest } from "./RpcNode.ts"

/** The chain as a process reads it: the production code over a transport of the simulated simulation. */
export const chainOfNode = (
  network: ChainNetwork,
  request: (request: RpcRequest) => Promise<unknown>
): Chain["Service"] =>
  // A retry would wait in real time.
  makeChain([network], () => custom({ request }, { retryCount: 0 }))
