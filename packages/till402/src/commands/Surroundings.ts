import { Effect } from "effect"
import type { Output } from "../terminal/Output.ts"

/** What commands have around them; tests give their own. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly output: Output
  readonly sleep: (millis: number) => Promise<void>
  /** Resolves once the process is to end, for commands that run until then. Default: never. */
  readonly untilStopped?: () => Promise<void>
  /** Asks the person at the terminal; `undefined` where nobody is. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}

/** An exit code, as a failure: a command that has said already what is wrong. */
export class Ended extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit code ${code}`)
    this.code = code
  }
}

/** The work of a command: its exit code, or an error whose message is for people. `now` is in milliseconds since 1970. */
export const work = (run: (now: () => number) => Promise<number | void>): Effect.Effect<void, unknown> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(
      Effect.tryPromise({
        try: () => run(() => clock.currentTimeMillisUnsafe()),
        catch: (error) => error
      }),
      (code) => (code === undefined || code === 0 ? Effect.void : Effect.fail(new Ended(code)))
    )
  )
