import { MilestoneStage, type TrackingEvent, type TrackMilestone, type TrackResult } from "./Tracking.ts"

/*
 * What trackers report of a shipment, without its contradictions: the order of events and milestones, and all that
 * follows from other fields. Pure.
 */

/** A tracker's result as the contract has it. What follows from the status, the events or the milestones is derived. */
export const normalized = (sent: TrackResult): TrackResult => {
  const result = withPlainOffsets(sent)
  const { deliveredAt, found, pickedUpAt, status } = result
  const events = newestFirst(result.events, result.latestEvent)
  const milestones = inShippingOrder(result.milestones)
  const timeOf = (stage: MilestoneStage) =>
    milestones.find((reached) => reached.stage === stage)?.time ?? null
  const delivered = status === "Delivered"
  return {
    ...result,
    delivered,
    found: events.length > 0 || (found && status !== "NotFound"),
    latestEvent: events[0] ?? null,
    events,
    milestones,
    pickedUpAt: pickedUpAt ?? timeOf("PickedUp"),
    deliveredAt: delivered ? (deliveredAt ?? timeOf("Delivered")) : null
  }
}

/** Writes an offset as ISO 8601 does beside a date with hyphens: `+0530` becomes `+05:30`. */
const plainOffset = <Time extends string | null>(time: Time) =>
  (time === null ? null : time.replace(/([+-]\d\d)(\d\d)$/, "$1:$2")) as Time

const withTime = <A extends { readonly time: string | null }>(dated: A): A => ({
  ...dated,
  time: plainOffset(dated.time)
})

const withPlainOffsets = (sent: TrackResult): TrackResult => {
  const { deliveredAt, estimatedDelivery: estimate, events, latestEvent, milestones, pickedUpAt } = sent
  return {
    ...sent,
    latestEvent: latestEvent === null ? null : withTime(latestEvent),
    events: events.map(withTime),
    milestones: milestones.map(withTime),
    pickedUpAt: plainOffset(pickedUpAt),
    deliveredAt: plainOffset(deliveredAt),
    estimatedDelivery:
      estimate === null
        ? null
        : { ...estimate, from: plainOffset(estimate.from), to: plainOffset(estimate.to) }
  }
}

const millisOf = (time: string | null): number | undefined => (time === null ? undefined : Date.parse(time))

/** Whether a list begins with older events than those it ends with. */
const isOldestFirst = (events: ReadonlyArray<TrackingEvent>): boolean => {
  const known = events.flatMap(({ time }) => millisOf(time) ?? [])
  return known.length > 1 && known[0]! < known.at(-1)!
}

/**
 * Sorts events, and removes those that were there. An event without a time stays behind the one before it. `latest` tells
 * the first of those that have no other difference in time.
 */
const newestFirst = (
  reported: ReadonlyArray<TrackingEvent>,
  latest: TrackingEvent | null
): ReadonlyArray<TrackingEvent> => {
  // Events of the same time are in the order of the list.
  const listed = isOldestFirst(reported) ? reported.toReversed() : reported
  const isListed = latest !== null && listed.some((event) => keyOf(event) === keyOf(latest))
  const events = latest !== null && (isListed || listed.length === 0) ? [latest, ...listed] : listed
  let millis = Infinity
  const entries = events.map((event) => {
    millis = millisOf(event.time) ?? millis
    return { event, millis }
  })
  const distinct = new Map<string, TrackingEvent>()
  for (const { event } of entries.toSorted((a, b) => (a.millis === b.millis ? 0 : b.millis - a.millis))) {
    const key = keyOf(event)
    if (!distinct.has(key)) distinct.set(key, event)
  }
  return [...distinct.values()]
}

/** The same for two events that differ only in how their time is written. */
const keyOf = ({ description, location, stage, time }: TrackingEvent): string =>
  JSON.stringify([millisOf(time), description, location, stage])

/** Each stage once, with the earliest time at which it was reached. */
const inShippingOrder = (reported: ReadonlyArray<TrackMilestone>): ReadonlyArray<TrackMilestone> =>
  MilestoneStage.literals.flatMap((stage) => {
    const reached = reported.filter((milestone) => milestone.stage === stage)
    const earliest = reached.toSorted(
      (a, b) => (millisOf(a.time) ?? Infinity) - (millisOf(b.time) ?? Infinity) || 0
    )
    return earliest.slice(0, 1)
  })
