import { Effect, Exit } from "effect"
import { fuse } from "./Fuse.ts"
import type { Process } from "./Process.ts"
import type { Connection } from "./Storage.ts"
import type { Timeline } from "./Timeline.ts"
import type { Trace } from "./Trace.ts"

/** How long a process waits for a node. */
const rpcTimeoutMillis = 5_000

/** Where a call of a process is struck. `early`: before it reached anything. `late`: done, not answered. */
export type Strike =
  | { readonly _tag: "Crash"; readonly when: "early" | "late" }
  /** Dies amid a verb of a store that is part of it, after so many statements; elsewhere as `late`. */
  | { readonly _tag: "PowerCut"; readonly statements: number }
  | { readonly _tag: "Freeze"; readonly millis: number }
  | { readonly _tag: "Error"; readonly when: "early" | "late" }

/** How long a call is under way, there and back, and what befalls it. */
export interface Journey {
  readonly thereMillis: number
  readonly backMillis: number
  readonly strike: Strike | undefined
}

/**
 * The way between one process and what lies outside of it: every call is two happenings, its arrival and
 * its answer. A process can die before, between and after them, and what it asked for may be done when it
 * is dead.
 */
export class Link {
  private readonly process: Process
  private readonly timeline: Timeline
  private readonly trace: Trace
  private readonly journey: (name: string) => Journey
  private readonly die: () => void

  constructor(options: {
    readonly process: Process
    readonly timeline: Timeline
    readonly trace: Trace
    /** What the world has in store for a call of this name. */
    readonly journey: (name: string) => Journey
    /** The process crashes. */
    readonly die: () => void
  }) {
    this.process = options.process
    this.timeline = options.timeline
    this.trace = options.trace
    this.journey = options.journey
    this.die = options.die
  }

  /** A request to a node, which times out. */
  rpc = (method: string, respond: () => unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const name = `chain.${method}`
      const stop = this.process.deliver(rpcTimeoutMillis, () => reject(new Error(`${name}: timed out`)))
      const end = (settle: () => void): void => {
        stop()
        settle()
      }
      this.carry<Attempt<unknown>>(name, {
        act: (done) => {
          const attempted = attempt(respond)
          this.note(`${name} → ${sayAttempt(attempted)}`)
          done(attempted)
        },
        answer: (attempted) =>
          end(() => ("thrown" in attempted ? reject(attempted.thrown as Error) : resolve(attempted.value))),
        fail: () => end(() => reject(new Error(`${name}: connection reset`))),
        isLocal: false
      })
    })

  /**
   * A call of a host's function. What throws rejects; what answers `undefined` never settles. The answer
   * sets out once `notBefore` has come.
   */
  call = <A>(name: string, answer: () => A | undefined, notBefore?: () => number): Promise<A> =>
    new Promise((resolve, reject) => {
      this.carry<Attempt<A | undefined>>(name, {
        act: (done) => {
          const attempted = attempt(answer)
          this.note(`${name} → ${sayAttempt(attempted)}`)
          done(attempted)
        },
        answer: (attempted) => {
          // A host's functions may throw anything, and are met with just that.
          if ("thrown" in attempted) reject(attempted.thrown as Error)
          else if (attempted.value !== undefined) resolve(attempted.value)
        },
        fail: () => reject(new Error(`${name}: connection reset`)),
        isLocal: false,
        ...(notBefore === undefined ? {} : { notBefore })
      })
    })

  /**
   * A verb of a store. `isLocal`: the store is part of the process, so that nothing of it is done any more
   * once the process is dead or while it is frozen.
   */
  verb = <A, E>(
    name: string,
    effect: Effect.Effect<A, E>,
    options: {
      readonly isLocal: boolean
      readonly execute: Connection["execute"]
      readonly error: () => E
      /** Told what was done, whether or not anybody lives to hear of it; answers what the trace says. */
      readonly observe: (value: A) => string
    }
  ): Effect.Effect<A, E> =>
    Effect.callback((resume) => {
      this.carry<Exit.Exit<A, E>>(name, {
        act: (done) => {
          options.execute(effect, (exit) => {
            this.note(`${name} → ${Exit.isSuccess(exit) ? options.observe(exit.value) : "failed"}`)
            done(exit)
          })
        },
        answer: resume,
        fail: () => resume(Effect.fail(options.error())),
        isLocal: options.isLocal
      })
    })

  private carry<A>(
    name: string,
    call: {
      readonly act: (done: (value: A) => void) => void
      readonly answer: (value: A) => void
      readonly fail?: () => void
      readonly isLocal: boolean
      readonly notBefore?: () => number
    }
  ): void {
    if (!this.process.isAlive) return
    const { backMillis, strike, thereMillis } = this.journey(name)
    const back = (millis: number, reach: () => void): void => {
      // An answer on the spot is worth no happening of its own.
      if (millis <= 0 && this.process.isAlive && !this.process.isFrozen) reach()
      else this.process.deliver(millis, reach)
    }
    const arrive = (): void => {
      if (strike?._tag === "Crash" && strike.when === "early") return this.strikeDead(`before ${name}`)
      if (strike?._tag === "Error" && strike.when === "early") {
        this.note(`${name} fails before it is done`)
        return back(0, () => call.fail?.())
      }
      if (strike?._tag === "PowerCut" && call.isLocal) fuse.arm(strike.statements)
      call.act((value) => {
        if (fuse.isBlown) return this.strikeDead(`amid ${name}`)
        if (strike?._tag === "Crash" || strike?._tag === "PowerCut") return this.strikeDead(`after ${name}`)
        if (strike?._tag === "Error") {
          this.note(`the answer of ${name} is lost`)
          return back(0, () => call.fail?.())
        }
        if (strike?._tag === "Freeze") {
          this.note(`freezes for ${strike.millis} ms after ${name}`)
          this.process.freeze(strike.millis)
        }
        const waitMillis = (call.notBefore?.() ?? 0) - this.timeline.nowMillis
        back(Math.max(backMillis, waitMillis), () => call.answer(value))
      })
    }
    if (call.isLocal) this.process.deliver(thereMillis, arrive)
    else this.timeline.after(thereMillis, arrive)
  }

  private strikeDead(where: string): void {
    if (this.process.isAlive) {
      this.note(`dies ${where}`)
      this.die()
    }
    fuse.replace()
  }

  private note(what: string): void {
    this.trace.add(this.timeline.nowMillis, this.process.name, what)
  }
}

type Attempt<A> = { readonly value: A } | { readonly thrown: unknown }

const attempt = <A>(answer: () => A): Attempt<A> => {
  try {
    return { value: answer() }
  } catch (thrown) {
    return { thrown }
  }
}

const sayAttempt = (attempted: Attempt<unknown>): string => {
  if ("value" in attempted) return String(JSON.stringify(attempted.value)).slice(0, 90)
  return `breaks: ${attempted.thrown instanceof Error ? attempted.thrown.message : JSON.stringify(attempted.thrown)}`
}
