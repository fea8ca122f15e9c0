import { Context } from "effect"

/** Makes UUIDs. A reference with a default, so that a test can replay them. */
export const Identifiers = Context.Reference<{ readonly uuid: () => string }>("@till402/core/Identifiers", {
  defaultValue: () => ({ uuid: () => crypto.randomUUID() })
})
