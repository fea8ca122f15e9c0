import { describe, expect, it } from "vitest"
import { readIso, readMoment } from "../../src/17track/Moment.ts"

describe("times", () => {
  it.each([
    ["2026-10-12T09:30:00+08:00", "2026-10-12T09:30:00+08:00"],
    ["2026-10-12T09:30:00Z", "2026-10-12T09:30:00Z"],
    ["2026-10-12T09:30:00z", "2026-10-12T09:30:00Z"],
    ["2026-10-12 09:30+0530", "2026-10-12T09:30:00+05:30"],
    ["2026-10-12T09:30:00.123-03", "2026-10-12T09:30:00-03:00"],
    ["2026-10-12T09:30:00", null],
    ["2026-10-12", null],
    ["2026-02-30T09:30:00Z", null],
    ["2026-10-12T25:30:00Z", null],
    ["2026-10-12T09:30:00+19:00", null],
    ["yesterday", null],
    [1_760_000_000, null],
    [null, null]
  ])("%j is %j", (text, expected) => {
    expect(readIso(text).iso).toBe(expected)
  })

  const raw = (date: unknown, time: unknown, timezone: unknown = null) => ({
    time_raw: { date, time, timezone }
  })
  it.each([
    [
      "the local time first",
      { time_iso: "2026-10-12T09:30:00+08:00", time_utc: "2026-10-12T01:30:00Z" },
      "2026-10-12T09:30:00+08:00"
    ],
    ["UTC where nothing is local", { time_utc: "2026-10-12T01:30:00Z" }, "2026-10-12T01:30:00Z"],
    [
      "the carrier's clock with its zone",
      raw("2026-10-12", "09:30:00", "+08:00"),
      "2026-10-12T09:30:00+08:00"
    ],
    [
      "the carrier's clock rather than an iso in UTC",
      { time_iso: "2026-10-12T01:30:00Z", ...raw("2026-10-12", "09:30", "+0800") },
      "2026-10-12T09:30:00+08:00"
    ],
    [
      "the carrier's clock with the offset that UTC leaves",
      { time_utc: "2026-10-12T01:30:00Z", ...raw("2026-10-12", "09:30:00") },
      "2026-10-12T09:30:00+08:00"
    ],
    [
      "also west of Greenwich",
      { time_utc: "2026-10-12T12:00:00Z", ...raw("2026-10-12", "08:30:00") },
      "2026-10-12T08:30:00-03:30"
    ],
    [
      "UTC where the clocks don't fit",
      { time_utc: "2026-10-12T01:31:00Z", ...raw("2026-10-12", "09:30:00") },
      "2026-10-12T01:31:00Z"
    ],
    [
      "UTC where only the day is given",
      { time_utc: "2026-10-12T01:30:00Z", ...raw("2026-10-12", null) },
      "2026-10-12T01:30:00Z"
    ],
    ["none without a zone", raw("2026-10-30", "14:22:00"), null],
    ["none where a zone has a name only", raw("2026-10-30", "14:22:00", "Asia/Shanghai"), null],
    ["none of a day without a time of day", raw("2026-10-30", null, "+08:00"), null],
    ["none of nothing", {}, null],
    ["none of another kind", "2026-10-30", null]
  ])("are %s", (_, value, expected) => {
    expect(readMoment(value).iso).toBe(expected)
  })
})
