import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { type EvmPaymentPayload, isOnSolana } from "../../domain/PaymentPayload.ts"
import { isNamedSo } from "../../ports/chargeRules.ts"
import type { Charge, Charges, RepeatRule } from "../../ports/Charges.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import type { PaymentAttempt } from "../attempt/PaymentAttempt.ts"
import type { Admission } from "../limits/Admission.ts"
import type { ChargeEvent, RepeatedEvent } from "../machine/ChargeStep.ts"
import { isDigestOf, keyedDigest } from "../request/keyedDigest.ts"
import type { TollRequest } from "../request/TollRequest.ts"

interface Services {
  readonly charges: Pick<Charges["Service"], "findRepeated">
  readonly secrets: Secrets["Service"]
  readonly admission: Pick<Admission, "checkSignature">
}

type Request = Pick<TollRequest<unknown>, "operation" | "payment" | "repeats">

/** What the client named the payment, for the operation. */
const nameOf = ({ operation, payment: { paymentId } }: Request): RepeatRule["named"] =>
  paymentId === undefined ? undefined : { operation, paymentId }

/**
 * Payments that repeat another one of their payer: for the same thing in whatever words, or with the same id. The store's
 * claim decides, by the rule made here; looking before it saves a verification, or replaces a refusal. On Solana the claim
 * decides alone: any transaction of the payer is signed by them and public, and only its verification shows that it is
 * a payment, and new.
 */
export class RepeatedPayments {
  private readonly services: Services
  constructor(services: Services) {
    this.services = services
  }

  /** Names what a request buys, for its charge; empty if its payer may want it any number of times. */
  keyOf({ repeats }: Request): string {
    return repeats === undefined ? "" : keyedDigest(this.services.secrets, "repeat", repeats.identity)
  }

  /** Which charges a claim would repeat. One that its caller intends repeats only those with its id. */
  ruleOf(attempt: PaymentAttempt): RepeatRule | undefined {
    const { lease, request } = attempt
    const { repeats } = request
    if (repeats === undefined) return undefined
    if (repeats.isIntended) return this.nameRuleOf(attempt)
    const { secrets } = this.services
    const repeatKeys = secrets.keyIds.map((keyId) => keyedDigest(secrets, "repeat", repeats.identity, keyId))
    const sinceMillis = Math.max(0, lease.nowMillis() - repeats.withinMillis)
    return { repeatKeys, sinceMillis, named: nameOf(request) }
  }

  private nameRuleOf({ request }: PaymentAttempt): RepeatRule | undefined {
    const named = request.repeats && nameOf(request)
    return named && { repeatKeys: [], sinceMillis: 0, named }
  }

  /** What a payment gets whose client has given another one the same id. */
  findNamed(attempt: PaymentAttempt): Effect.Effect<ChargeEvent | undefined, StoreError> {
    return this.find(attempt, this.nameRuleOf(attempt))
  }

  /**
   * What a payment gets that repeats another one and is about to be refused, such as one for a quote that the first one has
   * consumed: its payer must not be shown a new price.
   */
  findAny(attempt: PaymentAttempt): Effect.Effect<ChargeEvent | undefined, StoreError> {
    return this.find(attempt, this.ruleOf(attempt))
  }

  /** Nobody but the payer, proven by the signature of a payment that is still valid, learns of the other one. */
  private readonly find = Effect.fnUntraced(
    { self: this },
    function* (
      attempt: PaymentAttempt,
      rule: RepeatRule | undefined
    ): Effect.fn.Return<ChargeEvent | undefined, StoreError> {
      const { payload } = attempt.request.payment
      if (rule === undefined || isOnSolana(payload)) return undefined
      const { admission, charges } = this.services
      yield* admission.checkSignature(attempt)
      if (!attempt.learned.isProven) return undefined
      const first = yield* charges.findRepeated({ key: attempt.lease.key, payer: attempt.payer }, rule)
      return first !== undefined && couldBuy(payload, attempt.lease, first)
        ? this.eventOf(attempt, first)
        : undefined
    }
  )

  /** What a payment gets that repeats another one: its response, if the client gave both the same id for one request. */
  eventOf({ learned, lease, request }: PaymentAttempt, first: Charge): ChargeEvent {
    const { secrets } = this.services
    const { repeats } = request
    const isSameRequest = isDigestOf(secrets, first.fingerprint, "fingerprint", request.canonical)
    const isSameThing =
      repeats?.isIntended === false && isDigestOf(secrets, first.repeatKey, "repeat", repeats.identity)
    if (!isSameRequest && !isSameThing) return { _tag: "Repeated", first, as: "Different" }
    const as = progressOf(first, lease.nowMillis(), request.replayMillis)
    const isItsOwn = isSameRequest && isNamedSo(first, nameOf(request)) && learned.isProven
    return isItsOwn && as === "Kept" && !first.effectPending
      ? { _tag: "Identified", first }
      : { _tag: "Repeated", first, as }
  }
}

const progressOf = (first: Charge, nowMillis: number, replayMillis: number): RepeatedEvent["as"] => {
  const { response, settledAtMillis = 0, state } = first
  if (state !== "settled") return "InFlight"
  return response !== undefined && nowMillis <= settledAtMillis + replayMillis ? "Kept" : "Gone"
}

/**
 * Whether a payment could buy what another one has bought. Whoever reads the chain can present the payer's old payments, also
 * those to others, and would learn what was bought here.
 */
const couldBuy = (
  { payload: { authorization } }: EvmPaymentPayload,
  lease: PaymentAttempt["lease"],
  { payTo }: Charge
): boolean =>
  authorization.to.toLowerCase() === payTo.toLowerCase() &&
  Number(authorization.validBefore) * 1000 > lease.nowMillis()
