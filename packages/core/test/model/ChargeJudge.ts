import type { Ending } from "../../src/toll/machine/ChargeStep.ts"
import { isInBlock } from "./ChainModel.ts"
import { type ChargeWorldState, isUnfinished, withSeen } from "./ChargeState.ts"
import type { Caller, World } from "./ChargeWorld.ts"

/*
 * What must never happen, in money.
 */

/**
 * What a caller reads. `free`: nothing was charged, sign a new payment. `refund`: the payment is refunded. `open`: try
 * again with the same payment, which is safe whatever became of it. That includes work that failed.
 */
export type Reading = "served" | "free" | "refund" | "used" | "open"

/** Refusals that don't tell their caller that nothing was charged. */
const readingOfCode = new Map<string, Reading>([
  ["payment_refund_due", "refund"],
  ["payment_already_used", "used"]
])

export const readingOf = (ending: Ending): Reading => {
  switch (ending._tag) {
    case "Paid":
    case "Replay":
      return "served"
    case "Refused": {
      const { code, message } = ending.refusal
      return message.includes("nothing was charged") ? "free" : (readingOfCode.get(code) ?? "free")
    }
    default:
      return "open"
  }
}

/**
 * Whether the payment may still be charged, by what is under way, when a caller reads that it wasn't. A copy that runs and
 * has claimed nothing yet presents the payment anew, which is its caller's own wish.
 */
const isUnderWay = (state: ChargeWorldState, index: number, caller: Caller, world: World): boolean => {
  const { chain, processes, record } = state
  if (caller.signature === "forged") return false
  const hasCopy = world.callers.some((_, at) => at !== index && processes[at]!.plan >= 0)
  const isSent = !hasCopy && (chain === "flight" || isInBlock(state))
  if (record === undefined) return isSent && !state.seen.byPayer
  if (record.request !== caller.request || record.precedes) return false
  const isOthers =
    record.owner !== index &&
    ((record.state === "claimed" && record.held) ||
      record.state === "ready" ||
      (record.state === "settled" && record.refund === "none"))
  return isOthers || isSent
}

/** What a call must not end with, in the state in which it ends. */
const faultOfEnding = (
  { processes, record, seen }: ChargeWorldState,
  index: number,
  caller: Caller,
  ending: Ending
): string | undefined => {
  const { result } = processes[index]!
  switch (ending._tag) {
    case "Paid":
      if (result === "none" || result === "failed") return "paid, and there is no response to send"
      if (result === "foreign") return "another request gets the response"
      if (result === "worked") return "the caller gets a response that is not recorded"
      if (!seen.moved) return "served, and the money did not move"
      return record?.precedes === true
        ? "served for a transfer that was there before the payment was presented"
        : undefined
    case "Replay":
      if (ending.charge.response === undefined) return undefined
      if (ending.charge.fingerprint !== caller.request || ending.charge.payloadDigest !== caller.signature)
        return "another request gets the response"
      return seen.moved ? undefined : "replayed, and the money did not move"
    case "Failed":
      if (record?.owner === index && record.state === "settled" && record.refund === "none")
        return "the work failed after the payment settled, and its caller reads that nothing was charged"
      return result === "failed" ? undefined : "the work failed, and there is no failure to report"
    case "Owed":
      return result === "failed" ? undefined : "the work failed, and there is no failure to report"
    default:
      return undefined
  }
}

/** A caller who presents the payment again wants to be charged, whatever it read before. */
export const judgeBeginning = (state: ChargeWorldState, caller: Caller): ChargeWorldState => {
  const isRetry =
    caller.signature !== "forged" && (state.record?.request ?? caller.request) === caller.request
  return isRetry && state.seen.toldFree ? withSeen(state, { toldFree: false }) : state
}

/** What the judge remembers of a call that ends, and what is wrong with it. */
export const judgeEnding = (
  state: ChargeWorldState,
  index: number,
  world: World,
  ending: Ending
): { readonly state: ChargeWorldState; readonly violation: string | undefined } => {
  const caller = world.callers[index]
  if (caller === undefined) return { state, violation: undefined }
  const violation = faultOfEnding(state, index, caller, ending)
  const reading = readingOf(ending)
  switch (reading) {
    case "served": {
      const isEmpty = ending._tag === "Replay" && ending.charge.response === undefined
      return { state: isEmpty ? state : withSeen(state, { served: true, toldFree: false }), violation }
    }
    case "free":
      return {
        state: isUnderWay(state, index, caller, world) ? withSeen(state, { toldFree: true }) : state,
        violation
      }
    case "refund":
      return { state: withSeen(state, { toldRefund: true }), violation }
    default:
      return { state, violation }
  }
}

/** Nothing more has to happen: no call is left, and nothing of the charge is open. */
export const isFinal = (state: ChargeWorldState, world: World): boolean => {
  const { chain, clock, processes, record } = state
  return (
    clock === "final" &&
    chain !== "mined" &&
    processes.every(({ left, plan }) => plan < 0 && left === 0) &&
    (record === undefined ||
      isLeftToOperator(state, world) ||
      (!record.held && !isUnfinished(record) && record.refund !== "due"))
  )
}

/**
 * An operator decides: a reorganization undid a payment after its refund was sent; or a settlement's response is lost, and
 * no chain can be read.
 */
const isLeftToOperator = ({ chain, record }: ChargeWorldState, { blind }: World): boolean =>
  record !== undefined &&
  !record.held &&
  (chain === "dead" || chain === "canceled") &&
  ((record.refund === "sent" && (record.state !== "settled" || record.awaitsFinality)) ||
    (blind === true && record.state === "ready"))

/** What is wrong with the money at the end. */
const faultAtEnd = (state: ChargeWorldState, world: World): string | undefined => {
  const { chain, order, record, seen } = state
  const isRefunded = seen.refunds > 0
  if (world.calm && !seen.served) return "nothing troubled the call, and it was not served"
  if (chain !== "moved") {
    if (record?.state === "settled" && !isLeftToOperator(state, world))
      return "settled in the ledger, and the money did not move"
    if (order === "applied" && state.reorganizations === 0)
      return "the order is released, and the money did not move"
    return isRefunded && state.reorganizations === 0 ? "refunded, and the money did not move" : undefined
  }
  if (seen.byPayer && record?.precedes === true)
    return record.state === "settled"
      ? "settled by a transfer that was there before the payment was presented"
      : undefined
  if (seen.byPayer && record === undefined) return undefined
  if (record === undefined) return "the money moved, and there is no record of it"
  if (record.state !== "settled") return `the money moved, and its record is ${record.state}`
  const hasResponse = record.response !== "none" && !isRefunded
  if (!hasResponse && !isRefunded) return "the money moved, and there is neither response nor refund"
  if (seen.toldFree && !isRefunded) return "a caller read that nothing was charged, and was charged"
  if (seen.toldRefund && !isRefunded) return "a caller read that the payment is refunded, and it isn't"
  if (world.orders && !isRefunded && order !== "applied")
    return "paid and not refunded, and its order is not released"
  return undefined
}

/** What is wrong with a state. */
export const faultOf = (state: ChargeWorldState, world: World): string | undefined => {
  const { order, seen } = state
  if (seen.settlements > 1) return "settled twice in the ledger"
  if (seen.refunds > 1) return "refunded twice"
  if (seen.refunds > 0 && !seen.moved) return "refunded, and the money never moved"
  if (seen.served && seen.refunds > 0) return "served and refunded"
  if (order === "applied" && seen.refunds > 0) return "the order is released, and its payment is refunded"
  return isFinal(state, world) ? faultAtEnd(state, world) : undefined
}
