import { Clock, Effect } from "effect"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import { priceAtomic } from "../Economy.ts"
import type { DrawnOptions } from "../DrawnOptions.ts"
import type { BrokenTill, Mutation } from "../Mutations.ts"
import { transfersUncompared } from "../ProofMutations.ts"
import { withoutFaults } from "../FaultPlan.ts"
import type { Environment } from "../Server.ts"
import type { NodeChange } from "./SolanaNetwork.ts"
import { maxBlockhashAge } from "./SolanaChain.ts"
import { payTo, tokenAccountOf } from "./SolanaWallets.ts"

/* Tills that read a Solana chain carelessly, or pay back twice. */

/** Reads the chain through a change of the node's responses. */
const reading =
  (change: NodeChange): Mutation =>
  (environment) => ({ ...environment, chain: environment.readThrough!(change) })

/** A transaction as nodes return it. */
interface Landed {
  readonly blockTime: number
  readonly meta: {
    readonly err: unknown
    readonly preTokenBalances: ReadonlyArray<TokenBalance>
    readonly postTokenBalances: ReadonlyArray<TokenBalance>
  }
}

interface TokenBalance {
  readonly owner: string
  readonly uiTokenAmount: { readonly amount: string }
}

type Options = Readonly<Record<string, unknown>>

/** A block counts before anyone has voted for it. */
const processedCounts = reading(({ method, params }, respond) => {
  const [first, options] = (params ?? []) as readonly [unknown, Options?]
  return options?.["commitment"] === "confirmed"
    ? respond({ method, params: [first, { ...options, commitment: "processed" }] })
    : respond({ method, params })
})

/** A transaction that is in a block has paid, even if it failed. */
const failureIgnored = reading((request, respond) => {
  const found = respond(request) as Landed | null
  if (request.method !== "getTransaction" || found === null || found.meta.err === null) return found
  const postTokenBalances = found.meta.preTokenBalances.map((balance) =>
    balance.owner === payTo
      ? { ...balance, uiTokenAmount: { amount: String(BigInt(balance.uiTokenAmount.amount) + priceAtomic) } }
      : balance
  )
  return { ...found, meta: { ...found.meta, err: null, postTokenBalances } }
})

/** A transfer of the amount to the host, in any transaction, that a node shows. */
const anyTransfer = (
  node: Environment["node"],
  { validBefore, value }: Authorization
): ChainEvidence | undefined => {
  const confirmed = { commitment: "confirmed" }
  try {
    const entries = node({
      method: "getSignaturesForAddress",
      params: [tokenAccountOf(payTo), confirmed]
    }) as ReadonlyArray<{ readonly signature: string }>
    for (const { signature } of entries) {
      const landed = node({ method: "getTransaction", params: [signature, confirmed] }) as Landed | null
      const received = landed === null || landed.meta.err !== null ? 0n : receivedIn(landed)
      if (received === BigInt(value) && landed!.blockTime > Number(validBefore) - 200)
        return {
          _tag: "Moved",
          transaction: signature,
          logIndex: 2,
          atSeconds: landed!.blockTime,
          isFinal: true
        }
    }
  } catch {
    // The node is down or behind.
  }
  return undefined
}

const receivedIn = ({ meta }: Landed): bigint => {
  const balanceIn = (balances: Landed["meta"]["preTokenBalances"]) =>
    BigInt(balances.find(({ owner }) => owner === payTo)?.uiTokenAmount.amount ?? "0")
  return balanceIn(meta.postTokenBalances) - balanceIn(meta.preTokenBalances)
}

/** Any transfer of the amount to the host proves a payment, whoever made it. */
const messageIgnored: Mutation = (environment) => {
  const { chain, node } = environment
  return transfersUncompared({
    ...environment,
    chain: {
      ...chain,
      evidence: (network, authorization, hints) =>
        Effect.map(chain.evidence(network, authorization, hints), (found) =>
          found._tag === "Moved" ? found : (anyTransfer(node, authorization) ?? found)
        )
    }
  })
}

