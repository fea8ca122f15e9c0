import { Clock, Effect } from "effect"
import type { BrokenTill, Mutation } from "../Mutations.ts"
import type { NodeChange } from "./SolanaNetwork.ts"

/* Tills that read a Solana chain carelessly, or pay back twice. */

/** Reads the chain through a change of the node's responses. */
const reading =
  (change: NodeChange): Mutation =>
  (environment) => ({ ...environment, chain: environment.readThrough!(change) })

type Options = Readonly<Record<string, unknown>>

/** A block counts before anyone has voted for it. */
const processedCounts = reading(({ method, params }, respond) => {
  const [first, options] = (params ?? []) as readonly [unknown, Options?]
  return options?.["commitment"] === "confirmed"
    ? respond({ method, params: [first, { ...options, commitment: "processed" }] })
    : respond({ method, params })
})

/** A node is taken to have all blocks. */
const historyAssumed = reading((request, respond) =>
  request.method === "getFirstAvailableBlock" ? 0 : respond(request)
)

/** Payments expire by time alone, whichever blockhashes are recent. */
const blockhashIgnored = reading((request, respond) =>
  request.method === "isBlockhashValid" ? { context: { slot: 0 }, value: false } : respond(request)
)

/** Payments expire by the till's clock alone. */
const expiryByClock: Mutation = (environment) => {
  const { chain } = environment
  return {
    ...environment,
    chain: {
      ...chain,
      evidence: (network, authorization, hints) =>
        Effect.flatMap(chain.evidence(network, authorization, hints), (found) =>
          Effect.map(Clock.currentTimeMillis, (nowMillis) =>
            found._tag === "NotMoved" ? { ...found, chainTimeSeconds: Math.floor(nowMillis / 1000) } : found
          )
        )
    }
  }
}

/** A refund that isn't in a final block yet is sent once more, under another key. */
const refundSentAgain: Mutation = (environment) => {
  const { ports } = environment
  const { solanaRefunds: wallet } = ports
  if (wallet === undefined) return environment
  const refund: typeof wallet.refund = async (transfer, context) => {
    const state = await wallet.refund(transfer, context)
    if (state.status !== "pending") return state
    return wallet.refund({ ...transfer, key: `${transfer.key} again` }, context)
  }
  return { ...environment, ports: { ...ports, solanaRefunds: { ...wallet, refund } } }
}

const expiredTooEarly = /its money has moved, but|was refused while it might move, and moved/

/** Every broken till, by name. */
export const solanaMutations: Readonly<Record<string, BrokenTill>> = {
  processedCounts: { firstSeed: 30, mutation: processedCounts, symptom: /although no money has moved/ },
  historyAssumed: { firstSeed: 55, mutation: historyAssumed, symptom: /its money has moved, but/ },
  blockhashIgnored: { firstSeed: 195, mutation: blockhashIgnored, symptom: expiredTooEarly },
  expiryByClock: { firstSeed: 195, mutation: expiryByClock, symptom: expiredTooEarly },
  refundSentAgain: { mutation: refundSentAgain, symptom: /was refunded, but the ledger/ }
}
