import { Cause, Exit, Option } from "effect"
import type { PaymentCode, PaymentEvent } from "../../runtime/PaymentEvents.ts"
import type { AttemptResult, CallProgress, PaymentAttempt } from "../attempt/PaymentAttempt.ts"
import type { Ending } from "../machine/ChargeStep.ts"
import type { Refusal } from "../request/Verdict.ts"
import { outcomes } from "./CallOutcome.ts"

const codes: Partial<Record<Ending["_tag"], PaymentCode>> = {
  Paid: "payment_paid",
  Replay: "payment_replayed",
  Refused: "payment_refused"
}

const reasonOfCause = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.hasDies(cause) ? undefined : Option.getOrUndefined(Cause.findErrorOption(cause))
  if (typeof error !== "object" || error === null) return "error"
  if ("refusal" in error) return (error.refusal as Refusal).code
  if ("code" in error && typeof error.code === "string") return error.code
  return "_tag" in error ? String(error._tag) : "error"
}

/** Why work has no response: the code of its error. */
const reasonOfResult = (result: AttemptResult<unknown>): string | undefined =>
  result._tag === "Failed" ? reasonOfCause(result.failure) : undefined

const endingFields = (
  ending: Ending,
  { held, result }: CallProgress
): Pick<PaymentEvent, "amountAtomic" | "reason" | "transaction"> => {
  const amount = ending._tag === "Replay" ? ending.charge.amountAtomic : held?.task.authorization.value
  const known = amount === undefined ? {} : { amountAtomic: BigInt(amount) }
  switch (ending._tag) {
    case "Paid":
      return { ...known, transaction: ending.receipt.transaction }
    case "Replay":
      return { ...known, transaction: ending.charge.receipt?.transaction }
    case "Refused":
      return { ...known, reason: ending.refusal.code }
    case "Owed":
      return { ...known, transaction: ending.receipt.transaction, reason: reasonOfResult(result) ?? "owed" }
    default:
      return { ...known, reason: reasonOfResult(result) ?? outcomes[ending._tag] }
  }
}

/** The event of a call with a payment, once it has ended. */
export const outcomeEvent = (
  { lease, network, request }: PaymentAttempt,
  exit: Exit.Exit<Ending, unknown>,
  progress: CallProgress,
  startedMillis: number
): PaymentEvent => {
  const nowMillis = lease.nowMillis()
  const about = {
    at: new Date(nowMillis),
    operation: request.operation,
    chargeKey: lease.key,
    network: network.caip2,
    durationMillis: Math.max(0, nowMillis - startedMillis)
  }
  if (Exit.isSuccess(exit)) {
    const code = codes[exit.value._tag] ?? "payment_failed"
    return { code, ...about, ...endingFields(exit.value, progress) }
  }
  const reason = reasonOfCause(exit.cause)
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  const isRefused = typeof error === "object" && error !== null && "refusal" in error
  return { code: isRefused ? "payment_refused" : "payment_failed", ...about, reason }
}
