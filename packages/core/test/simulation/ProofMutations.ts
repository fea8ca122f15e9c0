import { Context, Effect } from "effect"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { ChainEvidence } from "../../src/toll/evidence/Chain.ts"
import type { BrokenTill, Mutation } from "./Mutations.ts"
import { network } from "./EvmEconomy.ts"
import type { Environment } from "./Server.ts"

/* Tills that read the chain carelessly, as earlier versions did. */

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

/** The transaction that used a nonce, and any transfer in it that matches a rule. */
const proofBy = (
  node: Environment["node"],
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
  (environment) => {
    const { chain, node } = environment
    return {
      ...environment,
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
export const transfersUncompared: Mutation = (environment) => {
  const charges = Context.get(environment.stores, Charges)
  const stores = Context.add(environment.stores, Charges, {
    ...charges,
    complete: (key, settlement, nowMillis) =>
      charges.complete(key, { ...settlement, transferLogIndex: undefined }, nowMillis)
  })
  return { ...environment, stores }
}

const anyTransfer: Rule = (log, authorization) =>
  isFrom(log, authorization) && isTo(log, authorization) && isOfValue(log, authorization)

/** One use of the nonce and one transfer of the amount, anywhere in one transaction, prove a payment. */
const eventsUnpaired: Mutation = (environment) => transfersUncompared(withProof(anyTransfer)(environment))

/** Takes any transfer of the payer as proof, and ignores its recipient. */
const recipientIgnored = withProof(
  (log, authorization) => isFrom(log, authorization) && isOfValue(log, authorization)
)

/** Any transfer from the payer to the host proves a payment, whatever its value. */
const valueIgnored = withProof((log, authorization) => isFrom(log, authorization) && isTo(log, authorization))

/** A nonce used for something else leaves the outcome unknown forever. */
const usedOtherwiseIsUnknown: Mutation = (environment) => {
  const { chain } = environment
  return {
    ...environment,
    chain: {
      ...chain,
      evidence: (network, authorization, ...hints) =>
        Effect.map(chain.evidence(network, authorization, ...hints), (found): ChainEvidence =>
          "reason" in found && found.reason === "used_otherwise" ? { _tag: "Unavailable" } : found
        )
    }
  }
}

/** Every broken till, by name. */
export const proofMutations: Readonly<Record<string, BrokenTill>> = {
  eventsUnpaired: { mutation: eventsUnpaired, symptom: /^money: 0x\w+ paid \d+, and got/ },
  recipientIgnored: { mutation: recipientIgnored, symptom: /^money: 0x\w+ paid \d+, and got/ },
  valueIgnored: { mutation: valueIgnored, symptom: /^money: 0x\w+ paid \d+, and got/ },
  usedOtherwiseIsUnknown: {
    mutation: usedOtherwiseIsUnknown,
    symptom: /its authorization has expired, but its charge is/
  }
}
