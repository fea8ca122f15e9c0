import { field, text } from "./Document.ts"

/*
 * The provider tells each time up to three times: `time_iso` with the carrier's local offset, `time_utc`,
 * and `time_raw` as the carrier wrote it, often without a time zone. A zone is never made up: what is
 * known without one orders events, but is not told.
 */

/** A time of a document. */
export interface Moment {
  /** ISO 8601 with an offset; null where the offset is not known. */
  readonly iso: string | null
  /** Milliseconds since the epoch, where the offset is known. */
  readonly instant: number | null
  /** The carrier's own clock, `2026-10-30T14:22:00`; midnight where it told the day alone. */
  readonly wall: string | null
  /** Whether the time of day is known. */
  readonly hasClock: boolean
}

export const nowhen: Moment = { iso: null, instant: null, wall: null, hasClock: false }

const isoPattern =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)$/i
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const clockPattern = /^(\d{2}:\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?$/
const offsetPattern = /^(Z|[+-]\d{2}(?::?\d{2})?)$/i

const isDate = (date: string): boolean => {
  const time = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}

/** `+0800`, `+08` and `z` as `+08:00` and `Z`. */
const offsetOf = (offset: string): string => {
  if (offset.toUpperCase() === "Z") return "Z"
  const digits = offset.slice(1).replace(":", "").padEnd(4, "0")
  return `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/** Offsets in use lie between -12:00 and +14:00; Date.parse takes any up to 23:59. */
const isOffset = (offset: string): boolean =>
  offset === "Z" || (Number(offset.slice(1, 3)) <= 14 && Number(offset.slice(4)) <= 59)

const moment = (date: string, clock: string, offset: string): Moment => {
  const wall = `${date}T${clock}`
  const iso = `${wall}${offset}`
  const instant = isDate(date) && isOffset(offset) ? Date.parse(iso) : Number.NaN
  return Number.isNaN(instant) ? nowhen : { iso, instant, wall, hasClock: true }
}

/** A text of ISO 8601 with an offset; `nowhen` for anything else. Fractions of seconds are dropped. */
export const readIso = (value: unknown): Moment => {
  const [, date, minutes, seconds = "00", offset] = isoPattern.exec(text(value) ?? "") ?? []
  return date === undefined || minutes === undefined || offset === undefined
    ? nowhen
    : moment(date, `${minutes}:${seconds}`, offsetOf(offset))
}

const readRaw = (raw: unknown): Moment => {
  const date = text(field(raw, "date")) ?? ""
  if (!datePattern.test(date) || !isDate(date)) return nowhen
  const [, minutes, seconds = "00"] = clockPattern.exec(text(field(raw, "time")) ?? "") ?? []
  const clock = minutes === undefined ? "00:00:00" : `${minutes}:${seconds}`
  const wall = `${date}T${clock}`
  if (Number.isNaN(Date.parse(`${wall}Z`))) return nowhen
  const zone = text(field(raw, "timezone")) ?? ""
  // A day without a time of day is not a time, even where its zone is known.
  return minutes !== undefined && offsetPattern.test(zone)
    ? moment(date, clock, offsetOf(zone))
    : { iso: null, instant: null, wall, hasClock: minutes !== undefined }
}

const quarterMillis = 15 * 60_000
const maxOffsetMillis = 14 * 60 * 60_000

/** The offset between a carrier's clock and UTC, where it is one that zones have. */
const between = (wall: string, instant: number): string | undefined => {
  const millis = Date.parse(`${wall}Z`) - instant
  if (millis % quarterMillis !== 0 || Math.abs(millis) > maxOffsetMillis) return undefined
  const clock = new Date(Math.abs(millis)).toISOString().slice(11, 16)
  return `${millis < 0 ? "-" : "+"}${clock}`
}

/**
 * The time of an event or a milestone: with the local offset where the document tells it or it follows
 * from the carrier's clock and UTC, else in UTC, else untold.
 */
export const readMoment = (value: unknown): Moment => {
  const local = readIso(field(value, "time_iso"))
  if (local.iso !== null && !local.iso.endsWith("Z")) return local
  const raw = readRaw(field(value, "time_raw"))
  if (raw.iso !== null) return raw
  const utc = local.iso !== null ? local : readIso(field(value, "time_utc"))
  if (utc.instant === null) return raw
  const offset = raw.wall === null || !raw.hasClock ? undefined : between(raw.wall, utc.instant)
  return raw.wall === null || offset === undefined
    ? utc
    : { ...raw, iso: raw.wall + offset, instant: utc.instant }
}

/** The offset of a time in milliseconds; undefined where it is not known. */
export const offsetMillis = ({ instant, wall }: Moment): number | undefined =>
  instant === null || wall === null ? undefined : Date.parse(`${wall}Z`) - instant
