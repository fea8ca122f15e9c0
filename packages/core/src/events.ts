import { Cause, Logger } from "effect"
import type { TillEvent } from "./Options.ts"
import { causeName } from "./ports/HostCall.ts"

const levels: Record<string, TillEvent["level"]> = { Warn: "warning", Error: "error", Fatal: "error" }

/** Where an error was thrown, without its message, which may quote a request. */
const framesOf = (error: unknown): string | undefined =>
  error instanceof Error
    ? error.stack
        ?.split("\n")
        .filter((line) => line.startsWith("    at "))
        .slice(0, 8)
        .map((line) => line.trim())
        .join(" < ")
    : undefined

type Primitive = string | number | boolean | undefined

const toPrimitive = (value: unknown): Primitive =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === undefined
    ? value
    : causeName(value)

/** Turns what is logged into events for the host. Errors are told by name and place, never by message. */
export const eventLogger = (onEvent: (event: TillEvent) => void) =>
  Logger.make(({ cause, logLevel, message }) => {
    const parts = (Array.isArray(message) ? message : [message]) as ReadonlyArray<unknown>
    const data: Record<string, Primitive> = {}
    const details = parts.slice(1).filter((part) => !Cause.isCause(part))
    details.forEach((detail, index) => {
      data[details.length === 1 ? "detail" : `detail${index + 1}`] = toPrimitive(detail)
    })
    const found = cause.reasons.length > 0 ? cause : parts.find(Cause.isCause)
    if (found !== undefined) {
      const error = Cause.squash(found)
      data["error"] = causeName(error)
      data["at"] = framesOf(error)
    }
    try {
      onEvent({ level: levels[logLevel] ?? "info", message: String(parts[0]), data })
    } catch {
      // A host's faulty observer must not break the call that it observes; there is nobody left to tell.
    }
  })

/** One JSON line per event on standard error. */
export const toStandardError = (event: TillEvent): void => {
  console.error(JSON.stringify({ till402: event.level, message: event.message, ...event.data }))
}
