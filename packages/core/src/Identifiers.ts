import { Context } from "effect"

/** Makes UUIDs. A reference with a default, so that a test can replay them. */
export const Identifiers = Context.Reference<{ readonly uuid: () => string }>("@till402/core/Identifiers", {
  // Node makes it of twenty pieces, and keeps them all, half a kilobyte, until something reads it whole.
  defaultValue: () => ({ uuid: () => crypto.randomUUID().toLowerCase() })
})
