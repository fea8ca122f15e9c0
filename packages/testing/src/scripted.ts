/** By this mark of its functions, a till knows a provider that makes its results up, and takes no real money with it. */
const standIn = Symbol.for("@till402/standIn")

type AsyncFunction = (...args: never) => Promise<unknown>
type Result<F extends AsyncFunction> = Awaited<ReturnType<F>>
type Implementation<F extends AsyncFunction> = (...args: Parameters<F>) => Result<F> | PromiseLike<Result<F>>

/** The outcome of one call. */
type Step<F extends AsyncFunction> =
  | { readonly _tag: "Return"; readonly implementation: Implementation<F> }
  | { readonly _tag: "Failure"; readonly error: unknown }
  | { readonly _tag: "Hang" }

/**
 * An async function with scripted outcomes that records its calls.
 *
 * "Once" outcomes apply first, in order, one call each; the others apply to all later calls. Delays and hangs reject
 * early if the `signal` of the last argument aborts.
 *
 * @example
 * const track = scripted<TrackerOptions["track"]>("track")
 * track.returns(sampleTrackResult("1Z9")).failsOnceWith(new Error("reset by peer"))
 * await track({ number: "1Z9" }, context)   // rejects
 * await track({ number: "1Z9" }, context)   // the sample
 * track.calls.length                        // 2
 */
export interface Scripted<F extends AsyncFunction> {
  (...args: Parameters<F>): Promise<Result<F>>
  /** Arguments of all calls, oldest first. */
  readonly calls: ReadonlyArray<Parameters<F>>
  /** Returns a value, or the result of a function called with the arguments. */
  readonly returns: (value: Result<F> | Implementation<F>) => Scripted<F>
  readonly returnsOnce: (value: Result<F> | Implementation<F>) => Scripted<F>
  /** Rejects with this error. */
  readonly failsWith: (error: unknown) => Scripted<F>
  readonly failsOnceWith: (error: unknown) => Scripted<F>
  /** Never settles. */
  readonly hangs: () => Scripted<F>
  readonly hangsOnce: () => Scripted<F>
  /** Delays every later call by this many milliseconds; 0 for none. */
  readonly delays: (millis: number) => Scripted<F>
  /** Clears calls and script, and restores the initial behavior. */
  readonly reset: () => Scripted<F>
}

const signalOf = (args: ReadonlyArray<unknown>): AbortSignal | undefined => {
  const last = args.at(-1)
  return typeof last === "object" && last !== null && "signal" in last && last.signal instanceof AbortSignal
    ? last.signal
    : undefined
}

/** Waits, forever without `millis`; rejects with the signal's reason if it aborts. */
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
 * Creates a scripted function. `initial` is its behavior until a test scripts another; without it, calls reject with
 * an error that contains `name`.
 */
export const scripted = <F extends AsyncFunction>(name: string, initial?: Implementation<F>): Scripted<F> => {
  const unscripted: Step<F> =
    initial === undefined
      ? { _tag: "Failure", error: new Error(`${name}: no result was scripted`) }
      : { _tag: "Return", implementation: initial }
  const calls: Array<Parameters<F>> = []
  const once: Array<Step<F>> = []
  let current: Step<F> = unscripted
  let delayMillis = 0

  const run = async (...args: Parameters<F>): Promise<Result<F>> => {
    calls.push(args)
    const step = once.shift() ?? current
    const signal = signalOf(args)
    if (step._tag === "Hang" || delayMillis > 0) {
      await wait(signal, step._tag === "Hang" ? undefined : delayMillis)
    }
    if (step._tag === "Return") return step.implementation(...args)
    throw step._tag === "Failure" ? step.error : new Error(`${name}: hung`)
  }
  const toStep = (value: Result<F> | Implementation<F>): Step<F> => ({
    _tag: "Return",
    implementation: typeof value === "function" ? (value as Implementation<F>) : () => value
  })
  const always = (step: Step<F>) => {
    current = step
    return self
  }
  const next = (step: Step<F>) => {
    once.push(step)
    return self
  }
  const self: Scripted<F> = Object.assign(run, {
    [standIn]: true,
    calls,
    returns: (value: Result<F> | Implementation<F>) => always(toStep(value)),
    returnsOnce: (value: Result<F> | Implementation<F>) => next(toStep(value)),
    failsWith: (error: unknown) => always({ _tag: "Failure", error }),
    failsOnceWith: (error: unknown) => next({ _tag: "Failure", error }),
    hangs: () => always({ _tag: "Hang" }),
    hangsOnce: () => next({ _tag: "Hang" }),
    delays: (millis: number) => {
      delayMillis = millis
      return self
    },
    reset: () => {
      calls.length = 0
      once.length = 0
      delayMillis = 0
      return always(unscripted)
    }
  })
  return self
}
