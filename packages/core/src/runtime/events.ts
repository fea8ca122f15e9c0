import { Cause, Effect, Logger, References } from "effect"
import { causeName } from "./causeName.ts"

/** What an event is about. All fields are optional; none holds a payment header, token, email or postal address. */
export interface EventFields {
  /** The port whose provider failed. */
  readonly port?: string | undefined
  /** The operation or store method: `weather`, `charges.complete`. */
  readonly operation?: string | undefined
  /** `chain:asset:payer:nonce`: has the payer's wallet, as the chain does. */
  readonly chargeKey?: string | undefined
  /** The name of one of several facilitators. */
  readonly facilitator?: string | undefined
  /** CAIP-2. */
  readonly network?: string | undefined
  readonly transaction?: string | undefined
  /** The transaction that was recorded before, where two are recorded for one refund. */
  readonly otherTransaction?: string | undefined
  /** The reason, as a code. */
  readonly reason?: string | undefined
  readonly attempts?: number | undefined
  /** The id that the caller received, which leads to this event. */
  readonly incidentId?: string | undefined
  /** The error by name and code, without its message: that may quote a request. */
  readonly error?: string | undefined
  /** Where the error was thrown. */
  readonly at?: string | undefined
}

/** An event for the host's own log. */
export interface TillEvent extends EventFields {
  readonly level: "info" | "warning" | "error"
  /** A stable code: `charge_needs_operator`. Listed in docs/events.md. */
  readonly code: string
  readonly message: string
}

const codeKey = "till402.code"

/** Logs an event with a stable code and typed fields. `cause` is logged by name and place, never by message. */
export const report = (
  level: "Info" | "Warn" | "Error",
  code: string,
  message: string,
  fields: EventFields = {},
  cause?: Cause.Cause<unknown>
): Effect.Effect<void> =>
  Effect.annotateLogs(
    cause === undefined ? Effect.logWithLevel(level)(message) : Effect.logWithLevel(level)(message, cause),
    { ...fields, [codeKey]: code }
  )

const levels: Record<string, TillEvent["level"]> = { Warn: "warning", Error: "error", Fatal: "error" }

/** Where an error was thrown, without its message, which may quote a request. */
export const framesOf = (error: unknown): string | undefined =>
  error instanceof Error && typeof error.stack === "string"
    ? error.stack
        .split("\n")
        .filter((line) => line.startsWith("    at "))
        .slice(0, 8)
        .map((line) => line.trim())
        .join(" < ")
    : undefined

/** Turns log entries into events for the host. Errors are named by class and place, never by message. */
export const eventLogger = (onEvent: (event: TillEvent) => void) =>
  Logger.make(({ cause, fiber, logLevel, message }) => {
    const parts = (Array.isArray(message) ? message : [message]) as ReadonlyArray<unknown>
    const { [codeKey]: code, ...fields } = fiber.getRef(References.CurrentLogAnnotations) as EventFields & {
      readonly [codeKey]?: string
    }
    const found = cause.reasons.length > 0 ? cause : parts.find(Cause.isCause)
    const error = found === undefined ? undefined : Cause.squash(found)
    const text = parts.find((part) => !Cause.isCause(part))
    const event: TillEvent = {
      level: levels[logLevel] ?? "info",
      code: code ?? "log",
      message: String(text ?? `An ${error === undefined ? "entry" : "error"} was logged without a message`),
      ...fields,
      ...(error === undefined ? {} : { error: causeName(error), at: framesOf(error) })
    }
    // A faulty observer must not break the call that it observes, and its rejection not end the process.
    const observed = async () => onEvent(event)
    observed()
      .catch((failure: unknown) => toStandardError({ ...event, onEventFailed: causeName(failure) }))
      .catch(() => undefined)
  })

/** Prints an event as one line of JSON on standard error; one that the host's own log has failed for, with its error's name. */
export const toStandardError = ({
  level,
  ...event
}: TillEvent & { readonly onEventFailed?: string }): void => {
  console.error(JSON.stringify({ till402: level, ...event }))
}
