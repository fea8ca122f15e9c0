import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { FacilitatorTransport } from "../toll/facilitator/FacilitatorTransport.ts"
import { sendByUndici } from "../toll/facilitator/sendByUndici.ts"

/** Some frameworks keep what `fetch` has got, such as Next 14: a node's newest block would stay the same for ever. */
const uncached = Layer.succeed(FetchHttpClient.RequestInit, { cache: "no-store" })

/** The platform's `fetch`, for hosts without Effect. Facilitators are called by `undici`, if it is installed. */
export const platformHttp = Layer.merge(
  FetchHttpClient.layer.pipe(Layer.provide(uncached)),
  Layer.succeed(FacilitatorTransport, sendByUndici)
)
