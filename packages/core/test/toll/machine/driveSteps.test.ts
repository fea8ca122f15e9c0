import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ChargeEvent, RequestStep } from "../../../src/toll/machine/ChargeStep.ts"
import { driveSteps, maxSteps } from "../../../src/toll/machine/driveSteps.ts"
import { closed } from "./machineRows.ts"

const waited: ChargeEvent = { _tag: "Waited" }
const wait: RequestStep = { _tag: "Wait" }

/** Drives a machine that ends after a number of steps. */
const drive = (endsAfter: number) => {
  const performed: Array<RequestStep> = []
  const driving = Effect.gen(() =>
    driveSteps(
      wait,
      function* (step: RequestStep) {
        performed.push(step)
        yield* Effect.void
        return waited
      },
      (step, event) => {
        expect([step, event]).toEqual([wait, waited])
        return performed.length === endsAfter ? { _tag: "End", ending: closed } : wait
      }
    )
  )
  return { ending: Effect.runSync(driving), performed }
}

describe("driving steps", () => {
  it("performs each step and returns the ending", () => {
    expect(drive(3)).toEqual({ ending: closed, performed: [wait, wait, wait] })
  })

  it("performs nothing for a machine that has ended", () => {
    const driving = Effect.gen(() =>
      driveSteps<RequestStep, never>(
        { _tag: "End", ending: closed },
        () => expect.unreachable(),
        () => expect.unreachable()
      )
    )
    expect(Effect.runSync(driving)).toEqual(closed)
  })

  it("gives up on a machine that doesn't end", () => {
    const { ending, performed } = drive(Number.POSITIVE_INFINITY)
    expect([ending, performed.length]).toEqual([undefined, maxSteps])
    expect(drive(maxSteps - 1).ending).toEqual(closed)
  })

  it("fails with the error of a step", () => {
    const failing = function* () {
      return yield* Effect.fail("broken")
    }
    const driving = Effect.gen(() => driveSteps<RequestStep, string>(wait, failing, () => wait))
    expect(Effect.runSync(Effect.flip(driving))).toBe("broken")
  })
})
