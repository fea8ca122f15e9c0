import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { ApiFailure } from "../../domain/ApiFailure.ts"
import {
  tooManyLookups,
  trackingCodes,
  trackingFailure,
  upstreamCodes,
  upstreamFailure
} from "../ports/ApiFailures.ts"
import type { TrackRefusal, UpstreamError } from "../ports/PortErrors.ts"
import type { TooManyLookups } from "../ports/TrackLookups.ts"
import { TrackQuery, TrackResult } from "../goods/Tracking.ts"
import { guardedTracker } from "../ports/Tracker.ts"
import { type Operation, operationLayer } from "../../operations/Operation.ts"
import { OperationSettings } from "../../operations/OperationSettings.ts"
import { commonErrors, failure, fixedPrice, respond } from "../../operations/RouteParts.ts"
import { trackNames } from "./OtherNames.ts"
import { publishedExample } from "./publishedExample.ts"
import { ShopSettings } from "./ShopSettings.ts"

/** The contract of `track`: path, input, responses and documentation. */
export const endpoint = HttpApiEndpoint.get("track", "/x402/track", {
  query: TrackQuery,
  success: TrackResult,
  error: [...commonErrors, failure(404), failure(422)]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Track a shipment",
    description:
      "Looks up the live status of any tracking number. The number need not belong to an order placed here. The carrier is auto-detected unless given. Carriers are polled again every 6 to 12 hours, and every 24 hours once a parcel is delivered."
  })
)

const event = {
  time: "2026-03-04T14:20:00-06:00",
  description: "Delivered",
  location: "Austin, TX",
  stage: "Delivered"
}

export const example = {
  input: { number: "1Z999AA10123456784" },
  output: {
    number: "1Z999AA10123456784",
    status: "Delivered",
    subStatus: null,
    statusDescription: "Delivered",
    delivered: true,
    found: true,
    carrier: { code: 100002, name: "UPS", homepage: "https://www.ups.com", country: "US" },
    lastMileCarrier: null,
    origin: "US",
    destination: "US",
    latestEvent: event,
    events: [event],
    milestones: [{ stage: "Delivered", time: event.time }],
    pickedUpAt: "2026-03-02T09:00:00-06:00",
    deliveredAt: event.time,
    daysInTransit: 2,
    daysSinceLastUpdate: 0,
    estimatedDelivery: null,
    serviceType: "Ground",
    weightKg: "1.2",
    carrierNotice: null,
    trackingPageUrl: "https://www.ups.com/track?tracknum=1Z999AA10123456784"
  }
}

const failureOf = (error: TrackRefusal | TooManyLookups | UpstreamError): ApiFailure => {
  switch (error._tag) {
    case "UpstreamFailed":
    case "UpstreamUnavailable":
      return upstreamFailure(error)
    case "TooManyLookups":
      return tooManyLookups(error)
    default:
      return trackingFailure(error)
  }
}

const carriersNote = (carriers: number | undefined) =>
  carriers === undefined ? {} : { note: `It knows more than ${carriers.toLocaleString("en-US")} carriers.` }

/** `GET /x402/track`: shipment tracking by `Tracker`. */
export const layer = operationLayer(
  Effect.gen(function* () {
    const tracker = yield* guardedTracker
    const { responseLifetimeMillis } = yield* OperationSettings
    const { prices, settlement } = yield* ShopSettings
    const settlesFirst = settlement.track === "before-work"
    return {
      endpoint,
      documents: {
        description: "Live status of a shipment",
        mimeType: "application/json",
        example: yield* publishedExample(endpoint, example),
        errors: [...trackingCodes, ...upstreamCodes("tracking")],
        ...carriersNote(tracker.carriers),
        // The others may be private: a postal code, a phone number, a tax number.
        queryInResource: ["number", "carrier"],
        // The contract documents the route, but doesn't list it.
        unlisted: true
      },
      input: { otherNames: trackNames },
      settlement: { beforeWork: settlesFirst },
      response: { encrypted: true, replayMillis: responseLifetimeMillis },
      price: fixedPrice(prices.track),
      work: (query, charge) =>
        // Paid work costs nobody anything: it is tried as often as its payer asks.
        Effect.mapBoth(tracker.track(query, settlesFirst ? undefined : charge.payer().toLowerCase()), {
          onFailure: failureOf,
          onSuccess: (result) => respond(result)
        })
    } satisfies Operation<TrackQuery>
  })
)
