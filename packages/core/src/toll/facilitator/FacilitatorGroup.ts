import { Clock, Effect, Random } from "effect"
import { findNetwork } from "../../domain/Network.ts"
import type { ClockReading } from "../../runtime/ClockReading.ts"
import { report } from "../../runtime/events.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import type { FacilitatorMember } from "./FacilitatorMember.ts"
import type { FacilitatorSource } from "./FacilitatorOptions.ts"
import type {
  FacilitatorRequest,
  FacilitatorRoute,
  Settlement,
  SupportedKind,
  Verification
} from "./FacilitatorVerdicts.ts"
import { feePayersOn, inVersion, listsNetwork, versionFor } from "./ProtocolVersion.ts"
import { unreachableSettlement } from "./Wire.ts"

/** A facilitator that takes a payment, and the protocol version in which it gets it. */
interface Candidate {
  readonly member: FacilitatorMember
  readonly breaker: CircuitBreaker
  readonly x402Version: 1 | 2
}

/**
 * Reasons by which a facilitator refuses a kind of payment, and not this payment: scheme and network have been checked
 * here, so another facilitator may take it.
 */
const notItsKind: ReadonlySet<string> = new Set([
  "invalid_network",
  "invalid_scheme",
  "unsupported_scheme",
  "invalid_x402_version"
])

/** Whether a facilitator may have refused the protocol version of a payment. */
const isOfOtherVersion = (verification: Verification): boolean =>
  verification._tag !== "Valid" &&
  (verification._tag === "Invalid"
    ? notItsKind.has(verification.reason)
    : /^http_4\d\d$/.test(verification.reason))

/** Those that respond, as far as known, come first. */
const byHealth = <A extends { readonly breaker: CircuitBreaker }>(
  candidates: ReadonlyArray<A>,
  nowMillis: number
): ReadonlyArray<A> => {
  if (candidates.length < 2) return candidates
  const isUp = ({ breaker }: A): boolean => breaker.isAvailable(nowMillis)
  return [...candidates.filter(isUp), ...candidates.filter((candidate) => !isUp(candidate))]
}

/** Pauses for about so long: many calls that failed at once don't come back at once. */
const pause = (millis: number): Effect.Effect<void> =>
  Effect.flatMap(Random.nextBetween(millis * 0.8, millis * 1.2), (jittered) => Effect.sleep(jittered))

/** Verifies again while nothing is known, up to `times` times in all, after pauses that double. */
const repeated = (
  verify: () => Effect.Effect<Verification>,
  times: number,
  pauseMillis = 100
): Effect.Effect<Verification> =>
  Effect.flatMap(verify(), (verification) =>
    verification._tag !== "Unreachable" || times === 1
      ? Effect.succeed(verification)
      : Effect.andThen(pause(pauseMillis), () => repeated(verify, times - 1, pauseMillis * 2))
  )

/** What a facilitator lists, as far as known. */
const kindsOf = ({ kinds }: FacilitatorMember): ReadonlyArray<SupportedKind> => kinds.known ?? []

const routeOf = ({ member, x402Version }: Candidate): FacilitatorRoute => ({
  facilitator: member.name,
  x402Version
})

/**
 * One or more facilitators behind one service.
 *
 * A payment is verified by the first that responds. It is settled by the one that verified it, which its charge
 * records, and never by another: while the outcome at the first is unknown, a second could settle it again.
 */
export class FacilitatorGroup {
  private readonly members: ReadonlyArray<{
    readonly member: FacilitatorMember
    readonly breaker: CircuitBreaker
  }>
  /** Names of those that get no new payments in this process. */
  private readonly withheld = new Set<string>()
  /** The longest of all, which the leases of charges outlast. */
  readonly settleTimeoutMillis: number
  /** The addresses of those over HTTP, by their names. */
  readonly addresses: ReadonlyMap<string, string>
  /** What the members were made of. */
  readonly sources: ReadonlyArray<FacilitatorSource> | undefined
  constructor(members: ReadonlyArray<FacilitatorMember>, sources?: ReadonlyArray<FacilitatorSource>) {
    this.sources = sources
    this.members = members.map((member) => ({ member, breaker: new CircuitBreaker() }))
    this.settleTimeoutMillis = Math.max(...members.map(({ settleTimeoutMillis }) => settleTimeoutMillis))
    this.addresses = new Map(
      members.flatMap(({ address, name }) => (address === undefined ? [] : [[name, address] as const]))
    )
  }

