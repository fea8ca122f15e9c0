import { begin, next } from "../../src/toll/machine/ChargeMachine.ts"
import type { ChargeEvent, ChargeFacts, ChargeStep, Plan } from "../../src/toll/machine/ChargeStep.ts"
import { beginInReconciler, nextInReconciler } from "../../src/toll/machine/SettlementMachine.ts"
import type { Refusal } from "../../src/toll/request/Verdict.ts"
import { outcomesOfCall, type Performer, type StepOutcome, takenBy } from "./CallOutcomes.ts"
import { faultOf, isFinal, judgeBeginning, judgeEnding } from "./ChargeJudge.ts"
import {
  type ChargeWorldState,
  idle,
  isUnfinished,
  keyOfState,
  type Process,
  withProcess,
  withRecord
} from "./ChargeState.ts"
import { type Caller, finalitySeconds, validBeforeSeconds, type World } from "./ChargeWorld.ts"
import { isReconcilerPlan, isRequestStep } from "../toll/machine/nextStep.ts"
import type { Model, Move } from "./Checker.ts"
import { movesByThemselves } from "./OwnMoves.ts"
import { outcomesOfSettlement } from "./SettlementOutcomes.ts"

/*
 * The charge machine in a world: each process performs the first step of its plan, and the real machine decides which plan follows.
 */

/** The functions of the machines. Mutants replace them. */
export interface Machines {
  readonly next: typeof next
  readonly beginInReconciler: typeof beginInReconciler
  readonly nextInReconciler: typeof nextInReconciler
}

export const realMachines: Machines = { next, beginInReconciler, nextInReconciler }

/** Things by number, so that a state is small. */
class Numbered<Thing> {
  private readonly things: Array<Thing> = []
  private readonly numbers = new Map<string, number>()

  numberOf(thing: Thing): number {
    const text = JSON.stringify(thing)
    let number = this.numbers.get(text)
    if (number === undefined) {
      number = this.things.push(thing) - 1
      this.numbers.set(text, number)
    }
    return number
  }

  at(number: number): Thing {
    return this.things[number]!
  }
}

const outcomesOf = (performer: Performer, step: ChargeStep): ReadonlyArray<StepOutcome> => {
  if (isRequestStep(step)) return outcomesOfCall(performer, step)
  return step._tag === "End" ? [] : outcomesOfSettlement(performer, step)
}

/** One exploration of a world. */
class ChargeModel implements Model<ChargeWorldState> {
  readonly initial: ChargeWorldState
  private readonly world: World
  private readonly machines: Machines
  private readonly plans = new Numbered<Plan>()
  private readonly refusals = new Numbered<Refusal>()
  private readonly due: boolean
  /** The first two callers can be exchanged. */
  private readonly hasTwins: boolean

  constructor(world: World, machines: Machines) {
    this.world = world
    this.machines = machines
    this.due = world.settlesFirst === true
    const [first, second] = world.callers
    this.hasTwins =
      second !== undefined && JSON.stringify(first) === JSON.stringify(second) && !world.inSequence
    const calls = world.callers.map(({ times = 1 }) => idle(times, this.due))
    const reconcilers = Array.from({ length: world.reconcilers }, () => idle(0, this.due))
    this.initial = {
      clock: "open",
      chain: "unsent",
      transaction: "first",
      reorganizations: 0,
      record: undefined,
      processes: [...calls, ...reconcilers],
      order: "none",
      seen: {
        settlements: 0,
        refunds: 0,
        moved: false,
        byPayer: false,
        served: false,
        toldFree: false,
        toldRefund: false
      }
    }
  }

  readonly keyOf = (state: ChargeWorldState) => keyOfState(state, this.hasTwins)
  readonly isFinal = (state: ChargeWorldState) => isFinal(state, this.world)
  readonly faultOf = (state: ChargeWorldState) => faultOf(state, this.world)

  readonly describe = ({ chain, clock, record, seen }: ChargeWorldState): string =>
    `chain ${chain}, time ${clock}, record ${record === undefined ? "none" : JSON.stringify(record)}, seen ${JSON.stringify(seen)}`

  readonly movesFrom = (state: ChargeWorldState): ReadonlyArray<Move<ChargeWorldState>> => [
    ...state.processes.flatMap((process, index) => this.movesOf(state, process, index)),
    ...movesByThemselves(state, this.world, (index) => this.nameOf(index))
  ]

  private nameOf(index: number): string {
    const caller = this.world.callers[index]
    if (caller === undefined) return `reconciler ${index - this.world.callers.length + 1}`
    const signature = caller.signature === "own" ? "" : `, signature ${caller.signature}`
    return `call ${index + 1} (request ${caller.request}${signature})`
  }

  private movesOf(state: ChargeWorldState, process: Process, index: number): Array<Move<ChargeWorldState>> {
    const name = this.nameOf(index)
    if (process.plan < 0) return this.beginnings(state, process, index, name)
    const plan = this.plans.at(process.plan)
    const [step] = plan
    if (step._tag === "Claim" && process.isUnverified)
      return [{ label: `${name}: Claim`, to: state, violation: "a call claims what was not verified" }]
    const isMisused = !isRequestStep(step) || step._tag === "Work" || step._tag === "Advance"
    if (isMisused && !process.holds)
      return [
        {
          label: `${name}: ${step._tag}`,
          to: state,
          violation: "a call works on a charge that it doesn't hold"
        }
      ]
    if (step._tag === "Work" && !process.isLeased)
      return [{ label: `${name}: Work`, to: state, violation: "work runs without a lease" }]
    const performer = this.performer(state, index)
    const outcomes = outcomesOf(performer, step)
    const moves = (this.world.calm ? outcomes.slice(0, 1) : outcomes).map((outcome) =>
      this.moveTo(outcome, index, `${name}: ${step._tag}: ${outcome.label}`, (event, facts) =>
        performer.caller === undefined && isReconcilerPlan(plan)
          ? this.machines.nextInReconciler(plan, event, facts)
          : this.machines.next(plan, event, facts)
      )
    )
    if (this.world.crashes) moves.push({ label: `${name}: crashes`, to: this.crash(state, index) })
    return moves
  }