/** The facilitator's word is proof: the transaction that it names is not read. */
const namedTransactionTrusted: Mutation = (environment) => {
  const { chain } = environment
  return {
    ...environment,
    chain: {
      ...chain,
      evidence: (network, authorization, hints) => {
        const transaction = hints?.transaction
        return transaction === undefined
          ? chain.evidence(network, authorization, hints)
          : Effect.map(Clock.currentTimeMillis, (nowMillis) => ({
              _tag: "Moved" as const,
              transaction,
              logIndex: 2,
              atSeconds: Math.floor(nowMillis / 1000),
              isFinal: true
            }))
      }
    }
  }
}

/** A node is taken to have all blocks. */
const historyAssumed = reading((request, respond) =>
  request.method === "getFirstAvailableBlock" ? 0 : respond(request)
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

/** Sends refunds through a change of the node's responses. */
const refunding =
  (change: NodeChange): Mutation =>
  (environment) => {
    const { ports, walletThrough } = environment
    if (ports.solanaRefunds === undefined) return environment
    return { ...environment, ports: { ...ports, solanaRefunds: walletThrough!(change) } }
  }

const blockhashesExpired: NodeChange = (request, respond) => {
  if (request.method !== "getEpochInfo") return respond(request)
  const info = respond(request) as { readonly absoluteSlot: number; readonly blockHeight: number }
  return { ...info, blockHeight: info.blockHeight + maxBlockhashAge }
}

/** A refund is signed again although its blockhash is recent. */
const refundExpiresEarly = refunding(blockhashesExpired)

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

/** Settles by itself, through a change of the node's responses. */
const settling =
  (change: NodeChange): Mutation =>
  (environment) => ({
    ...environment,
    facilitator: environment.settlesThrough?.({ node: change }) ?? environment.facilitator
  })

/** A settlement has failed although its blockhash is recent. */
const settlementExpiresEarly = settling(blockhashesExpired)

/** A slow chain that loses most transactions, which are sent again shortly before they expire. */
const congested = (drawn: DrawnOptions): DrawnOptions => ({
  ...drawn,
  faultPlan: { ...drawn.faultPlan, activeMillis: 240_000 },
  solana: drawn.solana && {
    ...drawn.solana,
    slotMillis: 1_500,
    halts: [],
    dropChance: 0.9,
    lastMomentChance: 0.9
  }
})

/** The same for tills that settle by themselves, where nothing else goes wrong. */
const settledByItself = ({ faultPlan, solana, ...drawn }: DrawnOptions): DrawnOptions => ({
  ...drawn,
  faultPlan: { ...withoutFaults(faultPlan), attackers: 0, poorChance: 0 },
  clockFaults: [],
  hasOtherTill: false,
  quoteMillis: 600_000,
  solana: solana && {
    ...solana,
    confirmedDepth: 1,
    smallForks: 0,
    lagsMillis: [0],
    forgetsAtMillis: undefined,
    lastMomentChance: 1,
    isLocal: true,
    withoutFunds: undefined
  }
})

const refundedTwice = /was refunded, but the ledger/
const expiredTooEarly = /its money has moved, but|was refused while it might move, and moved/

/** Every broken till, by name. */
export const solanaMutations: Readonly<Record<string, BrokenTill>> = {
  processedCounts: { mutation: processedCounts, symptom: /although no money has moved/ },
  failureIgnored: { firstSeed: 195, mutation: failureIgnored, symptom: /although no money has moved/ },
  messageIgnored: { mutation: messageIgnored, symptom: /although no money has moved/ },
  namedTransactionTrusted: { mutation: namedTransactionTrusted, symptom: /although no money has moved/ },
  historyAssumed: { firstSeed: 30, mutation: historyAssumed, symptom: /its money has moved, but/ },
  expiryByClock: { mutation: expiryByClock, symptom: expiredTooEarly, world: congested },
  settlementExpiresEarly: {
    mutation: settlementExpiresEarly,
    symptom: /own facilitator said/,
    world: (drawn) => settledByItself(congested(drawn))
  },
  refundExpiresEarly: { firstSeed: 25, mutation: refundExpiresEarly, symptom: refundedTwice },
  refundSentAgain: { mutation: refundSentAgain, symptom: refundedTwice }
}