  /**
   * The facilitators that take a payment, in the host's order. On Solana the payer has signed for one fee payer, whom
   * only its own facilitator can sign for.
   */
  private candidates(request: FacilitatorRequest): ReadonlyArray<Candidate> {
    const { extra, network } = request.requirements
    const takers: Array<Candidate> = []
    for (const { breaker, member } of this.members) {
      const x402Version = isFor(member, network) ? versionFor(request, kindsOf(member)) : undefined
      if (x402Version !== undefined) takers.push({ member, breaker, x402Version })
    }
    const { feePayer } = extra
    if (feePayer === undefined) return takers
    const own = takers.filter(({ member }) => feePayersOn(kindsOf(member), network).includes(feePayer))
    // Its facilitator may have stopped listing it.
    return own.length > 0 ? own : takers
  }

  /** Those of them that get new payments. */
  private verifiers(request: FacilitatorRequest): ReadonlyArray<Candidate> {
    const candidates = this.candidates(request)
    return this.withheld.size === 0
      ? candidates
      : candidates.filter(({ member }) => !this.withheld.has(member.name))
  }

  /**
   * Gives a facilitator no more payments, and offers no network through it. It still settles those that it has verified:
   * no other one may.
   */
  readonly withhold = (name: string): boolean => {
    if (this.withheld.has(name) || !this.members.some(({ member }) => member.name === name)) return false
    this.withheld.add(name)
    return true
  }

  /** Those that take new payments on a network. */
  private takersOn(caip2: string) {
    return this.members.filter(({ member }) => isFor(member, caip2) && !this.withheld.has(member.name))
  }

  /** Whether one of those that take a network is for tests. */
  readonly movesNoMoney = (caip2: string): boolean =>
    this.members.some(({ member }) => member.movesNoMoney === true && isFor(member, caip2))

  readonly clocks: Effect.Effect<ReadonlyArray<ClockReading>> = Effect.suspend(() =>
    Effect.map(
      Effect.forEach(this.members, ({ member: { clock = Effect.undefined } }) => clock, {
        concurrency: "unbounded"
      }),
      (readings) => readings.filter((reading) => reading !== undefined)
    )
  )

  readonly verify = (request: FacilitatorRequest): Effect.Effect<Verification> =>
    this.areListsTried() ? this.verifyByAny(request) : this.verifyUnlisted(request)

  /**
   * Verifies a payment before the facilitators' lists were read, without waiting for them. A facilitator that doesn't
   * take its version may then take the other one.
   */
  private verifyUnlisted(request: FacilitatorRequest): Effect.Effect<Verification> {
    return Effect.flatMap(this.verifyByAny(request), (first) =>
      isOfOtherVersion(first)
        ? Effect.andThen(this.refresh, () => this.verifyConverted(request, first))
        : Effect.succeed(first)
    )
  }

  /** Verifies a payment again, if a facilitator takes it in the other version. */
  private verifyConverted(request: FacilitatorRequest, first: Verification): Effect.Effect<Verification> {
    const isConverted = this.verifiers(request).some(({ x402Version }) => x402Version !== request.x402Version)
    return isConverted ? this.verifyByAny(request) : Effect.succeed(first)
  }

  private areListsTried(): boolean {
    return this.members.every(({ member }) => member.kinds.isTried)
  }

