import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { FacilitatorTransport } from "../toll/facilitator/FacilitatorTransport.ts"
import { sendDispatched } from "../toll/facilitator/sendDispatched.ts"

/** The platform's `fetch`, for hosts without Effect. On Node, facilitators are called by its dispatcher. */
export const platformHttp = Layer.merge(
  FetchHttpClient.layer,
  Layer.succeed(FacilitatorTransport, sendDispatched)
)
