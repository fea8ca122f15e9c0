/*
 * An async function whose behaviour a test scripts. No test framework is needed.
 */

type AsyncFunction = (...args: never) => Promise<unknown>
type Answer<F extends AsyncFunction> = Awaited<ReturnType<F>>
type Answering<F extends AsyncFunction> = (...args: Parameters<F>) => Answer<F> | PromiseLike<Answer<F>>

/** How one call goes. */
type Step<F extends AsyncFunction> =
  | { readonly _tag: "Answer"; readonly answer: Answering<F> }
  | { readonly _tag: "Failure"; readonly error: unknown }
  | { readonly _tag: "Hang" }

/**
 * A function that does as it is told and remembers its calls. A step without "once" holds from then on;
 * "once" steps are taken first, in their order, each by one call.
 *
 * Delays and hangs end early, with a rejection, when the `signal` of the last argument aborts.
 *
 * @example
 * const track = scripted<TrackerOptions["track"]>("track")
 * track.answers(sampleTrackResult("1Z9")).failsOnceWith(new Error("reset by peer"))
 * await track({ number: "1Z9" }, context)   // rejects
 * await track({ number: "1Z9" }, context)   // the sample
 * track.calls.length                        // 2
 */
export interface Scripted<F extends AsyncFunction> {
  (...args: Parameters<F>): Promise<Answer<F>>
  /** Arguments of every call so far, oldest first. */
  readonly calls: ReadonlyArray<Parameters<F>>
  /** Answers a value, or what a function makes of the arguments. */
  readonly answers: (answer: Answer<F> | Answering<F>) => Scripted<F>
  readonly answersOnce: (answer: Answer<F> | Answering<F>) => Scripted<F>
  /** Rejects with `error`, whatever it is. */
  readonly failsWith: (error: unknown) => Scripted<F>
  readonly failsOnceWith: (error: unknown) => Scripted<F>
  /** Never answers. */
  readonly hangs: () => Scripted<F>
  readonly hangsOnce: () => Scripted<F>
  /** Waits before each answer or failure from now on, in milliseconds; 0 for none. */
  readonly delays: (millis: number) => Scripted<F>
  /** Forgets calls and script: back to what it was made with. */
  readonly reset: () => Scripted<F>
}

const signalOf = (args: ReadonlyArray<unknown>): AbortSignal | undefined => {
  const last = args.at(-1)
  return typeof last === "object" && last !== null && "signal" in last && last.signal instanceof AbortSignal
    ? last.signal
    : undefined
}

/** Waits, or rejects with the signal's reason once that aborts. For ever without `millis`. */
const wait = (signal: AbortSignal | undefined, millis?: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const end = () => {
      signal?.removeEventListener("abort", abort)
      resolve()
    }
    const timer = millis === undefined ? undefined : setTimeout(end, millis)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener("abort", abort, { once: true })
  })

/**
 * Makes a scripted function. `name` stands in the error of a call that no answer was scripted for;
 * `initial` is what it answers until told otherwise.
 */
export const scripted = <F extends AsyncFunction>(name: string, initial?: Answering<F>): Scripted<F> => {
  const unscripted: Step<F> =
    initial === undefined
      ? { _tag: "Failure", error: new Error(`${name}: no answer was scripted`) }
      : { _tag: "Answer", answer: initial }
  const calls: Array<Parameters<F>> = []
  const once: Array<Step<F>> = []
  let standing: Step<F> = unscripted
  let delayMillis = 0

  const run = async (...args: Parameters<F>): Promise<Answer<F>> => {
    calls.push(args)
    const step = once.shift() ?? standing
    const signal = signalOf(args)
    if (step._tag === "Hang" || delayMillis > 0) {
      await wait(signal, step._tag === "Hang" ? undefined : delayMillis)
    }
    if (step._tag === "Answer") return step.answer(...args)
    throw step._tag === "Failure" ? step.error : new Error(`${name}: hung`)
  }
  const toStep = (answer: Answer<F> | Answering<F>): Step<F> => ({
    _tag: "Answer",
    answer: typeof answer === "function" ? (answer as Answering<F>) : () => answer
  })
  const stands = (step: Step<F>) => {
    standing = step
    return self
  }
  const next = (step: Step<F>) => {
    once.push(step)
    return self
  }
  const self: Scripted<F> = Object.assign(run, {
    calls,
    answers: (answer: Answer<F> | Answering<F>) => stands(toStep(answer)),
    answersOnce: (answer: Answer<F> | Answering<F>) => next(toStep(answer)),
    failsWith: (error: unknown) => stands({ _tag: "Failure", error }),
    failsOnceWith: (error: unknown) => next({ _tag: "Failure", error }),
    hangs: () => stands({ _tag: "Hang" }),
    hangsOnce: () => next({ _tag: "Hang" }),
    delays: (millis: number) => {
      delayMillis = millis
      return self
    },
    reset: () => {
      calls.length = 0
      once.length = 0
      delayMillis = 0
      return stands(unscripted)
    }
  })
  return self
}
