import { BoundedMap } from "@till402/core/effect"
import type { Shipment } from "./Shipment.ts"

/*
 * The provider stops tracking a number after 30 days without news. Tracking can be resumed once. A response doesn't say
 * that it was stopped.
 */

const dayMillis = 86_400_000
const stoppedAfterMillis = 30 * dayMillis

/** Whether the provider may have stopped tracking a shipment that is still on its way. */
export const mayBeStopped = ({ lastUpdate, result }: Shipment, nowMillis: number): boolean =>
  !result.delivered && (lastUpdate === null || lastUpdate + stoppedAfterMillis <= nowMillis)

const capacity = 10_000

/** Remembers for a day which numbers were registered or resumed, so that none is resumed again and again. */
export class RecentlyResumed {
  private readonly at = new BoundedMap<string, number>(capacity)

  /** Whether a number can be resumed. Counts as resumed from then on. */
  take(number: string, nowMillis: number): boolean {
    const before = this.at.get(number)
    if (before !== undefined && nowMillis < before + dayMillis) return false
    this.note(number, nowMillis)
    return true
  }

  note(number: string, nowMillis: number): void {
    this.at.set(number, nowMillis)
  }
}
