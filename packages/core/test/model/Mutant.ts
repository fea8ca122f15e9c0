import type { ChargeEvent, ChargeFacts, ChargeStep, Plan } from "../../src/toll/machine/ChargeStep.ts"

/*
 * A mutant of the charge machine: it changes what the machine reads or decides in one place.
 */

/** What the machine is given. */
export interface Given {
  readonly plan: Plan
  readonly event: ChargeEvent
  readonly facts: ChargeFacts
}

/** A change of what the machine reads, or of the plan that it decides. */
export interface Mutant {
  readonly name: string
  readonly reads?: (given: Given) => Given
  readonly decides?: (decided: Plan, given: Given) => Plan
  /** A world that notices it. */
  readonly noticedBy?: string
  /** Why no world notices it. */
  readonly survives?: string
}

export type EventOf<Tag extends ChargeEvent["_tag"]> = Extract<ChargeEvent, { readonly _tag: Tag }>
export type StepOf<Tag extends ChargeStep["_tag"]> = Extract<ChargeStep, { readonly _tag: Tag }>

export const isEvent = <Tag extends ChargeEvent["_tag"]>(
  event: ChargeEvent,
  tag: Tag
): event is EventOf<Tag> => event._tag === tag
export const isStep = <Tag extends ChargeStep["_tag"]>(step: ChargeStep, tag: Tag): step is StepOf<Tag> =>
  step._tag === tag

/** Reads an event of a kind otherwise. */
export const readsEvent =
  <Tag extends ChargeEvent["_tag"]>(
    tag: Tag,
    change: (event: EventOf<Tag>, given: Given) => ChargeEvent
  ): NonNullable<Mutant["reads"]> =>
  (given) =>
    isEvent(given.event, tag) ? { ...given, event: change(given.event, given) } : given

export const readsFacts =
  (change: Partial<ChargeFacts>): NonNullable<Mutant["reads"]> =>
  (given) => ({ ...given, facts: { ...given.facts, ...change } })

/** Plans otherwise where a step of a kind would be next. `later`: the rest of the plan. */
export const decidesStep =
  <Tag extends ChargeStep["_tag"]>(
    tag: Tag,
    change: (step: StepOf<Tag>, later: ReadonlyArray<ChargeStep>, given: Given) => Plan
  ): NonNullable<Mutant["decides"]> =>
  (decided, given) => {
    const [step, ...later] = decided
    return isStep(step, tag) ? change(step, later, given) : decided
  }

/** Skips steps of a kind. */
export const skips = (tag: ChargeStep["_tag"]): NonNullable<Mutant["decides"]> =>
  decidesStep(tag, (_, [next, ...later]) => {
    if (next === undefined) throw new Error(`${tag} ends a plan`)
    return [next, ...later]
  })
