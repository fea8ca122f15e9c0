import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ChargeEvent, ChargeStep, Plan, RequestStep } from "../../../src/toll/machine/ChargeStep.ts"
import { driveSteps, maxSteps } from "../../../src/toll/perform/driveSteps.ts"
import { closed, end } from "../machine/machineRows.ts"

const waited: ChargeEvent = { _tag: "Waited" }
const wait: RequestStep = { _tag: "Wait" }
const waits: Plan<RequestStep, ChargeStep> = [wait, { _tag: "Find" }]

/** Drives a machine that makes the same plan until it ends after a number of steps. */
const drive = (endsAfter: number) => {
  const performed: Array<RequestStep> = []
  const driving = driveSteps(
    waits,
    (step: RequestStep) =>
      Effect.sync(() => {
        performed.push(step)
        return waited
      }),
    (plan, event) => {
      expect([plan, event]).toEqual([waits, waited])
      return performed.length === endsAfter ? end(closed) : waits
    }
  )
  return { ending: Effect.runSync(driving), performed }
}

describe("driving steps", () => {
  it("performs the first step of each plan and returns the ending", () => {
    expect(drive(3)).toEqual({ ending: closed, performed: [wait, wait, wait] })
  })

  it("performs nothing for a machine that has ended", () => {
    const driving = driveSteps<RequestStep, ChargeStep, ChargeEvent, never>(
      end(closed),
      () => expect.unreachable(),
      () => expect.unreachable()
    )
    expect(Effect.runSync(driving)).toEqual(closed)
  })

  it("gives up on a machine that doesn't end", () => {
    const { ending, performed } = drive(Number.POSITIVE_INFINITY)
    expect([ending, performed.length]).toEqual([undefined, maxSteps])
    expect(drive(maxSteps - 1).ending).toEqual(closed)
  })

  it("fails with the error of a step", () => {
    const failing = () => Effect.fail("broken")
    const driving = driveSteps<RequestStep, ChargeStep, ChargeEvent, string>(waits, failing, () => waits)
    expect(Effect.runSync(Effect.flip(driving))).toBe("broken")
  })
})
