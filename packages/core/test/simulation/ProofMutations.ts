import { Clock, Context, Effect } from "effect"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { ChainEvidence } from "../../src/toll/Chain.ts"
import type { BrokenTill, Mutation } from "./Mutations.ts"
import { network } from "./Shopper.ts"
import type { Surroundings } from "./Server.ts"

/*
 * Tills that read the chain as earlier versions did, and as a careless one would.
 */

type RpcLog = {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly transactionHash: string
  readonly blockHash: string
  readonly logIndex: string
}

const authorizationUsed = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
const transferred = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const word = (hex: string): string => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`

type Rule = (transfer: RpcLog, authorization: Authorization) => boolean

const isFrom: Rule = ({ topics }, { from }) => topics[1] === word(from)
const isTo: Rule = ({ topics }, { to }) => topics[2] === word(to)
const isOfValue: Rule = ({ data }, { value }) => BigInt(data) === BigInt(value)

/** The transaction that used a nonce, and in it a transfer by a rule: any one, wherever it stands. */
const proofBy = (
  node: Surroundings["node"],
  authorization: Authorization,
  rule: Rule
): ChainEvidence | undefined => {
  const topics = [authorizationUsed, word(authorization.from), authorization.nonce]
  const filter = { address: network.asset, topics, fromBlock: "earliest" }
  try {
    const { number } = node({ method: "eth_getBlockByNumber", params: ["latest", false] }) as {
      number: string
    }
    const fromBlock = `0x${Math.max(0, Number(number) - 9_000).toString(16)}`
    const [used] = node({
      method: "eth_getLogs",
      params: [{ ...filter, fromBlock }]
    }) as ReadonlyArray<RpcLog>
    if (used === undefined) return undefined
    const receipt = node({ method: "eth_getTransactionReceipt", params: [used.transactionHash] }) as {
      readonly logs: ReadonlyArray<RpcLog>
    }
    const transfer = receipt.logs.find(
      (log) =>
        log.address === network.asset.toLowerCase() &&
        log.topics[0] === transferred &&
        rule(log, authorization)
    )
    if (transfer === undefined) return undefined
    const block = node({ method: "eth_getBlockByHash", params: [used.blockHash, false] }) as {
      readonly timestamp: string
    }
    return {
      _tag: "Moved",
      transaction: used.transactionHash,
      logIndex: Number(transfer.logIndex),
      atSeconds: Number(block.timestamp),
      isFinal: true
    }
  } catch {
    // The node is down.
    return undefined
  }
}

const isUnpaid = (evidence: ChainEvidence): boolean =>
  evidence._tag === "Unavailable" || ("reason" in evidence && evidence.reason === "used_otherwise")

const withProof =
  (rule: Rule): Mutation =>
  (surroundings) => {
    const { chain, node } = surroundings
    return {
      ...surroundings,
      chain: {
        ...chain,
        evidence: (network, authorization, ...hints) =>
          Effect.map(chain.evidence(network, authorization, ...hints), (found) =>
            isUnpaid(found) ? (proofBy(node, authorization, rule) ?? found) : found
          )
      }
    }
  }

/** The store doesn't compare transfers. */
const transfersUncompared: Mutation = (surroundings) => {
  const charges = Context.get(surroundings.stores, Charges)
  const stores = Context.add(surroundings.stores, Charges, {
    ...charges,
    complete: (key, settlement, nowMillis) =>
      charges.complete(key, { ...settlement, transferLogIndex: undefined }, nowMillis)
  })
  return { ...surroundings, stores }
}

const anyTransfer: Rule = (log, authorization) =>
  isFrom(log, authorization) && isTo(log, authorization) && isOfValue(log, authorization)

/** One use of the nonce and one transfer of the amount, anywhere in one transaction, prove a payment. */
const eventsUnpaired: Mutation = (surroundings) => transfersUncompared(withProof(anyTransfer)(surroundings))

/** Takes any transfer of the payer as proof, and ignores its recipient. */
const recipientIgnored = withProof(
  (log, authorization) => isFrom(log, authorization) && isOfValue(log, authorization)
)

/** Any transfer from the payer to the host proves a payment, whatever its value. */
const valueIgnored = withProof((log, authorization) => isFrom(log, authorization) && isTo(log, authorization))

/** A nonce that was used for something else leaves the outcome unknown, for ever. */
const usedOtherwiseIsUnknown: Mutation = (surroundings) => {
  const { chain } = surroundings
  return {
    ...surroundings,
    chain: {
      ...chain,
      evidence: (network, authorization, ...hints) =>
        Effect.map(chain.evidence(network, authorization, ...hints), (found): ChainEvidence =>
          "reason" in found && found.reason === "used_otherwise" ? { _tag: "Unavailable" } : found
        )
    }
  }
}

/** What moved long ago has moved just now. */
const ageIgnored: Mutation = (surroundings) => {
  const { chain } = surroundings
  return {
    ...surroundings,
    chain: {
      ...chain,
      evidence: (network, authorization, ...hints) =>
        Effect.flatMap(chain.evidence(network, authorization, ...hints), (found) =>
          Effect.map(Clock.currentTimeMillis, (nowMillis) =>
            found._tag === "Moved" ? { ...found, atSeconds: Math.floor(nowMillis / 1000) } : found
          )
        )
    }
  }
}

/** Each broken till by its name. */
export const proofMutations: Readonly<Record<string, BrokenTill>> = {
  eventsUnpaired: { mutation: eventsUnpaired, symptom: /^money: 0x\w+ paid \d+, and got/ },
  recipientIgnored: { mutation: recipientIgnored, symptom: /^money: 0x\w+ paid \d+, and got/ },
  valueIgnored: { mutation: valueIgnored, symptom: /^money: 0x\w+ paid \d+, and got/ },
  ageIgnored: {
    firstSeed: 1800,
    mutation: ageIgnored,
    symptom: /stood on the chain before it was presented/
  },
  usedOtherwiseIsUnknown: {
    mutation: usedOtherwiseIsUnknown,
    symptom: /nothing can come of it any more, and its charge is/
  }
}
