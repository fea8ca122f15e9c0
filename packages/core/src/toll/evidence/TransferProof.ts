import { type Hex, isHex, keccakOfText, toWord } from "../../domain/Hex.ts"
import type { Authorization } from "../../domain/PaymentPayload.ts"

/*
 * Pairs the use of an authorization's nonce with the one transfer that the same call made. Pure.
 *
 * Anyone can compose a transaction out of many calls, so events that merely share a transaction prove nothing.
 */

/** The parts of a transaction's log that a proof reads. */
export interface TokenLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  /** Position in its block. */
  readonly logIndex: number
}

/** Use of an authorization's nonce by one transaction. */
export type NonceUse =
  /** Moved exactly the value to exactly the recipient. `logIndex`: of the `Transfer`. */
  | { readonly _tag: "Paid"; readonly logIndex: number }
  /** Used up the nonce with another transfer: of another value, or to another recipient. */
  | { readonly _tag: "UsedOtherwise" }
  | { readonly _tag: "Canceled" }
  /** The transaction did not use the nonce, or its logs don't follow the asset's rule. Proves nothing. */
  | { readonly _tag: "Absent" }

export const authorizationUsed = keccakOfText("AuthorizationUsed(address,bytes32)")
export const authorizationCanceled = keccakOfText("AuthorizationCanceled(address,bytes32)")
export const transfer = keccakOfText("Transfer(address,address,uint256)")

export const addressTopic = (address: string): Hex => toWord(address.toLowerCase())

const same = (left: string | undefined, right: string): boolean => left?.toLowerCase() === right.toLowerCase()

const absent: NonceUse = { _tag: "Absent" }

type PairingRule = (logs: ReadonlyArray<TokenLog>, asset: string, authorization: Authorization) => NonceUse

/**
 * Rule of Circle's FiatToken (`EIP3009.sol` of FiatTokenV2_2). `transferWithAuthorization` and
 * `receiveWithAuthorization` mark the nonce as used, which emits `AuthorizationUsed(authorizer, nonce)`, and then
 * transfer, which emits `Transfer(from, to, value)`. Nothing runs in between and the contract emits both events nowhere
 * in another order, so the `Transfer` is the very next log of the transaction. The contract accepts a nonce once.
 *
 * If the next log isn't a transfer of this payer, the contract isn't the one that this rule describes.
 */
const fiatTokenUse: PairingRule = (logs, asset, { from, nonce, to, value }) => {
  const find = (event: Hex): TokenLog | undefined =>
    logs.find(
      ({ address, topics }) =>
        same(address, asset) &&
        same(topics[0], event) &&
        same(topics[1], addressTopic(from)) &&
        same(topics[2], nonce)
    )
  const used = find(authorizationUsed)
  if (used === undefined) return find(authorizationCanceled) === undefined ? absent : { _tag: "Canceled" }
  const next = logs.find(({ logIndex }) => logIndex === used.logIndex + 1)
  if (next === undefined || !same(next.address, asset) || !isTransferFrom(next, from)) return absent
  return same(next.topics[2], addressTopic(to)) && BigInt(next.data) === BigInt(value)
    ? { _tag: "Paid", logIndex: next.logIndex }
    : { _tag: "UsedOtherwise" }
}

const isTransferFrom = ({ data, topics }: TokenLog, from: string): boolean =>
  topics.length === 3 && same(topics[0], transfer) && same(topics[1], addressTopic(from)) && isHex(data, 32)

/**
 * Whether a transaction's logs follow the rule wherever they have the use of a nonce; `undefined`: they have none. A
 * token that transfers first would have its payments taken for one another's.
 */
export const followsRule = (logs: ReadonlyArray<TokenLog>, asset: string): boolean | undefined => {
  const uses = logs.filter(
    ({ address, topics }) => same(address, asset) && same(topics[0], authorizationUsed)
  )
  if (uses.length === 0) return undefined
  return uses.every(({ logIndex, topics: [, from = ""] }) => {
    const next = logs.find((log) => log.logIndex === logIndex + 1)
    return next !== undefined && same(next.address, asset) && isTransferFrom(next, `0x${from.slice(26)}`)
  })
}

/** How much of a token a transaction's logs moved to an account, by any call. */
export const movedTo = (logs: ReadonlyArray<TokenLog>, asset: string, to: string): bigint =>
  logs
    .filter(
      ({ address, data, topics }) =>
        same(address, asset) &&
        topics.length === 3 &&
        same(topics[0], transfer) &&
        same(topics[2], addressTopic(to)) &&
        isHex(data, 32)
    )
    .reduce((sum, { data }) => sum + BigInt(data), 0n)

/**
 * Decides from all logs of a transaction whether it made the transfer of an authorization: the `Transfer` that directly
 * follows the use of this payer's nonce, with the authorization's recipient and exact value. USDC is a FiatToken on
 * every network. A token that a host names has to follow the same rule: the logs of another one prove nothing.
 *
 * The validity window isn't compared: a message with the same nonce, recipient and value pays the same.
 */
export const pairedTransfer: PairingRule = fiatTokenUse
