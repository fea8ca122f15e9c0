import { Effect } from "effect"

/*
 * What ports may do wrongly, as plain functions and as effects.
 */

/** What a port does with a call. */
export interface Doing {
  readonly what: string
  readonly plain: () => Promise<never>
  readonly effect: () => Effect.Effect<never, never>
}

export const returns = (what: string, value: unknown): Doing => ({
  what,
  plain: async () => value as never,
  effect: () => Effect.succeed(value as never)
})

const bug = new RangeError("a bug")
const untyped = { nonsense: 1 }

/** A value that throws when anything of it is read but what makes a promise of it. */
const unreadable: object = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === "then") return undefined
      throw bug
    }
  }
)

/** What is wrong from any port. */
export const wrongEverywhere: ReadonlyArray<Doing> = [
  returns("nothing", undefined),
  returns("null", null),
  returns("text", "nonsense"),
  returns("a list", []),
  returns("another object", untyped),
  { what: "a defect", plain: () => Promise.reject(bug), effect: () => Effect.die(bug) },
  {
    what: "an untyped failure",
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a host throws may be anything
    plain: () => Promise.reject(untyped),
    effect: () => Effect.fail(untyped as never)
  },
  returns("what can't be read", unreadable),
  {
    what: "a failure that can't be read",
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a host throws may be anything
    plain: () => Promise.reject(unreadable),
    effect: () => Effect.fail(unreadable as never)
  },
  {
    what: "an error before its result",
    plain: () => {
      throw bug
    },
    effect: () => {
      throw bug
    }
  },
  {
    what: "no promise or effect",
    plain: () => untyped as never,
    effect: () => untyped as never
  }
]

export const hangs: Doing = {
  what: "no end",
  plain: () => new Promise(() => undefined),
  effect: () => Effect.never
}
