import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Charge } from "../../../src/ports/Charge.ts"
import { sampleResponse } from "../../../../testing/src/stores/records.ts"

import type { NextCheck, SettlementStep } from "../../../src/toll/machine/ChargeStep.ts"
import type { HeldCharge } from "../../../src/toll/attempt/HeldCharge.ts"
import {
  chargeIn,
  facts,
  finalitySeconds,
  heldBy,
  key,
  nowMillis,
  play,
  type Script,
  sepolia,
  storeError,
  subject,
  done
} from "../machine/settlingScene.ts"

const call = { ...facts, by: "call" } as const

describe("giving a charge up", () => {
  const run = (step: SettlementStep, held: HeldCharge, script: Script) =>
    play(script, (scene) =>
      Effect.map(scene.perform(step, held), (event) => ({ event, calls: scene.calls, events: scene.events }))
    )
  const voiding = (keepsExposure: boolean, isRefused: boolean): SettlementStep => ({
    _tag: "Void",
    keepsExposure,
    isRefused
  })
  const until = (1_000 + finalitySeconds + 60) * 1_000

  it.each([true, false])("voids it until it can't move any more, its work done: %s", async (worked) => {
    for (const voided of [true, false]) {
      const charges = { void: () => Effect.succeed(voided) }
      const { calls, event } = await run(voiding(worked, false), heldBy(), { charges })
      expect(event).toEqual({ _tag: "Voided", voided })
      expect(calls).toEqual([
        ["void", key, "me", { keepExposure: worked, isRefused: false, checkAfterMillis: until }]
      ])
    }
  })

  it("records that the payment was refused, if the response says so", async () => {
    const charges = { void: () => Effect.succeed(true) }
    const { calls } = await run(voiding(false, true), heldBy(), { charges })
    expect(calls).toEqual([
      ["void", key, "me", { keepExposure: false, isRefused: true, checkAfterMillis: until }]
    ])
  })

  it("rolls back what was prepared: all that the key holds, or what this call made", async () => {
    const script = { subjects: { abandoned: () => Effect.void } }
    const rollBack = (whole: boolean): SettlementStep => ({ _tag: "RollBack", whole })
    const whole = await run(rollBack(true), heldBy({ subject }), script)
    expect([whole.event, whole.calls]).toEqual([done, [["abandoned", subject, key]]])
    expect((await run(rollBack(false), heldBy({ subject }), script)).calls).toEqual([
      ["abandoned", subject, undefined]
    ])
    expect(await run(rollBack(true), heldBy(), script)).toMatchObject({ event: done, calls: [] })
  })

  it.each<readonly [SettlementStep, ReadonlyArray<unknown>]>([
    [{ _tag: "Release" }, ["release", key, "me"]],
    [{ _tag: "YieldLease" }, ["yieldLease", key, "me", 0]],
    [{ _tag: "Finalize" }, ["finalize", key, "me"]],
    [{ _tag: "MarkRefundDue" }, ["markRefundDue", key, nowMillis, "me"]]
  ])("%j is one verb of the store", async (step, verb) => {
    const { calls, event } = await run(step, heldBy(), {
      charges: { [verb[0] as "release"]: () => Effect.succeed(true) }
    })
    expect([event, calls]).toEqual([done, [verb]])
  })

  it("ends a lease even if the store fails: it expires by itself", async () => {
    const charges = { yieldLease: () => Effect.fail(storeError) }
    const { event, events } = await run({ _tag: "YieldLease" }, heldBy(), { charges })
    expect(event).toEqual(done)
    expect(events).toMatchObject([{ level: "warning", code: "storage_failed", chargeKey: key }])
  })

  it.each([true, false])("reopens it, and reports that to the operator: %s", async (reopened) => {
    const step: SettlementStep = { _tag: "Reopen" }
    const { calls, event, events } = await run(step, heldBy({ transaction: "0xpaid" }), {
      charges: { reopen: () => Effect.succeed(reopened), find: () => Effect.succeed(undefined) }
    })
    expect(event).toEqual({ _tag: "Reopened", reopened, isRefunded: false })
    expect(calls).toEqual([["reopen", key, "me", nowMillis], ...(reopened ? [["find", key]] : [])])
    expect(events).toMatchObject(
      reopened
        ? [
            {
              level: "error",
              code: "settlement_undone",
              chargeKey: key,
              network: sepolia,
              transaction: "0xpaid"
            }
          ]
        : []
    )
  })

  it.each<[string, Charge["refund"], boolean]>([
    ["sent", { _tag: "Sent", transaction: "0xback" }, true],
    ["due", { _tag: "Due", startedAtMillis: 1 }, false],
    ["not due", undefined, false]
  ])(
    "reports whether the refund of a reopened charge was sent: it is %s",
    async (_what, refund, isRefunded) => {
      const step: SettlementStep = { _tag: "Reopen" }
      const { event } = await run(step, heldBy(), {
        charges: {
          reopen: () => Effect.succeed(true),
          find: () => Effect.succeed(chargeIn("ready", { refund }))
        }
      })
      expect(event).toEqual({ _tag: "Reopened", reopened: true, isRefunded })
    }
  )

  const defer = (reason?: string, nextCheck: NextCheck = "backoff"): SettlementStep => ({
    _tag: "Defer",
    reason,
    nextCheck
  })
  const deferring = { charges: { defer: () => Effect.void, yieldLease: () => Effect.void } }

  it("gives the lease of a call back", async () => {
    const { calls, event, events } = await run(defer(), heldBy({ facts: call }), deferring)
    expect([event, calls, events]).toEqual([done, [["yieldLease", key, "me", 0]], []])
  })

  it("reports why the outcome is unknown", async () => {
    const { events } = await run(defer("timeout"), heldBy({ facts: call }), deferring)
    expect(events).toMatchObject([
      { level: "warning", code: "settlement_unknown", chargeKey: key, network: sepolia, reason: "timeout" }
    ])
  })

  it.each<readonly [string, NextCheck, number, number]>([
    ["soon", "backoff", 0, nowMillis + 15_000],
    ["ever more seldom", "backoff", 3, nowMillis + 120_000],
    ["once its payment can't move any more", "expiry", 0, until],
    ["later still, where it was checked often", "expiry", 20, nowMillis + 3_600_000]
  ])("checks a charge again %s", async (_, nextCheck, attempts, checkAfterMillis) => {
    const { calls, event } = await run(defer(undefined, nextCheck), heldBy({ attempts }), deferring)
    expect([event, calls]).toEqual([done, [["defer", key, "me", checkAfterMillis]]])
  })

  it.each([
    [10, false],
    [11, true],
    [12, false],
    [23, true]
  ])("reports every twelfth failed attempt to the operator: %d", async (attempts, isReported) => {
    const { events } = await run(defer(), heldBy({ attempts }), deferring)
    expect(events).toEqual(
      isReported
        ? [
            {
              level: "error",
              code: "charge_unresolved",
              message: expect.stringContaining("operator"),
              chargeKey: key,
              network: sepolia,
              attempts: attempts + 1
            }
          ]
        : []
    )
  })
})

it("a recorded response makes a payment that settles first like any other", async () => {
  const taken = await play(
    {
      charges: {
        takeOver: () => Effect.succeed(true),
        find: () => Effect.succeed(chargeIn("ready", { settlesFirst: true, response: sampleResponse() }))
      }
    },
    (scene) => scene.takeOver({ key, owner: "me", by: "reconciler", nowMillis: () => nowMillis })
  )
  expect(taken?.held.facts.workIsDue).toBe(false)
})
