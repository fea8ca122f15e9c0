import { field, text } from "./Document.ts"

/*
 * The provider reports each time in up to three fields: `time_iso` with the carrier's local offset,
 * `time_utc`, and `time_raw` as the carrier wrote it, often without a time zone. A time zone is never guessed:
 * a time without one orders events, but is not returned.
 */

/** A time of a document. */
export interface Moment {
  /** ISO 8601 with an offset; null if the offset is unknown. */
  readonly iso: string | null
  /** Milliseconds since the epoch; null if the offset is unknown. */
  readonly instant: number | null
  /** The carrier's local time, `2026-10-30T14:22:00`; midnight if only the day is known. */
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

/** Normalizes an offset: `+0800`, `+08` and `z` become `+08:00` and `Z`. */
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

/** Reads ISO 8601 with an offset; `nowhen` for anything else. Fractions of seconds are dropped. */
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
  // A day without a time of day is not a time, even if its zone is known.
  return minutes !== undefined && offsetPattern.test(zone)
    ? moment(date, clock, offsetOf(zone))
    : { iso: null, instant: null, wall, hasClock: minutes !== undefined }
}

const quarterMillis = 15 * 60_000
const maxOffsetMillis = 14 * 60 * 60_000

/** The offset between a carrier's local time and UTC, if time zones have such an offset. */
const between = (wall: string, instant: number): string | undefined => {
  const millis = Date.parse(`${wall}Z`) - instant
  if (millis % quarterMillis !== 0 || Math.abs(millis) > maxOffsetMillis) return undefined
  const clock = new Date(Math.abs(millis)).toISOString().slice(11, 16)
  return `${millis < 0 ? "-" : "+"}${clock}`
}

/**
 * Reads the time of an event or a milestone: with the local offset if it is reported or follows from local
 * time and UTC, otherwise in UTC if known.
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

/** The offset of a time in milliseconds; undefined if unknown. */
export const offsetMillis = ({ instant, wall }: Moment): number | undefined =>
  instant === null || wall === null ? undefined : Date.parse(`${wall}Z`) - instant
