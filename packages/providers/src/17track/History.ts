import type { TrackingEvent } from "@till402/core"
import { at, field, list, text } from "./Document.ts"
import { type Moment, offsetMillis, readMoment } from "./Moment.ts"

/*
 * Merges the events of a shipment from one or more carriers: each event once, newest first.
 */

/** Maximum carriers of a shipment, and events of a carrier, that are read; the newest are kept. */
const maxProviders = 20
const maxEvents = 300

interface Entry {
  readonly event: TrackingEvent
  readonly moment: Moment
  /** Sort key: milliseconds since the epoch, as precisely as known. */
  readonly order: number
}

/** Town, state and country. Street and postal code are left out, because they may be the recipient's. */
const place = (address: unknown): string | null => {
  const parts = ["city", "state", "country"].flatMap((name) => text(field(address, name), 100) ?? [])
  return parts.length === 0 ? null : parts.join(", ")
}

const readEvent = (value: unknown, moment: Moment): TrackingEvent => ({
  time: moment.iso,
  description: text(at(value, "description_translation", "description")) ?? text(field(value, "description")),
  location: text(field(value, "location"), 200) ?? place(field(value, "address")),
  stage: text(field(value, "stage"), 100)
})

/** The nearest known value, earlier ones first; undefined if none is known. */
const nearestTo = (index: number, values: ReadonlyArray<number | undefined>): number | undefined => {
  for (let distance = 1; distance < values.length; distance++) {
    const value = values[index - distance] ?? values[index + distance]
    if (value !== undefined) return value
  }
  return undefined
}

/**
 * Reads the events of one carrier, listed newest first. A time without an offset is ordered as if it had its
 * neighbor's offset; an event without a time keeps its position.
 */
const readEvents = (values: ReadonlyArray<unknown>): ReadonlyArray<Entry> => {
  const moments = values.map(readMoment)
  const offsets = moments.map(offsetMillis)
  const orders = moments.map(({ instant, wall }, index) =>
    instant !== null || wall === null
      ? (instant ?? undefined)
      : Date.parse(`${wall}Z`) - (nearestTo(index, offsets) ?? 0)
  )
  return values.map((value, index) => ({
    event: readEvent(value, moments[index]!),
    moment: moments[index]!,
    order: orders[index] ?? nearestTo(index, orders) ?? Number.NEGATIVE_INFINITY
  }))
}

const sameText = (description: string | null): string =>
  (description ?? "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** The first of two reports of an event, completed from the second. */
const merged = (first: Entry, second: Entry): Entry => ({
  ...first,
  event: {
    time: first.event.time ?? second.event.time,
    description: first.event.description,
    location: first.event.location ?? second.event.location,
    stage: first.event.stage ?? second.event.stage
  },
  moment: first.moment.instant === null ? second.moment : first.moment,
  order: first.moment.instant === null ? second.order : first.order
})

/**
 * Merges reports of the same event: the same description at the same instant or, if one lacks an offset, at
 * the same time on the carrier's clock.
 */
const distinct = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const kept: Array<Entry> = []
  const byInstant = new Map<string, number>()
  const byWall = new Map<string, number>()
  for (const entry of entries) {
    const { instant, wall } = entry.moment
    const description = sameText(entry.event.description)
    const instantKey = instant === null ? undefined : `${instant}|${description}`
    const wallKey = `${wall ?? ""}|${description}`
    const sameWall = byWall.get(wallKey)
    const index =
      (instantKey === undefined ? undefined : byInstant.get(instantKey)) ??
      (sameWall !== undefined && (instant === null || kept[sameWall]!.moment.instant === null)
        ? sameWall
        : undefined)
    const known = index ?? kept.length
    kept[known] = index === undefined ? entry : merged(kept[index]!, entry)
    if (instantKey !== undefined) byInstant.set(instantKey, known)
    if (!byWall.has(wallKey)) byWall.set(wallKey, known)
  }
  return kept
}

/** A shipment's history, and the time of its newest event. */
export interface History {
  /** Newest first. */
  readonly events: ReadonlyArray<TrackingEvent>
  /** Time of the newest event in milliseconds since the epoch, as precisely as known; null if there is none. */
  readonly newest: number | null
}

/** Reads the merged history of a document's `track_info`. */
export const readHistory = (info: unknown): History => {
  const histories = list(at(info, "tracking", "providers"), maxProviders).map((provider) =>
    list(field(provider, "events"), maxEvents)
  )
  // The latest event is usually also the first carrier's; otherwise it is assigned to that carrier.
  const [first = [], ...others] = histories
  const reported = [[field(info, "latest_event"), ...first], ...others]
    .flatMap(readEvents)
    .filter(({ event, moment }) => event.description !== null || event.stage !== null || moment.wall !== null)
  const newestFirst = distinct(reported).toSorted((a, b) =>
    a.order === b.order ? 0 : a.order < b.order ? 1 : -1
  )
  const newest = newestFirst.find(({ order }) => Number.isFinite(order))
  return {
    events: newestFirst.slice(0, maxEvents).map(({ event }) => event),
    newest: newest?.order ?? null
  }
}
