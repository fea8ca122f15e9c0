import { Effect } from "effect"
import type { ChargeEvent, ChargeStep, Ending, EndStep, Plan } from "../machine/ChargeStep.ts"

/** A call takes about ten steps, and some more while it waits for copies of its payment. */
export const maxSteps = 200

const isEnd = (step: ChargeStep): step is EndStep => step._tag === "End"

/**
 * Performs the first step of a plan, then that of the plan that follows, until one is the end. Returns `undefined` after
 * {@link maxSteps}: a store that contradicts itself must not keep a caller or the reconciler busy forever.
 */
export const driveSteps = Effect.fnUntraced(function* <
  Step extends ChargeStep,
  Later extends ChargeStep,
  Event extends ChargeEvent,
  E
>(
  first: Plan<Step | EndStep, Later>,
  perform: (step: Step) => Effect.Effect<Event, E>,
  next: (plan: Plan<Step | EndStep, Later>, event: Event) => Plan<Step | EndStep, Later>
): Effect.fn.Return<Ending | undefined, E> {
  let plan = first
  for (let steps = 0; steps < maxSteps; steps++) {
    const [step] = plan
    if (isEnd(step)) return step.ending
    plan = next(plan, yield* perform(step))
  }
  return undefined
})
