import { findNetwork } from "../../../src/domain/Network.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import type { ChainEvidence } from "../../../src/toll/evidence/ChainEvidence.ts"
import { type ChainNetwork, makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import type { EvidenceHints } from "../../../src/toll/evidence/EvidenceHints.ts"
import { FakeNode, logsOf, type RpcRequest, RpcFailure } from "./FakeNode.ts"

/*
 * A fake chain with an authorization of its token, for tests of evidence.
 */

export const network = findNetwork("base-sepolia")!
export const { finalitySeconds } = network
export const token = logsOf(network.asset)
export const stranger = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"

/** A chain with a past, and an authorization that is valid on it now. */
export const open = (settings: Partial<ChainNetwork> = {}, height = 1_000_000n) => {
  const node = new FakeNode({ genesisSeconds: 1_700_000_000, blockSeconds: 2, height })
  const authorization: Authorization = {
    from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    to: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    value: "520000",
    validAfter: String(node.nowSeconds - 600),
    validBefore: String(node.nowSeconds + 120),
    nonce: `0x${"ab".repeat(32)}`
  }
  const chain = makeChain([{ ...network, ...settings }], () => node.transport)
  const paid = [token.used(authorization), token.transfer(authorization)]
  return {
    node,
    authorization,
    evidence: (hints?: EvidenceHints) => chain.evidence(network, authorization, hints),
    paid,
    toSelf: [token.used(authorization), token.transfer({ ...authorization, to: authorization.from })],
    unrelated: [
      token.used({ ...authorization, nonce: `0x${"cd".repeat(32)}` }),
      token.transfer(authorization)
    ],
    /** Until nothing of the authorization can move any more. */
    expire: () => node.mineUntil(Number(authorization.validBefore) + finalitySeconds)
  }
}

export const unavailable: ChainEvidence = { _tag: "Unavailable" }
export const useNotFound: ChainEvidence = { _tag: "Unavailable", isUsed: true }
export const usedOtherwise: ChainEvidence = { _tag: "NotPaid", reason: "used_otherwise" }

/** Refuses what a node no longer has. */
export const pruned = new RpcFailure(-32_000, "missing trie node")
export const fromBlock = ({ params }: RpcRequest) =>
  BigInt((params[0] as { readonly fromBlock: string }).fromBlock)
export const toBlock = ({ params }: RpcRequest) => BigInt((params[0] as { readonly toBlock: string }).toBlock)
export const width = (request: RpcRequest) => toBlock(request) - fromBlock(request) + 1n
export const callBlock = ({ params }: RpcRequest) => BigInt(params[1] as string)
