import { Context } from "effect"

/** Makes UUIDs. A reference with a default, so tests can replace it. */
export const Identifiers = Context.Reference<{ readonly uuid: () => string }>("@till402/core/Identifiers", {
  // Node builds the string from twenty pieces and keeps half a kilobyte until it is flattened, as `toLowerCase` does.
  defaultValue: () => ({ uuid: () => crypto.randomUUID().toLowerCase() })
})
