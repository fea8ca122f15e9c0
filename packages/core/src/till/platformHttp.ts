import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { FacilitatorTransport } from "../toll/facilitator/FacilitatorTransport.ts"
import { sendByUndici } from "../toll/facilitator/sendByUndici.ts"

/**
 * Some frameworks keep what `fetch` has got, such as Next 14: a node's newest block would stay the same for ever. Workers
 * of Cloudflare with a compatibility date before 2024-11-11 refuse the option.
 */
const uncached = Layer.sync(FetchHttpClient.RequestInit, (): RequestInit => {
  try {
    const { cache } = new Request("http://localhost", { cache: "no-store" })
    return { cache }
  } catch {
    return {}
  }
})

/** The platform's `fetch`, for hosts without Effect. Facilitators are called by `undici`, if it is installed. */
export const platformHttp = Layer.merge(
  FetchHttpClient.layer.pipe(Layer.provide(uncached)),
  Layer.succeed(FacilitatorTransport, sendByUndici)
)
