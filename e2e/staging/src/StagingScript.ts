/** An environment variable that a script reads. */
export interface Variable {
  readonly name: string
  /** Its meaning, for those who set it. */
  readonly what: string
}

/** The configuration of a script. */
export interface Settings {
  /** The value of a required variable. */
  readonly of: (name: string) => string
  /** The value of an optional variable; `undefined` if it isn't set. */
  readonly maybe: (name: string) => string | undefined
  /** Whether orders may be placed, if the service is not a real shop. */
  readonly mayPlace: boolean
  /** Sends the requests; records the responses if that is requested. */
  readonly fetch: typeof globalThis.fetch
}

/** Runs steps in sequence, each with a deadline and a line of its own. */
export interface Steps {
  /**
   * Runs a step and returns its result.
   *
   * @param told returns what is printed of the result: counts, amounts and statuses, never a key or an address
   */
  readonly take: <A>(
    what: string,
    work: (context: { readonly signal: AbortSignal }) => Promise<A>,
    summary?: (outcome: A) => string
  ) => Promise<A>
  /** Reports that a step is skipped, and why. */
  readonly skip: (what: string, why: string) => void
}

/** A real flow through one upstream. */
export interface StagingScript {
  readonly name: string
  /** The script is skipped without these. */
  readonly required: ReadonlyArray<Variable>
  readonly optional: ReadonlyArray<Variable>
  /** Rejects if the upstream doesn't behave as our provider expects. */
  readonly run: (steps: Steps, settings: Settings) => Promise<void>
}

/** An upstream's response isn't as expected. The message contains nothing of the response. */
export class Unexpected extends Error {
  override readonly name = "Unexpected"
}

/** @throws Unexpected if the condition is false. */
export const expect = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new Unexpected(otherwise)
}
