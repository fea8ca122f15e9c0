import { Redacted } from "effect"

/** A secret as text, or wrapped by `Redacted.make`, so that no log shows it. */
export type SecretText = string | Redacted.Redacted<string>

/** The text of a secret; any other value stays as it is. */
export const unwrapped = <A>(given: A | Redacted.Redacted<string>): A | string =>
  Redacted.isRedacted(given) ? Redacted.value(given as Redacted.Redacted<string>) : given
