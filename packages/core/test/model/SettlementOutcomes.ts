import type { ChargeEvent, SettlementStep } from "../../src/toll/machine/ChargeStep.ts"
import { evidencesOf, settlementsOf } from "./ChainModel.ts"
import { overtaken, type Performer, type StepOutcome } from "./CallOutcomes.ts"
import { type ChargeWorldState, type Transaction, withProcess, withRecord } from "./ChargeState.ts"
import { farMillis } from "./ChargeWorld.ts"
import { chargeOf, complete, isHeldBy, receiptOf, reopen, yieldLease } from "./StoreModel.ts"

/*
 * What may come of each step under the lease of a charge, for calls and reconcilers.
 */

type StepOf<Tag extends SettlementStep["_tag"]> = Extract<SettlementStep, { readonly _tag: Tag }>

const done: ChargeEvent = { _tag: "Done" }

const isTransaction = (text: string): text is Transaction =>
  text === "first" || text === "second" || text === "invented"

const transactionOf = (text: string): Transaction => {
  if (!isTransaction(text)) throw new Error(`no transaction of this world: ${text}`)
  return text
}

const settle = (performer: Performer): Array<StepOutcome> => {
  const { index, state, world } = performer
  const { payment } = state.processes[index]!
  if (!payment) {
    const settlement = { _tag: "Unknown", reason: "not stored", transaction: undefined } as const
    return [{ label: "the payment is not stored any more", fact: { _tag: "Settled", settlement }, state }]
  }
  return settlementsOf(state, world).map(({ fact, ...outcome }) => ({
    ...outcome,
    fact: { _tag: "Settled", settlement: fact }
  }))
}

/** A query that asks whether a transfer is still there is about the transfer itself, whenever it was made. */
const queryChain = ({ state, world }: Performer, { query }: StepOf<"QueryChain">): Array<StepOutcome> => {
  const asked = query._tag === "Finality" ? withRecord(state, { precedes: false }) : state
  return evidencesOf(asked, world).map(({ fact, label }) => ({
    label,
    fact: { _tag: "Seen", evidence: fact },
    state
  }))
}

const completing = (performer: Performer, step: StepOf<"Complete">): Array<StepOutcome> => {
  const { index, state, world } = performer
  const { due } = state.processes[index]!
  const { proof } = step
  const refundDue = step.refund !== "none"
  const transaction = transactionOf(step.transaction)
  const isProvisional = proof?.isFinal === false
  const isOwed = due && !refundDue
  const owner = refundDue ? index : undefined
  const settling = { transaction, proven: proof !== undefined, refundDue, isProvisional, isOwed, owner }
  const completed = complete(state, settling, world)
  if (completed !== undefined) {
    const owedUntilMillis = isOwed ? farMillis : undefined
    const receipt = receiptOf(transaction)
    return [
      {
        label: `records the settlement${refundDue ? ", a refund is due" : ""}`,
        fact: {
          _tag: "Completed",
          receipt,
          refundDue,
          owedUntilMillis,
          isProvisional
        },
        state: completed
      }
    ]
  }
  const { record } = state
  if (record === undefined || record.receipt === "none")
    return [{ label: "the charge is not open any more", fact: overtaken, state }]
  const { receipt, refund, responseOwedUntilMillis } = chargeOf(record, world)
  return [
    {
      label: "another process recorded the settlement",
      fact: {
        _tag: "Completed",
        receipt: receipt!,
        refundDue: refund !== undefined,
        owedUntilMillis: record.owner === index ? responseOwedUntilMillis : undefined,
        isProvisional
      },
      state
    }
  ]
}

const apply = ({ index, state }: Performer): Array<StepOutcome> => {
  if (!state.processes[index]!.subject) return [{ label: "nothing to apply", fact: done, state }]
  const applied = withRecord({ ...state, order: "applied" }, { effectPending: false })
  return [
    { label: "applied", fact: done, state: applied },
    { label: "the order can't be updated", fact: done, state: yieldLease(state, index) }
  ]
}

const voiding = (
  { index, state }: Performer,
  { isRefused, keepsExposure }: StepOf<"Void">
): Array<StepOutcome> => {
  const voided = isHeldBy(state.record, index, "claimed", "ready")
  const exposure = keepsExposure && state.record?.exposure === true
  const after = withRecord(state, {
    state: "voided",
    held: false,
    payment: false,
    response: "none",
    exposure,
    ...(isRefused && state.record !== undefined ? { refused: state.record.signature } : {})
  })
  return [
    {
      label: voided ? "voided" : "too late",
      fact: { _tag: "Voided", voided },
      state: voided ? withProcess(after, index, { isLeased: false }) : state
    }
  ]
}

const rollBack = ({ index, state }: Performer): Array<StepOutcome> => {
  const { result, subject } = state.processes[index]!
  const undone: ChargeWorldState =
    subject && state.order === "prepared" ? { ...state, order: "abandoned" } : state
  const after =
    result === "worked" || result === "own" ? withProcess(undone, index, { result: "none" }) : undone
  return [{ label: "undone", fact: done, state: after }]
}

const release = ({ index, state }: Performer): Array<StepOutcome> => {
  const isDeleted = isHeldBy(state.record, index, "claimed", "voided") && state.record?.refund === "none"
  return [
    {
      label: isDeleted ? "deleted" : "too late",
      fact: done,
      state: isDeleted ? { ...state, record: undefined } : state
    }
  ]
}

const finalize = ({ index, state }: Performer): Array<StepOutcome> => {
  const final =
    isHeldBy(state.record, index, "settled") && state.record?.awaitsFinality === true
      ? withRecord(state, { awaitsFinality: false, payment: false })
      : state
  return [{ label: "done", fact: done, state: final }]
}

const reopening = ({ index, state, world }: Performer): Array<StepOutcome> => {
  const reopened = reopen(state, index, world)
  const isRefunded = reopened?.record?.refund === "sent"
  return [
    {
      label: reopened === undefined ? "too late" : "open again",
      fact: { _tag: "Reopened", reopened: reopened !== undefined, isRefunded },
      state: reopened ?? state
    }
  ]
}

const markRefundDue = ({ index, state }: Performer): Array<StepOutcome> => {
  const marked =
    isHeldBy(state.record, index, "settled") && state.record?.refund === "none"
      ? withRecord(state, { refund: "due", owed: "no" })
      : state
  return [{ label: "a refund is due", fact: done, state: marked }]
}

/** The outcomes of a step under a lease. */
export const outcomesOfSettlement = (
  performer: Performer,
  step: SettlementStep
): ReadonlyArray<StepOutcome> => {
  const { index, state } = performer
  switch (step._tag) {
    case "Settle":
      return settle(performer)
    case "QueryChain":
      return queryChain(performer, step)
    case "Complete":
      return completing(performer, step)
    case "Apply":
      return apply(performer)
    case "Void":
      return voiding(performer, step)
    case "RollBack":
      return rollBack(performer)
    case "Release":
      return release(performer)
    case "Finalize":
      return finalize(performer)
    case "Reopen":
      return reopening(performer)
    case "MarkRefundDue":
      return markRefundDue(performer)
    case "YieldLease":
    case "Defer":
      return [
        {
          label: "its lease ends",
          fact: done,
          state: withProcess(yieldLease(state, index), index, { isLeased: false })
        }
      ]
  }
}
