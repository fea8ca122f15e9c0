import { Clock, Effect, Schedule } from "effect"
import { findNetwork } from "../../domain/Network.ts"
import { report } from "../../runtime/events.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import type { FacilitatorMember } from "./FacilitatorMember.ts"
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

/** Rounds over several facilitators, each of which gets one call in a round. */
const maxRounds = 2

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
  /** The longest of all, which the leases of charges outlast. */
  readonly settleTimeoutMillis: number

  constructor(members: ReadonlyArray<FacilitatorMember>) {
    this.members = members.map((member) => ({ member, breaker: new CircuitBreaker() }))
    this.settleTimeoutMillis = Math.max(...members.map(({ settleTimeoutMillis }) => settleTimeoutMillis))
  }

  /**
   * The facilitators that take a payment, in the host's order. On Solana the payer has signed for one fee payer, whom
   * only its own facilitator can sign for.
   */
  private candidates(request: FacilitatorRequest): ReadonlyArray<Candidate> {
    const { extra, network } = request.requirements
    const takers = this.members.flatMap(({ breaker, member }) => {
      if (!isFor(member, network)) return []
      const x402Version = versionFor(request, member.kinds.known ?? [])
      return x402Version === undefined ? [] : [{ member, breaker, x402Version }]
    })
    const { feePayer } = extra
    if (feePayer === undefined) return takers
    const own = takers.filter(({ member }) =>
      feePayersOn(member.kinds.known ?? [], network).includes(feePayer)
    )
    // Its facilitator may have stopped listing it.
    return own.length > 0 ? own : takers
  }

  /** Those that respond, as far as known, come first. */
  private byHealth(request: FacilitatorRequest, nowMillis: number): ReadonlyArray<Candidate> {
    const all = this.candidates(request)
    if (all.length < 2) return all
    const isUp = ({ breaker }: Candidate): boolean => breaker.isAvailable(nowMillis)
    return [...all.filter(isUp), ...all.filter((candidate) => !isUp(candidate))]
  }

  /** The route of a payment that isn't verified, because of its payer's credit. */
  readonly choose = (request: FacilitatorRequest, nowMillis: number): FacilitatorRoute | undefined => {
    const [first] = this.byHealth(request, nowMillis)
    return first === undefined ? undefined : routeOf(first)
  }

  readonly verify = (request: FacilitatorRequest): Effect.Effect<Verification> =>
    this.areListsTried() ? this.verifyByAny(request) : this.verifyUnlisted(request)

  /**
   * Verifies a payment before the facilitators' lists were read, without waiting for them. A facilitator that doesn't
   * take its version may then take the other one.
   */
  private readonly verifyUnlisted = Effect.fnUntraced(
    { self: this },
    function* (request: FacilitatorRequest): Effect.fn.Return<Verification> {
      const first = yield* this.verifyByAny(request)
      if (!isOfOtherVersion(first)) return first
      yield* this.refresh
      const isConverted = this.candidates(request).some(
        ({ x402Version }) => x402Version !== request.x402Version
      )
      return isConverted ? yield* this.verifyByAny(request) : first
    }
  )

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

  private readonly verifyByAny = Effect.fnUntraced(
    { self: this },
    function* (request: FacilitatorRequest): Effect.fn.Return<Verification> {
      const candidates = this.byHealth(request, yield* Clock.currentTimeMillis)
      if (candidates.length === 0) return { _tag: "Unreachable", reason: "no_facilitator_for_network" }
      const round = this.verifyInTurn(candidates, request)
      const [only] = candidates
      const rounds = only !== undefined && candidates.length === 1 ? only.member.maxVerifications : maxRounds
      return yield* rounds === 1
        ? round
        : Effect.repeat(round, {
            times: rounds - 1,
            schedule: Schedule.jittered(Schedule.exponential("100 millis")),
            while: ({ _tag }) => _tag === "Unreachable"
          })
    }
  )

  /** The first verdict of several facilitators. */
  private readonly verifyInTurn = Effect.fnUntraced(
    { self: this },
    function* (
      candidates: ReadonlyArray<Candidate>,
      request: FacilitatorRequest
    ): Effect.fn.Return<Verification> {
      let last: Verification = { _tag: "Unreachable", reason: "FacilitatorFailed" }
      for (const candidate of candidates) {
        const verification = yield* this.verifyBy(candidate, request)
        if (verification._tag === "Valid") return { ...verification, route: routeOf(candidate) }
        if (verification._tag === "Invalid" && !notItsKind.has(verification.reason)) return verification
        // "Not my kind" says more than silence.
        if (verification._tag === "Invalid" || last._tag === "Unreachable") last = verification
      }
      return last
    }
  );

  private *begun({ breaker }: Candidate): Effect.fn.Return<void> {
    breaker.begin(yield* Clock.currentTimeMillis)
  }

  private readonly verifyBy = Effect.fnUntraced(
    { self: this },
    function* (candidate: Candidate, request: FacilitatorRequest): Effect.fn.Return<Verification> {
      const { member, x402Version } = candidate
      yield* this.begun(candidate)
      const verification = yield* member.verify(inVersion(request, x402Version))
      yield* this.note(candidate, verification._tag !== "Unreachable")
      return verification
    }
  );

  /** Records whether a facilitator responded. */
  private *note({ breaker, member }: Pick<Candidate, "breaker" | "member">, responded: boolean) {
    if (responded) return breaker.recordSuccess()
    if (breaker.recordFailure(yield* Clock.currentTimeMillis) && this.members.length > 1)
      yield* report(
        "Warn",
        "facilitator_down",
        "A facilitator failed three times in a row; new payments go to the others",
        { port: "facilitator", facilitator: member.name }
      )
  }

  /** Settles a payment with the facilitator that its charge records. */
  readonly settle = (request: FacilitatorRequest): Effect.Effect<Settlement> =>
    request.route === undefined ? this.settleByFirst(request) : this.settleBy(request, request.route)

  /**
   * Settles a payment without a record of its facilitator: a refund, or a charge of an earlier version. Always with the
   * same one, whether it responds or not, since an earlier attempt may have been sent.
   */
  private readonly settleByFirst = Effect.fnUntraced(
    { self: this },
    function* (request: FacilitatorRequest): Effect.fn.Return<Settlement> {
      const [first] = this.candidates(request)
      return yield* first === undefined
        ? this.notConfigured(undefined)
        : this.settleBy(request, routeOf(first))
    }
  )

  private readonly settleBy = Effect.fnUntraced(
    { self: this },
    function* (
      request: FacilitatorRequest,
      { facilitator, x402Version }: FacilitatorRoute
    ): Effect.fn.Return<Settlement> {
      const found = this.members.find(({ member }) => member.name === facilitator)
      if (found === undefined) return yield* this.notConfigured(facilitator)
      const settlement = yield* found.member.settle(inVersion(request, x402Version))
      yield* this.note(found, settlement._tag !== "Unknown" || settlement.isUnreachable !== true)
      return settlement
    }
  )

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
    () => this.members.flatMap(({ member }) => member.kinds.known ?? [])
  )

  /** The fee payers of each that takes payments on a network. Those that respond, as far as known, come first. */
  readonly feePayers = (caip2: string): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>> =>
    Effect.flatMap(this.refresh, () =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const takers = this.members.filter(({ member }) => isFor(member, caip2))
        const isUp = ({ breaker }: { readonly breaker: CircuitBreaker }) => breaker.isAvailable(nowMillis)
        return [...takers.filter(isUp), ...takers.filter((taker) => !isUp(taker))]
          .map(({ member }) => feePayersOn(member.kinds.known ?? [], caip2))
          .filter((feePayers) => feePayers.length > 0)
      })
    )

  /** Whether one of them settles payments on a network; `undefined` while that isn't known. */
  readonly settles = (caip2: string): Effect.Effect<boolean | undefined> =>
    Effect.map(this.refresh, () => {
      const takers = this.members.filter(({ member }) => isFor(member, caip2))
      if (takers.some(({ member }) => listsNetwork(member.kinds.known ?? [], caip2))) return true
      // An empty list says nothing.
      return takers.some(({ member }) => (member.kinds.known ?? []).length === 0) ? undefined : false
    })
}

/** Whether the host gave a facilitator the payments of a network. */
const isFor = ({ networks }: FacilitatorMember, caip2: string): boolean => {
  if (networks === undefined || networks.has(caip2)) return true
  const v1Name = findNetwork(caip2)?.v1Name
  return v1Name !== undefined && networks.has(v1Name)
}
