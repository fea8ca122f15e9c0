import { Effect } from "effect"
import type { TollRequest } from "../../src/toll/request/TollRequest.ts"
import { offer, payloadV2, resourceUrl } from "./payments.ts"

/** A request for a search, with a payment that nobody has signed. Does no work. */
export const tollRequest = (
  payload = payloadV2({}),
  changes: Partial<TollRequest<never>> = {}
): TollRequest<never> => ({
  operation: "search",
  canonical: "GET /x402/search\n{}",
  payment: { payload, signed: payload.payload },
  resourceUrl,
  resource: { url: resourceUrl, description: "", mimeType: "application/json" },
  encrypted: false,
  replayMillis: 1_000,
  workMillis: 1_000,
  proofRequired: () => true,
  settlesFirst: false,
  exposureAtomic: () => 10_000n,
  clientAddress: () => undefined,
  offers: () => [offer()],
  work: () => Effect.die(new Error("no work is done")),
  reopen: () => Effect.die(new Error("nothing is opened again")),
  ...changes
})
