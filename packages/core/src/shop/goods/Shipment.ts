import { MilestoneStage, type TrackingEvent, type TrackMilestone, type TrackResult } from "./Tracking.ts"

/*
 * What trackers report of a shipment, without its contradictions: the order of events and milestones, and all that
 * follows from other fields. Pure.
 */

/** A tracker's result as the contract has it. What follows from the status, the events or the milestones is derived. */
export const normalized = (result: TrackResult): TrackResult => {
  const { deliveredAt, events: reported, found, latestEvent, pickedUpAt, status } = result
  const events = newestFirst(reported.length === 0 && latestEvent !== null ? [latestEvent] : reported)
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

const millisOf = (time: string | null): number | undefined => (time === null ? undefined : Date.parse(time))

/** Whether a list begins with older events than those it ends with. */
const isOldestFirst = (events: ReadonlyArray<TrackingEvent>): boolean => {
  const known = events.flatMap(({ time }) => millisOf(time) ?? [])
  return known.length > 1 && known[0]! < known.at(-1)!
}

/** Sorts events, and removes those that were there. An event without a time stays behind the one before it. */
const newestFirst = (reported: ReadonlyArray<TrackingEvent>): ReadonlyArray<TrackingEvent> => {
  // Events of the same time are in the order of the list.
  const events = isOldestFirst(reported) ? reported.toReversed() : reported
  let millis = Infinity
  const entries = events.map((event) => {
    millis = millisOf(event.time) ?? millis
    return { event, millis }
  })
  const distinct = new Map<string, TrackingEvent>()
  for (const { event } of entries.toSorted((a, b) => (a.millis === b.millis ? 0 : b.millis - a.millis))) {
    const { description, location, stage, time } = event
    const key = JSON.stringify([millisOf(time), description, location, stage])
    if (!distinct.has(key)) distinct.set(key, event)
  }
  return [...distinct.values()]
}

/** Each stage once, with the earliest time at which it was reached. */
const inShippingOrder = (reported: ReadonlyArray<TrackMilestone>): ReadonlyArray<TrackMilestone> =>
  MilestoneStage.literals.flatMap((stage) => {
    const reached = reported.filter((milestone) => milestone.stage === stage)
    const earliest = reached.toSorted(
      (a, b) => (millisOf(a.time) ?? Infinity) - (millisOf(b.time) ?? Infinity) || 0
    )
    return earliest.slice(0, 1)
  })
