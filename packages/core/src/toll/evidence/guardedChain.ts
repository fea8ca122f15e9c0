import { Effect } from "effect"
import { causeName } from "../../runtime/causeName.ts"
import { isClockReading } from "../../runtime/ClockReading.ts"
import { resultWithin } from "../../runtime/Deadline.ts"
import { present } from "../../runtime/present.ts"
import { isObject } from "../../runtime/isObject.ts"
import type { Chain } from "./Chain.ts"
import { type ChainEvidence, unavailable } from "./ChainEvidence.ts"
import { reportedBy } from "./UnreadableChain.ts"

/*
 * The boundary between the till and a `Chain` that a host wrote as a service. That of this package has its own.
 */

const readMillis = 10_000
const searchMillis = 30_000
/** The books compare themselves with all transfers of a long time. */
const booksMillis = 300_000

const isText = (value: unknown): value is string => typeof value === "string"
const isNumber = (value: unknown): value is number => Number.isFinite(value)
const isBigint = (value: unknown): value is bigint => typeof value === "bigint"
const isFlag = (value: unknown): value is boolean => typeof value === "boolean"
const isListOf = (length: number, is: (member: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length === length && value.every(is)

/** The fields of each kind of evidence that decide about money. */
const evidenceFields: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  Moved: { transaction: isText, logIndex: Number.isSafeInteger, atSeconds: isNumber, isFinal: isFlag },
  Confirming: { transaction: isText },
  NotMoved: { chainTimeSeconds: isNumber },
  NotPaid: { reason: (value) => ["canceled", "failed", "used_otherwise"].includes(String(value)) },
  Unavailable: {}
}

const isEvidence = (value: unknown): boolean => {
  if (!isObject(value) || !Object.hasOwn(evidenceFields, String(value["_tag"]))) return false
  return Object.entries(evidenceFields[String(value["_tag"])]!).every(([name, is]) => is(value[name]))
}

const isHead = (value: unknown): boolean => isObject(value) && isBigint(value["number"])
const isFacts = (value: unknown): boolean => isObject(value) && isNumber(value["blockSeconds"])
const isFoundTransfers = (value: unknown): boolean =>
  isObject(value) &&
  isBigint(value["fromBlock"]) &&
  isBigint(value["toBlock"]) &&
  Array.isArray(value["transfers"])

const reported = reportedBy((fault: unknown) => causeName(fault))

/** A read that ends, and whose result has its shape or is `undefined`: what fails is reported. Never fails. */
const read = <A>(
  caip2: string,
  timeoutMillis: number,
  is: (value: unknown) => boolean,
  call: () => Effect.Effect<A | undefined>
): Effect.Effect<A | undefined> =>
  reported(
    caip2,
    resultWithin(timeoutMillis, (value) => value === undefined || is(value), call)
  )

/** What a chain may lack. */
const optionalReads = (given: Chain["Service"]): Partial<Chain["Service"]> => {
  const { clock, facts, head, paidBy, paidWithin, token, transfersFrom } = given
  return present<Chain["Service"]>({
    head: head && ((caip2) => read(caip2, readMillis, isHead, () => head.call(given, caip2))),
    clock: clock && ((caip2) => read(caip2, readMillis, isClockReading, () => clock.call(given, caip2))),
    token:
      token && ((network) => read(network.caip2, readMillis, isObject, () => token.call(given, network))),
    facts:
      facts &&
      ((network, payTo) => read(network.caip2, readMillis, isFacts, () => facts.call(given, network, payTo))),
    transfersFrom:
      transfersFrom &&
      ((network, from, span) =>
        read(network.caip2, booksMillis, isFoundTransfers, () =>
          transfersFrom.call(given, network, from, span)
        )),
    paidWithin:
      paidWithin &&
      ((...query) =>
        read(
          query[0].caip2,
          searchMillis,
          isListOf(query[1].length, (member) => member === undefined || isText(member)),
          () => paidWithin.apply(given, query)
        )),
    paidBy:
      paidBy &&
      ((network, ...query) =>
        read(
          network.caip2,
          readMillis,
          (value) => value === "absent" || isBigint(value),
          () => paidBy.call(given, network, ...query)
        ))
  })
}

/** A chain whose reads end, whose faults are unread chains, and whose results have their shape. */
export const guardedChain = (given: Chain["Service"]): Chain["Service"] => ({
  canRead: (caip2) => given.canRead(caip2),
  evidence: (network, authorization, hints) =>
    Effect.map(
      read<ChainEvidence>(network.caip2, searchMillis, isEvidence, () =>
        given.evidence(network, authorization, hints)
      ),
      (found) => found ?? unavailable
    ),
  usedNonces: (network, owners) =>
    read(
      network.caip2,
      readMillis,
      (value) =>
        isObject(value) &&
        isNumber(value["chainTimeSeconds"]) &&
        isListOf(owners.length, isFlag)(value["used"]),
      () => given.usedNonces(network, owners)
    ),
  balanceOf: (network, address) =>
    read(network.caip2, readMillis, isBigint, () => given.balanceOf(network, address)),
  acceptsSignature: (network, ...signed) =>
    read(network.caip2, readMillis, isFlag, () => given.acceptsSignature(network, ...signed)),
  transfersTo: (network, to, span) =>
    read(network.caip2, booksMillis, isFoundTransfers, () => given.transfersTo(network, to, span)),
  ...optionalReads(given)
})
