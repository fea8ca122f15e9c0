import { Clock, Effect } from "effect"
import type { WrongClock } from "../http/WrongClock.ts"
import type { ClockReading } from "../runtime/ClockReading.ts"
import { type Instant, instantOf } from "../runtime/DatabaseTime.ts"
import { report } from "../runtime/events.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { type Check, checkOf, textOf } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import { maxSkewMillis, StoreTime, warnSkewMillis } from "./storeTime.ts"

/*
 * The check of the clock by which a till judges payments: its process's, or its database's. It is compared with what
 * facilitators and nodes show. One of them may be wrong itself; two that agree are not.
 */

/** How far a site's clock is ahead of the till's: between two bounds, in milliseconds. */
interface Offset {
  readonly hosts: ReadonlyArray<string>
  readonly fromMillis: number
  readonly toMillis: number
}

/** A `Date` names a second. */
const dateStepMillis = 1_000
/** How far the time of a block may be ahead, by the rules of its chain. */
const blockLeadMillis = 15_000
/** The clocks of two sources that agree may differ by this much. */
const toleranceMillis = 5_000

/** Hosts of one site share their clocks: those of one domain, however it is divided. An address is a site by itself. */
const siteOf = (host: string): string =>
  /^[\d.]+$|^\[/.test(host) ? host : host.split(".").slice(-2).join(".")

const offsetOf = ({ afterMillis, beforeMillis, blockMillis, dateMillis, host }: ClockReading): Offset => ({
  hosts: [host],
  fromMillis: Math.max(
    dateMillis === undefined ? -Infinity : dateMillis - afterMillis,
    // That its newest block is old says nothing of a clock: the node may lag.
    blockMillis === undefined ? -Infinity : blockMillis - blockLeadMillis - afterMillis
  ),
  toMillis: dateMillis === undefined ? Infinity : dateMillis + dateStepMillis - beforeMillis
})

/** The offset of each site; none of those that contradict themselves, or say nothing. */
const offsetsOf = (readings: ReadonlyArray<ClockReading>): ReadonlyArray<Offset> => {
  const sites = new Map<string, Offset>()
  for (const reading of readings) {
    const site = siteOf(reading.host)
    const one = offsetOf(reading)
    const other = sites.get(site)
    sites.set(
      site,
      other === undefined
        ? one
        : {
            hosts: [...new Set([...other.hosts, ...one.hosts])],
            fromMillis: Math.max(one.fromMillis, other.fromMillis),
            toMillis: Math.min(one.toMillis, other.toMillis)
          }
    )
  }
  return [...sites.values()].filter(
    ({ fromMillis, toMillis }) => fromMillis <= toMillis && (fromMillis > -Infinity || toMillis < Infinity)
  )
}

/** The smallest difference that an offset proves, in either direction. */
const provenMillis = ({ fromMillis, toMillis }: Offset): number => Math.max(fromMillis, -toMillis, 0)

const middleOf = ({ fromMillis, toMillis }: Offset): number => {
  if (toMillis === Infinity) return fromMillis
  return fromMillis === -Infinity ? toMillis : (fromMillis + toMillis) / 2
}

const agree = (one: Offset, other: Offset): boolean =>
  one.fromMillis <= other.toMillis + toleranceMillis && other.fromMillis <= one.toMillis + toleranceMillis

/** What the sources say of the till's clock. */
export interface ClockVerdict {
  /**
   * `unknown`: there are none. `near`: none of them proves a difference. `far`: one does. `wrong`: two agree that the
   * till's clock is wrong.
   */
  readonly level: "unknown" | "near" | "far" | "wrong"
  /** By how much the till's clock is behind those hosts', in milliseconds; negative: ahead. */
  readonly behindMillis: number
  /** The hosts that show another time. */
  readonly hosts: ReadonlyArray<string>
}

/** Judges what was read. The till's clock is wrong if two independent sites agree on it, and fewer confirm its time. Pure. */
export const judgeClock = (readings: ReadonlyArray<ClockReading>): ClockVerdict => {
  const offsets = offsetsOf(readings)
  const verdictOf = (level: ClockVerdict["level"], group: ReadonlyArray<Offset>): ClockVerdict => ({
    level,
    behindMillis: middleOf({
      hosts: [],
      fromMillis: Math.max(...group.map(({ fromMillis }) => fromMillis)),
      toMillis: Math.min(...group.map(({ toMillis }) => toMillis))
    }),
    hosts: group.flatMap(({ hosts }) => hosts)
  })
  const contradicting = offsets.filter((offset) => provenMillis(offset) >= maxSkewMillis)
  const [group = []] = contradicting
    .map((offset) => contradicting.filter((other) => agree(offset, other)))
    .toSorted((left, right) => right.length - left.length)
  const confirming = offsets.filter(
    (offset) => offset.toMillis < Infinity && provenMillis(offset) < warnSkewMillis
  )
  if (group.length >= 2 && group.length > confirming.length) return verdictOf("wrong", group)
  const [farthest] = offsets
    .filter((offset) => provenMillis(offset) >= warnSkewMillis)
    .toSorted((left, right) => provenMillis(right) - provenMillis(left))
  return farthest === undefined
    ? { level: offsets.length === 0 ? "unknown" : "near", behindMillis: 0, hosts: [] }
    : verdictOf("far", [farthest, ...offsets.filter((other) => other !== farthest && agree(farthest, other))])
}

/** The check that a verdict makes. `owner`: whose clock it is. Pure. */
export const clockCheckOf = ({ behindMillis, hosts, level }: ClockVerdict, owner: string): Check => {
  if (level === "near" || level === "unknown") return checkOf("clock")
  const seconds = Math.round(Math.abs(behindMillis) / 1_000)
  const side = behindMillis > 0 ? "behind" : "ahead of"
  const problem = `The clock of ${owner} is ${seconds} s ${side} that of ${hosts.join(" and ")}`
  return level === "wrong"
    ? checkOf("clock", undefined, {
        status: "fail",
        problem: `${problem}: nothing is sold until it is right`,
        cure: `Synchronize the clock of ${owner} (NTP); then sales continue by themselves`
      })
    : checkOf("clock", undefined, {
        status: "warn",
        problem,
        cure: `Synchronize the clock of ${owner} (NTP), unless theirs is wrong`
      })
}

/** Reads all clocks at once, and judges the till's. */
const readVerdict = Effect.fnUntraced(function* ({ networks }: Pick<ConfiguredSettings, "networks">) {
  const { clocks = Effect.succeed([]) } = yield* Facilitator
  const { clock: clockOf = () => Effect.undefined } = yield* Chain
  const [ofFacilitators, ofNodes] = yield* Effect.all(
    [clocks, Effect.forEach(networks, ({ caip2 }) => clockOf(caip2), { concurrency: "unbounded" })] as const,
    { concurrency: "unbounded" }
  )
  return judgeClock([...ofFacilitators, ...ofNodes.filter((reading) => reading !== undefined)])
})

const ownerOf = Effect.map(StoreTime, ({ clock }) => (clock === undefined ? "this server" : "the database"))

/** Compares the clocks now; nothing where no other one is known. */
export const readClockChecks = Effect.fnUntraced(function* (settings: Pick<ConfiguredSettings, "networks">) {
  const verdict = yield* readVerdict(settings)
  return verdict.level === "unknown" ? [] : [clockCheckOf(verdict, yield* ownerOf)]
})

const everyMillis = 10 * 60_000
/** Shorter, while a clock is wrong, or none was read. */
const doubtfulMillis = 60_000
/** Wall and monotonic clock differ by less, unless the wall clock was set. */
const jumpMillis = 1_000

/** Whether to compare the clocks again: after some minutes, and after the till's clock was set. */
const isDue = (last: Instant, now: Instant, { level }: ClockVerdict): boolean => {
  const passedMillis = now.monotonicMillis - last.monotonicMillis
  const hasJumped = Math.abs(now.wallMillis - last.wallMillis - passedMillis) > jumpMillis
  return hasJumped || passedMillis >= (level === "near" ? everyMillis : doubtfulMillis)
}

/**
 * Makes the watch of the till's clock, to be repeated every few seconds: it compares the clocks when that is due, keeps
 * whether sales are withheld, and reports what it finds, once until it has changed.
 */
export const clockWatch = (settings: Pick<ConfiguredSettings, "networks">, wrongClock: WrongClock) => {
  let last: { readonly at: Instant; readonly verdict: ClockVerdict } | undefined
  return Effect.gen(function* () {
    const clock = yield* Clock.clockWith(Effect.succeed)
    const at = instantOf(clock)
    if (last !== undefined && !isDue(last.at, at, last.verdict)) return
    const verdict = yield* readVerdict(settings)
    const before = last?.verdict.level
    last = { at, verdict }
    const { behindMillis, level } = verdict
    wrongClock.behindMillis = level === "wrong" ? behindMillis : undefined
    if (level === "near" || level === "unknown" || level === before) return
    const text = textOf(clockCheckOf(verdict, yield* ownerOf))
    yield* level === "wrong"
      ? report("Error", "clock_refused", text, { reason: "clock" })
      : report("Warn", "clock_skewed", text, { reason: "clock" })
  })
}
