import { Redacted } from "effect"

/** A secret as text, or wrapped by `Redacted.make`, so that no log shows it. */
export type SecretText = string | Redacted.Redacted<string>

/** The text of a secret; any other value stays as it is, and so does what another copy of Effect has wrapped. */
export const unwrapped = <A>(given: A | Redacted.Redacted<string>): A | string => {
  if (!Redacted.isRedacted(given)) return given as A
  try {
    return Redacted.value(given as Redacted.Redacted<string>)
  } catch {
    return given as A
  }
}

/** Ends the message about a secret that is no text. */
export const whyWrapped = (unwrapped: unknown): string =>
  Redacted.isRedacted(unwrapped) ? ". It is wrapped by another copy of effect: give its text" : ""
