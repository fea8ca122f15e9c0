/** An environment variable that a script reads. */
export interface Variable {
  readonly name: string
  /** What it is, for who has to set it. */
  readonly what: string
}

/** What a script is configured with. */
export interface Settings {
  /** The value of a required variable. */
  readonly of: (name: string) => string
  /** The value of an optional one; `undefined` where it is not set. */
  readonly maybe: (name: string) => string | undefined
  /** Whether orders may be placed, where the service is no real shop. */
  readonly mayPlace: boolean
}

/** Takes steps one after the other, each with a deadline and a line of its own. */
export interface Steps {
  /**
   * Runs a step and returns its result.
   *
   * @param told what is printed of that: counts, amounts and statuses, never a key or an address
   */
  readonly take: <A>(
    what: string,
    work: (context: { readonly signal: AbortSignal }) => Promise<A>,
    told?: (outcome: A) => string
  ) => Promise<A>
  /** Says that a step is left out, and why. */
  readonly skip: (what: string, why: string) => void
}

/** A true flow through one upstream. */
export interface StagingScript {
  readonly name: string
  /** Without these it is skipped. */
  readonly required: ReadonlyArray<Variable>
  readonly optional: ReadonlyArray<Variable>
  /** Rejects where the upstream is not as our provider takes it to be. */
  readonly run: (steps: Steps, settings: Settings) => Promise<void>
}

/** An upstream's response isn't what it should be. The message contains nothing of the response. */
export class Unexpected extends Error {
  override readonly name = "Unexpected"
}

/** @throws Unexpected unless it holds. */
export const expect = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new Unexpected(otherwise)
}
