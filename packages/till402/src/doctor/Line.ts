import { columns, type Output } from "../terminal/Output.ts"
import { harmless, jsonLine, wrap } from "../terminal/wrap.ts"

/** A check that was made, in the shape of `till.check()`. */
export interface Line {
  readonly name: string
  /** What was checked, where there are several. */
  readonly subject?: string
  readonly status: "pass" | "warn" | "fail"
  /** What is wrong; absent for `pass`. */
  readonly problem?: string
  /** What to do about it; absent for `pass`. */
  readonly cure?: string
}

const of =
  (status: "warn" | "fail") =>
  (name: string, problem: string, cure: string, subject?: string): Line => ({
    name,
    ...(subject === undefined ? {} : { subject }),
    status,
    problem,
    cure
  })

export const warn = of("warn")
export const fail = of("fail")
export const pass = (name: string, subject?: string): Line => ({
  name,
  ...(subject === undefined ? {} : { subject }),
  status: "pass"
})

/** A finding whose cure, if its text has one, is its last sentence. */
export const failOfText = (name: string, text: string, cure: string): Line => {
  const end = text.lastIndexOf(". ")
  return end < 0 ? fail(name, text, cure) : fail(name, text.slice(0, end), text.slice(end + 2))
}

const counted = (lines: ReadonlyArray<Line>, status: Line["status"]): number =>
  lines.filter((line) => line.status === status).length

/** Prints all lines, those that fail last, and their sum; returns the exit code. */
export const printLines = (lines: ReadonlyArray<Line>, json: boolean, { paint, print }: Output): number => {
  const [passed, warned, failed] = (["pass", "warn", "fail"] as const).map((status) => counted(lines, status))
  if (json) print(jsonLine({ checks: lines, pass: passed, warn: warned, fail: failed }))
  else {
    const colour = { pass: paint.green, warn: paint.yellow, fail: paint.red }
    const rank = { pass: 0, warn: 1, fail: 2 }
    for (const { cure, name, problem, status, subject = "" } of lines.toSorted(
      (left, right) => rank[left.status] - rank[right.status]
    )) {
      const of = subject === "" ? "" : ` (${harmless(subject)})`
      const [first = "", ...rest] = wrap(`${harmless(name)}${of}`, columns - 6)
      print(`${colour[status](status.toUpperCase())}  ${first}`)
      for (const line of rest) print(`      ${line}`)
      const text = status === "pass" ? [] : [problem ?? "", `Cure: ${cure ?? ""}`]
      for (const part of text)
        for (const line of wrap(harmless(part, 2_000), columns - 6)) print(`      ${line}`)
    }
    print(paint.bold(`${passed} passed, ${warned} to look at, ${failed} failed`))
  }
  return failed === 0 ? 0 : 1
}
