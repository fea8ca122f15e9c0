import type { TrackResult } from "@till402/core"
import type { Carrier } from "../carriers/Carrier.ts"
import { at, carrierCode, country, field, list, natural, text, textOrNumber, webAddress } from "./Document.ts"
import { readHistory } from "./History.ts"
import { isStage, stages, statusOf } from "./Status.ts"
import { nowhen, type Moment, readIso, readMoment } from "./Moment.ts"

/**
 * The part of an upstream document that the contract's response contains. It has no recipient's name, street,
 * postal code, phone or tax id.
 */
export interface Shipment {
  readonly result: Omit<TrackResult, "number" | "daysSinceLastUpdate" | "trackingPageUrl">
  /** Time of the carrier's last report in milliseconds since the epoch; null without one. */
  readonly lastUpdate: number | null
  /** Whether the provider has asked a carrier, which responded. */
  readonly wasAsked?: boolean
}

/** Looks up a carrier by its code. */
export type FindCarrier = (code: number) => Carrier | undefined

const maxProviders = 20
const dayMillis = 86_400_000

type TrackCarrier = TrackResult["carrier"]

const readCarrier = (
  code: number | null,
  providers: ReadonlyArray<unknown>,
  findCarrier: FindCarrier
): TrackCarrier => {
  const reported = providers.map((each) => field(each, "provider"))
  const provider =
    code === null ? reported[0] : reported.find((each) => carrierCode(field(each, "key")) === code)
  const actual = code ?? carrierCode(field(provider, "key"))
  const listed = actual === null ? undefined : findCarrier(actual)
  return {
    code: actual,
    name: text(field(provider, "name"), 200) ?? listed?.name ?? null,
    homepage: webAddress(field(provider, "homepage")) ?? listed?.homepage ?? null,
    country: country(field(provider, "country")) ?? listed?.country ?? null
  }
}

/** The carrier of the last mile, if it is a different one. */
const readLastMile = (
  misc: unknown,
  carrier: TrackCarrier,
  findCarrier: FindCarrier
): TrackResult["lastMileCarrier"] => {
  const code = carrierCode(field(misc, "local_key"))
  const name = text(field(misc, "local_provider"), 200)
  if (code === null ? name === null || name === carrier.name : code === carrier.code) return null
  return { code, name: name ?? (code === null ? null : (findCarrier(code)?.name ?? null)) }
}

const readMilestones = (info: unknown): ReadonlyMap<string, Moment> => {
  const reached = new Map<string, Moment>()
  for (const value of list(field(info, "milestone"), 50)) {
    const stage = text(field(value, "key_stage"))
    const moment = readMoment(value)
    // All stages are always listed; a reached stage has a time, or at least a day.
    if (isStage(stage) && moment.wall !== null && !reached.has(stage)) reached.set(stage, moment)
  }
  return reached
}

const readEstimate = (metrics: unknown): TrackResult["estimatedDelivery"] => {
  const estimate = field(metrics, "estimated_delivery_date")
  const from = readIso(field(estimate, "from")).iso
  const to = readIso(field(estimate, "to")).iso
  return from === null && to === null ? null : { from, to, source: text(field(estimate, "source"), 100) }
}

/** Reads an accepted item of `gettrackinfo`, or the `data` of a webhook. Accepts any document. */
export const readShipment = (item: unknown, findCarrier: FindCarrier): Shipment => {
  const info = field(item, "track_info")
  const misc = field(info, "misc_info")
  const metrics = field(info, "time_metrics")
  const providers = list(at(info, "tracking", "providers"), maxProviders)
  const { events, newest } = readHistory(info)
  const subStatus = text(at(info, "latest_status", "sub_status"), 100)
  const status = statusOf({
    status: text(at(info, "latest_status", "status")),
    subStatus,
    stage: events[0]?.stage ?? null,
    hasEvents: events.length > 0
  })
  const milestones = readMilestones(info)
  const carrier = readCarrier(carrierCode(field(item, "carrier")), providers, findCarrier)
  const first = (read: (provider: unknown) => string | null): string | null =>
    providers.reduce<string | null>((found, provider) => found ?? read(provider), null)
  const found = status !== "NotFound"
  const wasAsked = providers.some((provider) => field(provider, "latest_sync_status") === "Success")
  return {
    lastUpdate: newest,
    ...(wasAsked ? { wasAsked } : {}),
    result: {
      status,
      subStatus,
      statusDescription: text(at(info, "latest_status", "sub_status_descr"), 2_000),
      delivered: status === "Delivered",
      found,
      carrier,
      lastMileCarrier: readLastMile(misc, carrier, findCarrier),
      origin: country(at(info, "shipping_info", "shipper_address", "country")),
      destination: country(at(info, "shipping_info", "recipient_address", "country")),
      latestEvent: events[0] ?? null,
      events,
      milestones: stages.flatMap((stage) => {
        const moment = milestones.get(stage)
        return moment === undefined ? [] : [{ stage, time: moment.iso }]
      }),
      pickedUpAt: (milestones.get("PickedUp") ?? nowhen).iso,
      deliveredAt: (milestones.get("Delivered") ?? nowhen).iso,
      // The provider reports 0 days for numbers that it knows nothing about.
      daysInTransit: found ? natural(field(metrics, "days_of_transit")) : null,
      estimatedDelivery: readEstimate(metrics),
      serviceType:
        text(field(misc, "service_type"), 200) ?? first((each) => text(field(each, "service_type"), 200)),
      weightKg: textOrNumber(field(misc, "weight_kg"), 50),
      carrierNotice: first((each) => text(field(each, "provider_tips"), 2_000))
    }
  }
}

/** A number without news, with the carrier that it is registered with, if any. */
export const unknownShipment = (code: number | null, findCarrier: FindCarrier): Shipment => ({
  lastUpdate: null,
  result: {
    status: "NotFound",
    subStatus: null,
    statusDescription: null,
    delivered: false,
    found: false,
    carrier: readCarrier(code, [], findCarrier),
    lastMileCarrier: null,
    origin: null,
    destination: null,
    latestEvent: null,
    events: [],
    milestones: [],
    pickedUpAt: null,
    deliveredAt: null,
    daysInTransit: null,
    estimatedDelivery: null,
    serviceType: null,
    weightKg: null,
    carrierNotice: null
  }
})

/** Whether the provider has asked a carrier, or needs to ask none: the code is none of the carrier's. */
export const isAsked = ({ result, wasAsked = false }: Shipment): boolean =>
  wasAsked || result.subStatus === "NotFound_InvalidCode"

/** Whether a carrier has reported anything. Before that there is nothing to protect. */
export const hasNews = ({ result }: Shipment): boolean => result.found || result.events.length > 0

/**
 * The contract's response. Days since the last update are counted from `now`, because the provider counts
 * them when it polls, which may be a day ago.
 */
export const resultAt = ({ lastUpdate, result }: Shipment, number: string, now: number): TrackResult => ({
  number,
  ...result,
  daysSinceLastUpdate: lastUpdate === null ? null : Math.max(0, Math.floor((now - lastUpdate) / dayMillis)),
  trackingPageUrl: `https://t.17track.net/en#nums=${encodeURIComponent(number)}`
})