  /** Reads the lists of all facilitators that are due. */
  private readonly refresh: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(this.members, ({ member }) => member.kinds.refresh, {
      concurrency: "unbounded",
      discard: true
    })
  )

  private verifyByAny(request: FacilitatorRequest): Effect.Effect<Verification> {
    const candidates = this.verifiers(request)
    const [first] = candidates
    if (first === undefined)
      return Effect.succeed<Verification>({ _tag: "Unreachable", reason: "no_facilitator_for_network" })
    return candidates.length === 1
      ? repeated(() => this.verifyBy(first, request), first.member.maxVerifications)
      : this.verifyInTurn(candidates, request)
  }

  /** The first verdict of several facilitators, each of which gets one call. */
  private readonly verifyInTurn = Effect.fnUntraced(
    { self: this },
    function* (
      candidates: ReadonlyArray<Candidate>,
      request: FacilitatorRequest
    ): Effect.fn.Return<Verification> {
      let last: Verification = { _tag: "Unreachable", reason: "FacilitatorFailed" }
      for (const candidate of byHealth(candidates, yield* Clock.currentTimeMillis)) {
        const verification = yield* this.verifyBy(candidate, request)
        if (verification._tag === "Valid") return verification
        if (verification._tag === "Invalid" && !notItsKind.has(verification.reason)) return verification
        // "Not my kind" says more than silence.
        if (verification._tag === "Invalid" || last._tag === "Unreachable") last = verification
      }
      return last
    }
  )

  private verifyBy(candidate: Candidate, request: FacilitatorRequest): Effect.Effect<Verification> {
    const { breaker, member, x402Version } = candidate
    const verify = Effect.flatMap(
      member.verify(inVersion(request, x402Version)),
      (verification): Effect.Effect<Verification> => {
        if (verification._tag === "Unreachable") return this.noteFailure(candidate, verification)
        breaker.recordSuccess()
        if (verification._tag === "Invalid") return Effect.succeed(verification)
        return Effect.succeed({ _tag: "Valid", payer: verification.payer, route: routeOf(candidate) })
      }
    )
    return breaker.isClosed
      ? verify
      : Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
          breaker.begin(nowMillis)
          return verify
        })
  }

  /** Records that a facilitator did not respond, and returns the result. */
  private noteFailure<A>({ breaker, member }: Pick<Candidate, "breaker" | "member">, result: A) {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      breaker.recordFailure(nowMillis) && this.members.length > 1
        ? Effect.as(
            report(
              "Warn",
              "facilitator_down",
              "A facilitator failed three times in a row; new payments go to the others",
              { port: "facilitator", facilitator: member.name }
            ),
            result
          )
        : Effect.succeed(result)
    )
  }

  /** Settles a payment with the facilitator that its charge records. */
  readonly settle = (request: FacilitatorRequest): Effect.Effect<Settlement> =>
    request.route === undefined ? this.settleByFirst(request) : this.settleBy(request, request.route)

  /**
   * Settles a payment without a record of its facilitator: a refund, or a charge of an earlier version. Always with the
   * same one, whether it responds or not, since an earlier attempt may have been sent.
   */
  private settleByFirst(request: FacilitatorRequest): Effect.Effect<Settlement> {
    return Effect.suspend(() => {
      const [first] = this.candidates(request)
      return first === undefined ? this.notConfigured(undefined) : this.settleBy(request, routeOf(first))
    })
  }

  private settleBy(
    request: FacilitatorRequest,
    { facilitator, x402Version }: FacilitatorRoute
  ): Effect.Effect<Settlement> {
    const found = this.members.find(({ member }) => member.name === facilitator)
    if (found === undefined) return this.notConfigured(facilitator)
    return Effect.flatMap(
      found.member.settle(inVersion(request, x402Version)),
      (settlement): Effect.Effect<Settlement> => {
        if (settlement._tag === "Unknown" && settlement.isUnreachable === true)
          return this.noteFailure(found, settlement)
        found.breaker.recordSuccess()
        return Effect.succeed(settlement)
      }
    )
  }

  private notConfigured(facilitator: string | undefined): Effect.Effect<Settlement> {
    return Effect.as(
      report(
        "Error",
        "facilitator_not_configured",
        "A payment was given to a facilitator that is not configured any more; no other one may settle it",
        { port: "facilitator", facilitator }
      ),
      unreachableSettlement("facilitator_not_configured")
    )
  }

  /** Every kind of payment that one of them lists. */
  readonly supported: Effect.Effect<ReadonlyArray<SupportedKind>> = Effect.map(
    Effect.suspend(() => this.refresh),
    () => this.members.flatMap(({ member }) => kindsOf(member))
  )

  /** The fee payers of each that takes payments on a network. Those that respond, as far as known, come first. */
  readonly feePayers = (caip2: string): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>> =>
    Effect.flatMap(this.refresh, () =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) =>
        byHealth(this.takersOn(caip2), nowMillis)
          .map(({ member }) => feePayersOn(kindsOf(member), caip2))
          .filter((feePayers) => feePayers.length > 0)
      )
    )

  /** Whether one of them settles payments on a network; `undefined` while that isn't known. */
  readonly settles = (caip2: string): Effect.Effect<boolean | undefined> =>
    Effect.map(this.refresh, () => {
      const takers = this.takersOn(caip2)
      if (takers.some(({ member }) => listsNetwork(kindsOf(member), caip2))) return true
      // An empty list says nothing.
      return takers.some(({ member }) => kindsOf(member).length === 0) ? undefined : false
    })
}

/** Whether the host gave a facilitator the payments of a network. */
const isFor = ({ networks }: FacilitatorMember, caip2: string): boolean =>
  networks === undefined || networks.has(caip2) || networks.has(findNetwork(caip2)?.v1Name ?? caip2)
