import { Cause, Effect, Exit, Option } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Charges, RecordedResponse } from "../../ports/Charges.ts"
import type { HeldCharge } from "../attempt/HeldCharge.ts"
import type { CallEvent, PaymentAttempt } from "../attempt/PaymentAttempt.ts"
import type { Admission } from "../limits/Admission.ts"
import { RetryBudget } from "../limits/RetryBudget.ts"
import type { RequestStep } from "../machine/ChargeStep.ts"
import { PaymentRefused, PaidWorkLimited } from "../request/PaymentErrors.ts"
import type { PaymentOffer, Refusal } from "../request/Verdict.ts"
import type { RecordedResponses } from "./RecordedResponses.ts"

interface Services {
  readonly charges: Charges["Service"]
  readonly admission: Admission
  readonly responses: RecordedResponses
}

type StepOf<Tag extends RequestStep["_tag"]> = Extract<RequestStep, { readonly _tag: Tag }>

/** What a step of a call resulted in. `E`: the error of its work. */
export type CallResult<E> = Effect.Effect<CallEvent<E>, E | PaymentRefused | StoreError>
/** The same, within a generator. */
export type Performing<E = never> = Effect.fn.Return<CallEvent<E>, E | PaymentRefused | StoreError>

/** Tries of the work of one payment that settled first; each may fail. */
const owedWorkBudget = { times: 3, spanMillis: 600_000 }

/** Performs the steps of a paid call that do its work and record the response. */
export class WorkPerformer {
  private readonly services: Services
  private readonly owedWork = new RetryBudget(owedWorkBudget)
  constructor(services: Services) {
    this.services = services
  }

  work<E>(attempt: PaymentAttempt<E>, held: HeldCharge, { paid }: StepOf<"Work">): CallResult<E> {
    const by = paid === undefined ? undefined : this.limitOfPaidWork(attempt, held)
    if (by !== undefined) {
      const failure = Cause.fail(new PaidWorkLimited({ by }))
      return Effect.succeed({ _tag: "WorkFailed", result: { _tag: "Failed", failure } })
    }
    return Effect.map(Effect.exit(workFor(attempt, held)), (worked): CallEvent<E> => {
      attempt.unpaidWork = {
        hasFailed: attempt.unpaidWork?.hasFailed === true || Exit.isFailure(worked),
        paidBy: paid === undefined ? "settlement" : "delivery",
        lostBy: "payer",
        costAtomic: Exit.isFailure(worked) ? costOf(attempt, worked.cause) : undefined
      }
      if (Exit.isFailure(worked)) {
        const failure = worked.cause
        return { _tag: "WorkFailed", refusal: refusalIn(failure), result: { _tag: "Failed", failure } }
      }
      const work = worked.value
      return {
        _tag: "Worked",
        work,
        nowSeconds: attempt.lease.nowMillis() / 1000,
        held: { ...held, subject: work.subject },
        result: { _tag: "Worked", response: work.response }
      }
    })
  }

  /**
   * Why paid work isn't tried now, if it isn't. Its amount is at stake: a call takes it before the payment settles, and one
   * that finds the payment settled takes it now.
   */
  private limitOfPaidWork(attempt: PaymentAttempt, { task }: HeldCharge): PaidWorkLimited["by"] | undefined {
    const { key, nowMillis } = attempt.lease
    if (this.owedWork.isUsedUp(key, nowMillis())) return "failures"
    if (!this.services.admission.takePaidStake(attempt, task.authorization.value)) return "losses"
    return this.owedWork.take(key, nowMillis()) ? undefined : "failures"
  }

  advance({ lease, request }: PaymentAttempt, { work }: StepOf<"Advance">): CallResult<never> {
    const { charges, responses } = this.services
    const recording: Effect.Effect<RecordedResponse | undefined> =
      work === undefined ? Effect.succeed(undefined) : responses.record(request, work.response)
    return recording.pipe(
      Effect.flatMap((response) =>
        charges.advance(lease.key, lease.owner, { response, subject: work?.subject })
      ),
      Effect.map((advanced) => ({ _tag: "Advanced", advanced }))
    )
  }

  deliver(attempt: PaymentAttempt, { task }: HeldCharge, { work }: StepOf<"Deliver">): CallResult<never> {
    const { admission, charges, responses } = this.services
    const { lease, request } = attempt
    return responses.record(request, work.response).pipe(
      Effect.flatMap((response) => charges.deliver(lease.key, lease.owner, response)),
      Effect.map((delivered) => {
        if (delivered) admission.delivered(attempt, task.authorization.value)
        return { _tag: "Delivered", delivered }
      })
    )
  }
}

/** The refusal of work that its payment doesn't buy after all. A defect comes first. */
const refusalIn = (cause: Cause.Cause<unknown>): Refusal | undefined => {
  const error = Cause.hasDies(cause) ? undefined : Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof PaymentRefused ? error.refusal : undefined
}

/** What failed work cost, if the error says so. A payment that has settled is refunded in full. */
const costOf = <E>(
  { request }: PaymentAttempt<E>,
  cause: Cause.Cause<E | PaymentRefused>
): bigint | undefined => {
  const error = Cause.hasDies(cause) ? undefined : Option.getOrUndefined(Cause.findErrorOption(cause))
  const isKnown = error !== undefined && !(error instanceof PaymentRefused) && !request.settlesFirst
  return isKnown ? request.costOf?.(error) : undefined
}

/**
 * The work, by the requirements that the payment met; for a charge that no longer stores them, by those of its price
 * now.
 */
const workFor = <E>({ lease: { key }, network, request }: PaymentAttempt<E>, { task }: HeldCharge) => {
  if (task.request !== undefined) return request.work(key, task.request.requirements)
  const workAt = (offers: ReadonlyArray<PaymentOffer>) => {
    const offer = offers.find(({ requirements }) => requirements.network === network.caip2)
    if (offer === undefined) throw new Error("a payment that settled first has no price")
    return request.work(key, offer.requirements)
  }
  const offers = (request.owedOffers ?? request.offers)(key)
  return Effect.isEffect(offers) ? Effect.flatMap(offers, workAt) : workAt(offers)
}
