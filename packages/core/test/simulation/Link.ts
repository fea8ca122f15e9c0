import { Cause, Effect, Exit } from "effect"
import { powerCut } from "./PowerCut.ts"
import type { Process } from "./Process.ts"
import type { Connection } from "./Storage.ts"
import type { Timeline } from "./Timeline.ts"
import type { Trace } from "./Trace.ts"

/** Timeout for requests to a node. */
const rpcTimeoutMillis = 5_000

/**
 * A fault injected into a call. `early`: before it took effect. `late`: after that, with the response lost.
 */
export type Fault =
  | { readonly _tag: "Crash"; readonly when: "early" | "late" }
  /** Crashes during a store operation after this many SQL statements; for other calls like `late`. */
  | { readonly _tag: "PowerCut"; readonly statements: number }
  | { readonly _tag: "Freeze"; readonly millis: number }
  | { readonly _tag: "Error"; readonly when: "early" | "late" }

/** The delays of a call, and its fault. */
export interface CallPlan {
  readonly outboundMillis: number
  readonly returnMillis: number
  readonly fault: Fault | undefined
}

/**
 * Connects a process with everything outside of it: every call is two events, its arrival and its response.
 *
 * A process can crash before, between and after them, and its call can take effect after the crash.
 */
export class Link {
  private readonly process: Process
  private readonly timeline: Timeline
  private readonly trace: Trace
  private readonly planCall: (name: string) => CallPlan
  private readonly crash: () => void

  constructor(options: {
    readonly process: Process
    readonly timeline: Timeline
    readonly trace: Trace
    /** Draws delays and a fault for a call of this name. */
    readonly planCall: (name: string) => CallPlan
    /** Crashes the process. */
    readonly crash: () => void
  }) {
    this.process = options.process
    this.timeline = options.timeline
    this.trace = options.trace
    this.planCall = options.planCall
    this.crash = options.crash
  }

