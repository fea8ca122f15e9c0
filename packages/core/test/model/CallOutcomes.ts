import { asReady } from "../../../testing/src/stores/chargeRecords.ts"
import type { ChargeEvent, RequestStep } from "../../src/toll/machine/ChargeStep.ts"
import type { Work } from "../../src/toll/request/TollRequest.ts"
import type { Refusal } from "../../src/toll/request/Verdict.ts"
import { isInBlock, type Outcome } from "./ChainModel.ts"
import { claimedRecord, type ChargeWorldState, isUnfinished, withProcess, withRecord } from "./ChargeState.ts"
import { type Caller, farMillis, secondsOf, type World } from "./ChargeWorld.ts"
import { task, workOf } from "./samples.ts"
import { chargeOf, isFree, isHeldBy } from "./StoreModel.ts"

/*
 * What may come of each step that serves a call's request.
 */

export type StepOutcome = Outcome<ChargeEvent>

/** A process that performs a step. */
export interface Performer {
  readonly world: World
  readonly state: ChargeWorldState
  /** Its place among the processes. */
  readonly index: number
  /** What it presents; `undefined`: a reconciler. */
  readonly caller: Caller | undefined
  /** A refusal by its number. */
  readonly refusalAt: (number: number) => Refusal
}

const refusedWith = (code: string): ChargeEvent => ({
  _tag: "Refused",
  refusal: { code, message: "nothing was charged" }
})

const waited: ChargeEvent = { _tag: "Waited" }
export const overtaken: ChargeEvent = { _tag: "Overtaken" }

const copyRefusalOf = ({ index, refusalAt, state }: Performer): Refusal | undefined => {
  const { copyRefused } = state.processes[index]!
  return copyRefused < 0 ? undefined : refusalAt(copyRefused)
}

/** Another payment has bought the same. */
const repeated = (state: ChargeWorldState): StepOutcome => ({
  label: "repeats another payment",
  fact: { _tag: "Repeated", first: asReady, as: "InFlight" },
  state
})

/** What a call finds under its key, with and without patience left. */
const found = (performer: Performer): Array<StepOutcome> => {
  const { caller, state, world } = performer
  const { clock, record } = state
  const nowMillis = secondsOf[clock] * 1000
  const presented = {
    payloadDigest: caller!.signature,
    sameRequest: record?.request === caller!.request,
    proven: caller!.signature !== "forged",
    replayableUntilMillis: world.expires ? secondsOf.expired * 1000 - 1 : farMillis
  }
  const charge = record && { charge: chargeOf(record, world), presented }
  return [true, false].map((patient) => ({
    label: `finds ${record === undefined ? "nothing" : `it ${record.state}`}${patient ? "" : ", out of patience"}`,
    fact: { _tag: "Found", found: charge, patient, nowMillis, copyRefusal: copyRefusalOf(performer) },
    state
  }))
}

const limited = (state: ChargeWorldState, ...patience: ReadonlyArray<boolean>): Array<StepOutcome> =>
  patience.map((patient) => ({
    label: `over a limit${patient ? "" : ", out of patience"}`,
    fact: { _tag: "Limited", patient },
    state
  }))

const takeOver = (performer: Performer): Array<StepOutcome> => {
  const { caller, state, world } = performer
  const { record } = state
  const outcomes: Array<StepOutcome> = []
  if (world.limits) outcomes.push({ label: "too many takeovers", fact: { _tag: "Exhausted" }, state })
  if (record === undefined || record.held || !isUnfinished(record))
    return [...outcomes, { label: "another was first", fact: overtaken, state }]
  return [...outcomes, ...takenBy(performer, caller)]
}

/** A takeover of a record whose lease has expired. */
export const takenBy = (
  { index, state, world }: Pick<Performer, "index" | "state" | "world">,
  caller: Caller | undefined
): Array<StepOutcome> => {
  const taken = withRecord(state, { owner: index, held: true })
  const record = taken.record!
  const { result } = state.processes[index]!
  const isOpen = record.state === "claimed" || record.state === "voided"
  const isOurs =
    caller === undefined ||
    ((isOpen || record.signature === caller.signature) && record.request === caller.request)
  const recorded = isOurs && record.signature === caller?.signature ? "recorded" : "foreign"
  return (world.unreadable && record.payment ? [true, false] : [true]).map((readable) => ({
    label: `takes over what is ${record.state}${readable ? "" : ", but can't read its payment"}`,
    fact: {
      _tag: "Taken",
      charge: chargeOf(record, world),
      sameRequest: isOurs,
      isRefused: record.refused === caller?.signature,
      readable,
      nowMillis: secondsOf[state.clock] * 1000
    },
    state: withProcess(taken, index, {
      holds: true,
      isLeased: true,
      due: world.settlesFirst === true && record.response === "none",
      payment: record.payment && readable,
      subject: record.subject,
      result: record.response === "recorded" ? recorded : result
    })
  }))
}

const judge = ({ caller, index, refusalAt, state, world }: Performer): Array<StepOutcome> => {
  const { copyRefused, holds } = state.processes[index]!
  if (copyRefused >= 0)
    return [
      { label: "refused as its copy was", fact: { _tag: "Refused", refusal: refusalAt(copyRefused) }, state }
    ]
  const refused = (code: string): StepOutcome => ({
    label: `refused: ${code}`,
    fact: refusedWith(code),
    state
  })
  if (caller!.signature === "forged") return [refused("foreign_signature")]
  if (state.clock !== "open") return [refused("expired")]
  return [
    { label: "accepted", fact: { _tag: "Accepted", task }, state },
    ...(world.limits && !holds ? limited(state, false) : []),
    // Its price may have changed, or its payer could not pay a moment ago.
    ...(world.limits ? [refused("price_changed"), repeated(state)] : [])
  ]
}