  private performer(state: ChargeWorldState, index: number): Performer {
    const refusalAt = (number: number) => this.refusals.at(number)
    return { world: this.world, state, index, caller: this.world.callers[index], refusalAt }
  }

  /** The first plan of a call, or of a reconciler that finds the charge due. */
  private beginnings(
    state: ChargeWorldState,
    process: Process,
    index: number,
    name: string
  ): Array<Move<ChargeWorldState>> {
    const { record } = state
    if (index < this.world.callers.length) {
      if (process.left === 0 || this.isTooEarly(state, index)) return []
      const begun = withProcess(judgeBeginning(state, this.world.callers[index]!), index, {
        left: process.left - 1,
        plan: this.plans.numberOf(begin)
      })
      return [{ label: `${name}: begins`, to: begun }]
    }
    if (record === undefined || record.held || !isUnfinished(record)) return []
    if (this.world.reconcilesApart && state.processes.some(({ plan }) => plan >= 0)) return []
    return takenBy(this.performer(state, index), undefined).map((outcome) =>
      this.moveTo(outcome, index, `${name}: ${outcome.label}`, (event, facts) => {
        if (event._tag !== "Taken") throw new Error("a reconciler begins with a takeover")
        return this.machines.beginInReconciler(event, facts)
      })
    )
  }

  /** Whether a call has to wait for others before it begins, in this world. */
  private isTooEarly({ processes }: ChargeWorldState, index: number): boolean {
    const { callers, inSequence, reconcilesApart } = this.world
    return processes.some(({ left, plan }, at) => {
      const isRunning = plan >= 0
      if (at >= callers.length) return reconcilesApart === true && isRunning
      return inSequence === true && at < index && (isRunning || left > 0)
    })
  }

  private moveTo(
    { fact, state }: StepOutcome,
    index: number,
    label: string,
    decide: (event: ChargeEvent, facts: ChargeFacts) => Plan
  ): Move<ChargeWorldState> {
    let plan: Plan
    try {
      plan = decide(fact, this.factsOf(state, index))
    } catch (error) {
      return { label, to: state, violation: `the machine fails: ${String(error)}` }
    }
    const [step] = plan
    const { result, subject } = state.processes[index]!
    if ((step._tag === "Find" || step._tag === "End") && result === "worked" && subject)
      return { label, to: state, violation: "what a call prepared is neither recorded nor rolled back" }
    if (step._tag !== "End")
      return { label, to: withProcess(state, index, { plan: this.plans.numberOf(plan) }) }
    const { ending } = step
    const told = ending._tag === "Refused" ? `Refused (${ending.refusal.code})` : ending._tag
    const judged = judgeEnding(state, index, this.world, ending)
    const passed = ending._tag === "Refused" ? this.passOn(judged.state, index, ending.refusal) : judged.state
    return { label: `${label}; ends: ${told}`, to: this.end(passed, index), violation: judged.violation }
  }

  private factsOf({ processes }: ChargeWorldState, index: number): ChargeFacts {
    const { due, payment } = processes[index]!
    return {
      by: index < this.world.callers.length ? "call" : "reconciler",
      canReadChain: this.world.blind !== true,
      // A task that isn't stored any more counts as one that needs proof.
      proofRequired: this.world.proofRequired === true || !payment,
      workIsDue: due,
      validBeforeSeconds,
      finalitySeconds
    }
  }

  /** In one process, copies that run get the refusal, too. */
  private passOn(state: ChargeWorldState, index: number, refusal: Refusal): ChargeWorldState {
    const { guards, holds } = state.processes[index]!
    const mine = this.world.callers[index]
    if (this.world.together !== true || mine === undefined || !(guards || holds)) return state
    const isCopy = ({ request, signature }: Caller) =>
      request === mine.request && signature === mine.signature
    const copyRefused = this.refusals.numberOf(refusal)
    const processes = state.processes.map((process, at) => {
      const caller = this.world.callers[at]
      return at !== index && process.plan >= 0 && caller !== undefined && isCopy(caller)
        ? { ...process, copyRefused }
        : process
    })
    return { ...state, processes }
  }

  /** The process has ended: nobody has its name any more. */
  private end(state: ChargeWorldState, index: number): ChargeWorldState {
    const { left } = state.processes[index]!
    const ended = withProcess(state, index, idle(left, this.due))
    return ended.record?.owner === index ? withRecord(ended, { owner: -1 }) : ended
  }

  /** Calls in one process crash together. */
  private crash(state: ChargeWorldState, index: number): ChargeWorldState {
    if (this.world.together !== true || index >= this.world.callers.length) return this.end(state, index)
    return this.world.callers.reduce((after, _, at) => this.end(after, at), state)
  }
}

export const chargeModel = (world: World, machines: Machines = realMachines): Model<ChargeWorldState> =>
  new ChargeModel(world, machines)