  /** A request to a node, with a timeout. */
  rpc = (method: string, respond: () => unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const name = `chain.${method}`
      const stop = this.process.deliver(rpcTimeoutMillis, () => reject(new Error(`${name}: timed out`)))
      const end = (settle: () => void): void => {
        stop()
        settle()
      }
      this.transmit<Attempt<unknown>>(name, {
        execute: (done) => {
          const attempted = attempt(respond)
          this.note(`${name} → ${describeAttempt(attempted)}`)
          done(attempted)
        },
        respond: (attempted) =>
          end(() => ("thrown" in attempted ? reject(attempted.thrown as Error) : resolve(attempted.value))),
        fail: () => end(() => reject(new Error(`${name}: connection reset`))),
        isLocal: false
      })
    })

  /**
   * Calls a host function. An exception rejects; `undefined` never settles. The response is sent at
   * `notBefore` at the earliest.
   */
  call = <A>(name: string, run: () => A | undefined, notBefore = (): number => 0): Promise<A> =>
    this.callLater(name, (report) => {
      const value = run()
      report(value, notBefore())
    })

  /**
   * As `call`, for a function that reports its result at once or later; an exception replaces it.
   */
  callLater = <A>(
    name: string,
    run: (report: (value: A | undefined, notBefore: number) => void) => void
  ): Promise<A> =>
    new Promise((resolve, reject) => {
      let fromMillis = 0
      this.transmit<Attempt<A | undefined>>(name, {
        execute: (done) => {
          const end = (attempted: Attempt<A | undefined>): void => {
            this.note(`${name} → ${describeAttempt(attempted)}`)
            done(attempted)
          }
          let isRunning = true
          let isReported = false
          let reported: A | undefined
          const attempted = attempt(() =>
            run((value, notBefore) => {
              fromMillis = notBefore
              if (!isRunning) return end({ value })
              isReported = true
              reported = value
            })
          )
          isRunning = false
          if ("thrown" in attempted) end(attempted)
          else if (isReported) end({ value: reported })
        },
        respond: (attempted) => {
          // A host function may throw anything, so the value is passed on unchanged.
          if ("thrown" in attempted) reject(attempted.thrown as Error)
          else if (attempted.value !== undefined) resolve(attempted.value)
        },
        fail: () => reject(new Error(`${name}: connection reset`)),
        isLocal: false,
        notBefore: () => fromMillis
      })
    })

  /** Runs an effect in the process: never settles if the process dies. */
  run = <A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> =>
    new Promise((resolve, reject) => {
      const aborted = Effect.callback<never>((resume) => {
        signal?.addEventListener("abort", () => resume(Effect.interrupt))
      })
      this.process.run(Effect.raceFirst(effect, aborted), (exit) => {
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else reject(Cause.squash(exit.cause))
      })
    })

  /**
   * Runs a store operation. `isLocal`: the store is part of the process and does nothing while the process is
   * dead or frozen.
   */
  storeCall = <A, E>(
    name: string,
    effect: Effect.Effect<A, E>,
    options: {
      readonly isLocal: boolean
      readonly execute: Connection["execute"]
      readonly error: () => E
      /** Receives the result even if the process is dead; returns the summary for the trace. */
      readonly observe: (value: A) => string
    }
  ): Effect.Effect<A, E> =>
    Effect.callback((resume) => {
      this.transmit<Exit.Exit<A, E>>(name, {
        execute: (done) => {
          options.execute(effect, (exit) => {
            this.note(`${name} → ${Exit.isSuccess(exit) ? options.observe(exit.value) : "failed"}`)
            done(exit)
          })
        },
        respond: resume,
        fail: () => resume(Effect.fail(options.error())),
        isLocal: options.isLocal
      })
    })

  private transmit<A>(
    name: string,
    call: {
      readonly execute: (done: (value: A) => void) => void
      readonly respond: (value: A) => void
      readonly fail?: () => void
      readonly isLocal: boolean
      readonly notBefore?: () => number
    }
  ): void {
    if (!this.process.isAlive) return
    const { returnMillis, fault, outboundMillis } = this.planCall(name)
    const deliver = (millis: number, receive: () => void): void => {
      // An immediate response needs no event of its own.
      if (millis <= 0 && this.process.isAlive && !this.process.isFrozen) receive()
      else this.process.deliver(millis, receive)
    }
    const arrive = (): void => {
      if (fault?._tag === "Crash" && fault.when === "early") return this.crashAt(`before ${name}`)
      if (fault?._tag === "Error" && fault.when === "early") {
        this.note(`${name} fails before it takes effect`)
        return deliver(0, () => call.fail?.())
      }
      if (fault?._tag === "PowerCut" && call.isLocal) powerCut.arm(fault.statements)
      call.execute((value) => {
        if (powerCut.hasOccurred) return this.crashAt(`during ${name}`)
        if (fault?._tag === "Crash" || fault?._tag === "PowerCut") return this.crashAt(`after ${name}`)
        if (fault?._tag === "Error") {
          this.note(`the response of ${name} is lost`)
          return deliver(0, () => call.fail?.())
        }
        if (fault?._tag === "Freeze") {
          this.note(`freezes for ${fault.millis} ms after ${name}`)
          this.process.freeze(fault.millis)
        }
        const waitMillis = (call.notBefore?.() ?? 0) - this.timeline.nowMillis
        deliver(Math.max(returnMillis, waitMillis), () => call.respond(value))
      })
    }
    if (call.isLocal) this.process.deliver(outboundMillis, arrive)
    else this.timeline.after(outboundMillis, arrive)
  }

  private crashAt(where: string): void {
    if (this.process.isAlive) {
      this.note(`crashes ${where}`)
      this.crash()
    }
    powerCut.reset()
  }

  private note(what: string): void {
    this.trace.add(this.timeline.nowMillis, this.process.name, what)
  }
}

type Attempt<A> = { readonly value: A } | { readonly thrown: unknown }

const attempt = <A>(run: () => A): Attempt<A> => {
  try {
    return { value: run() }
  } catch (thrown) {
    return { thrown }
  }
}

const describeAttempt = (attempted: Attempt<unknown>): string => {
  if ("value" in attempted) return String(JSON.stringify(attempted.value)).slice(0, 90)
  return `throws: ${attempted.thrown instanceof Error ? attempted.thrown.message : JSON.stringify(attempted.thrown)}`
}