const verify = ({ index, state, world }: Performer): Array<StepOutcome> => {
  const { processes } = state
  const busy = world.together === true && processes.some(({ guards }, at) => guards && at !== index)
  if (busy)
    return [true, false].map((patient) => ({
      label: `another call verifies it${patient ? "" : ", out of patience"}`,
      fact: { _tag: "Busy", patient },
      state
    }))
  const head = processes[index]!.head ?? isInBlock(state)
  const after = withProcess(state, index, { guards: true, head, isUnverified: true })
  const canMove = state.chain === "unsent" || state.chain === "flight"
  const outcomes: Array<StepOutcome> = [
    {
      label: "invalid",
      fact: { _tag: "Verified", verification: { _tag: "Invalid", reason: "invalid_payment" } },
      state: after
    },
    // Its payer could not pay a moment ago, or the chain doesn't accept its signature.
    ...(world.limits ? [{ label: "refused here", fact: refusedWith("payer"), state: after }] : []),
    {
      label: "the facilitator is down",
      fact: { _tag: "Verified", verification: { _tag: "Unreachable", reason: "timeout" } },
      state: after
    }
  ]
  // A facilitator whose node lags verifies what has moved already.
  if (canMove || world.lies !== undefined || world.lag)
    outcomes.unshift({
      label: "valid",
      fact: { _tag: "Verified", verification: { _tag: "Valid", payer: undefined } },
      state: withProcess(after, index, { isUnverified: false })
    })
  return world.limits ? [...outcomes, ...limited(after, false)] : outcomes
}

const claim = (performer: Performer): Array<StepOutcome> => {
  const { caller, index, state, world } = performer
  const { request, signature } = caller!
  const { record } = state
  const process = state.processes[index]!
  const open = withProcess(state, index, { guards: false })
  if (!isFree(record, index)) return found({ ...performer, state: open })
  const outcomes = world.limits ? [...limited(state, true, false), repeated(state)] : []
  const claimed = claimedRecord(index, {
    request,
    signature,
    exposure: world.settlesFirst !== true,
    precedes: record?.precedes ?? process.head === true,
    refused: record?.refused ?? "none"
  })
  outcomes.unshift({
    label: "claims it",
    fact: { _tag: "Claimed", claimedAtMillis: 0 },
    state: withProcess({ ...open, record: claimed }, index, {
      guards: false,
      holds: true,
      isLeased: true,
      due: world.settlesFirst === true,
      payment: true,
      subject: false
    })
  })
  return outcomes
}

/** A claim of what is refused as a repetition: it costs nothing, and no limit applies. */
const claimRefused = (performer: Performer): Array<StepOutcome> => {
  const { limits: _, ...world } = performer.world
  const [first] = claim({ ...performer, world })
  const { record } = first!.state
  const isClaimed = first!.fact._tag === "Claimed" && record !== undefined
  return isClaimed ? [{ ...first!, state: withRecord(first!.state, { exposure: false }) }] : found(performer)
}

const work = ({ index, state, world }: Performer): Array<StepOutcome> => {
  const subject = world.orders === true
  const order = subject && state.order !== "applied" ? "prepared" : state.order
  return [
    {
      label: "done",
      fact: { _tag: "Worked", work: workOf(subject), nowSeconds: secondsOf[state.clock] },
      state: withProcess({ ...state, order }, index, { result: "worked", subject })
    },
    {
      label: "fails",
      fact: { _tag: "WorkFailed" },
      state: withProcess(state, index, { result: "failed" })
    }
  ]
}

/** The state after the response of a process is recorded. */
const keepWork = (state: ChargeWorldState, index: number): ChargeWorldState =>
  state.processes[index]!.result === "worked" ? withProcess(state, index, { result: "own" }) : state

const advance = ({ index, state }: Performer, { work }: { readonly work?: Work }): Array<StepOutcome> => {
  const advanced = isHeldBy(state.record, index, "claimed")
  const changes = {
    state: "ready",
    response: work === undefined ? "none" : "recorded",
    subject: work?.subject !== undefined
  } as const
  return [
    {
      label: advanced ? "recorded" : "too late",
      fact: { _tag: "Advanced", advanced },
      state: advanced ? keepWork(withRecord(state, changes), index) : state
    }
  ]
}

const deliver = ({ index, state }: Performer): Array<StepOutcome> => {
  const delivered =
    isHeldBy(state.record, index, "settled") && state.record!.owed !== "no" && state.record!.refund === "none"
  return [
    {
      label: delivered ? "recorded" : "too late",
      fact: { _tag: "Delivered", delivered },
      state: delivered ? keepWork(withRecord(state, { response: "recorded", owed: "no" }), index) : state
    }
  ]
}

/** The outcomes of a step of a call. */
export const outcomesOfCall = (performer: Performer, step: RequestStep): ReadonlyArray<StepOutcome> => {
  const { state } = performer
  switch (step._tag) {
    case "Find":
    case "FindCopy":
      return found(performer)
    case "Wait":
    case "Queue":
      return [{ label: "waited", fact: waited, state }]
    case "TakeOver":
      return takeOver(performer)
    case "Judge":
      return judge(performer)
    case "Verify":
      return verify(performer)
    case "Claim":
      return claim(performer)
    case "ClaimRefused":
      return claimRefused(performer)
    case "CheckFunds":
      return [true, false].map((isCovered) => ({
        label: isCovered ? "covered" : "not covered",
        fact: { _tag: "Funded", isCovered },
        state
      }))
    case "Work":
      return work(performer)
    case "Advance":
      return advance(performer, step)
    case "Deliver":
      return deliver(performer)
  }
}
