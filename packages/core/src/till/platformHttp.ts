import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { FacilitatorTransport } from "../toll/facilitator/FacilitatorTransport.ts"
import { sendByUndici } from "../toll/facilitator/sendByUndici.ts"

/** The platform's `fetch`, for hosts without Effect. Facilitators are called by `undici`, if it is installed. */
export const platformHttp = Layer.merge(
  FetchHttpClient.layer,
  Layer.succeed(FacilitatorTransport, sendByUndici)
)
