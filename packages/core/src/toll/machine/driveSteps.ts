import type { Effect } from "effect"
import type { ChargeEvent, ChargeStep, Ending, EndStep } from "./ChargeStep.ts"

/** A call takes about ten steps, and some more while it waits for copies of its payment. */
export const maxSteps = 200

/** The generator that performs a step, and returns its event. */
export type StepGenerator<E, Event = ChargeEvent> = Effect.fn.Return<Event, E>

const isEnd = (step: ChargeStep): step is EndStep => step._tag === "End"

/**
 * Performs steps until one is the end. Returns `undefined` after {@link maxSteps}: a store that contradicts itself must
 * not keep a caller or the reconciler busy forever.
 */
export function* driveSteps<Step extends ChargeStep, E>(
  first: NoInfer<Step> | EndStep,
  perform: (step: Step) => StepGenerator<E>,
  next: (step: Step, event: ChargeEvent) => Step | EndStep
): StepGenerator<E, Ending | undefined> {
  let step = first
  for (let steps = 0; steps < maxSteps; steps++) {
    if (isEnd(step)) return step.ending
    step = next(step, yield* perform(step))
  }
  return undefined
}
