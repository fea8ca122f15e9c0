import { Context } from "effect"
import type { CallSettings } from "../ports/ProviderFailure.ts"

/** The till's settings that its operations depend on. `Till.layer` provides them. */
export class OperationSettings extends Context.Service<
  OperationSettings,
  {
    /** How long a recorded response is replayed, in milliseconds. */
    readonly responseLifetimeMillis: number
    /** Deadline of one call of a host's function. */
    readonly upstreamTimeoutMillis: number
    /** Receives the errors that a host's function throws. */
    readonly onError?: CallSettings["onError"]
  }
>()("@till402/core/OperationSettings") {}
