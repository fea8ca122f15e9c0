import type { Effect } from "effect"
import type { ChargeEvent, ChargeStep, Ending, EndStep, Plan } from "../machine/ChargeStep.ts"

/** A call takes about ten steps, and some more while it waits for copies of its payment. */
export const maxSteps = 200

/** The generator that performs a step, and returns its event. */
export type StepGenerator<E, Event = ChargeEvent> = Effect.fn.Return<Event, E>

const isEnd = (step: ChargeStep): step is EndStep => step._tag === "End"

/**
 * Performs the first step of a plan, then that of the plan that follows, until one is the end. Returns `undefined` after
 * {@link maxSteps}: a store that contradicts itself must not keep a caller or the reconciler busy forever.
 */
export function* driveSteps<Step extends ChargeStep, Later extends ChargeStep, E>(
  first: Plan<Step | EndStep, Later>,
  perform: (step: Step) => StepGenerator<E>,
  next: (plan: Plan<Step | EndStep, Later>, event: ChargeEvent) => Plan<Step | EndStep, Later>
): StepGenerator<E, Ending | undefined> {
  let plan = first
  for (let steps = 0; steps < maxSteps; steps++) {
    const [step] = plan
    if (isEnd(step)) return step.ending
    plan = next(plan, yield* perform(step))
  }
  return undefined
}
