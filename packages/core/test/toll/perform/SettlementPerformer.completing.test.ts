import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import type { Charge, Completion } from "../../../src/ports/Charges.ts"
import { sampleReceipt } from "../../../../testing/src/stores/records.ts"
import type { ReconcilerPlan, SettlementStep } from "../../../src/toll/machine/ChargeStep.ts"
import { nextInReconciler } from "../../../src/toll/machine/SettlementMachine.ts"
import type { HeldCharge } from "../../../src/toll/attempt/HeldCharge.ts"
import {
  authorization,
  chargeIn,
  facts,
  finalitySeconds,
  heldBy,
  key,
  nowMillis,
  owedResponseMillis,
  play,
  type Script,
  sepolia,
  storeError,
  subject,
  task,
  done
} from "../machine/settlingScene.ts"

/** The event of a lease that can't be ended because the store fails. */
const leaseNotEnded = {
  level: "warning",
  code: "storage_failed",
  message: "The lease of a charge could not be ended early; it expires by itself",
  chargeKey: key,
  operation: storeError.operation,
  error: "Error"
}

describe("completing", () => {
  const receipt = { success: true, transaction: "0x2", network: sepolia, payer: authorization.from }
  const step = (changes: Partial<Extract<SettlementStep, { _tag: "Complete" }>> = {}): SettlementStep => ({
    _tag: "Complete",
    transaction: "0x2",
    proof: undefined,
    refund: "none",
    ...changes
  })
  const complete = (
    completion: Completion,
    options: {
      readonly step?: SettlementStep
      readonly held?: Partial<HeldCharge>
      readonly standing?: Charge | undefined
    } = {}
  ) =>
    play(
      {
        charges: {
          complete: () => Effect.succeed(completion),
          find: () => Effect.succeed(options.standing)
        }
      },
      (scene) =>
        Effect.map(scene.perform(options.step ?? step(), heldBy(options.held)), (event) => ({
          event,
          calls: scene.calls,
          events: scene.events
        }))
    )
  const recorded = { _tag: "Completed" } as const
  const first = { facts: { ...facts, workIsDue: true } }
  const base = {
    receipt,
    transferLogIndex: undefined,
    refundDue: false,
    finalAfterMillis: undefined,
    responseOwedUntilMillis: undefined
  }
  const owedUntilMillis = nowMillis + owedResponseMillis

  it.each<readonly [string, SettlementStep, Partial<HeldCharge>, object]>([
    ["on a facilitator's word", step(), {}, base],
    [
      "on a final proof",
      step({ proof: { logIndex: 0, isFinal: true } }),
      {},
      { ...base, transferLogIndex: 0 }
    ],
    [
      "on a proof that is not final",
      step({ proof: { logIndex: 5, isFinal: false } }),
      {},
      { ...base, transferLogIndex: 5, finalAfterMillis: nowMillis + finalitySeconds * 1_000 }
    ],
    [
      "on a proof of a network without a time of its own",
      step({ proof: { logIndex: 5, isFinal: false } }),
      { task: { ...task, network: "eip155:8453" } },
      {
        ...base,
        receipt: { ...receipt, network: "eip155:8453" },
        transferLogIndex: 5,
        finalAfterMillis: nowMillis
      }
    ],
    [
      "with a refund, while it holds the charge",
      step({ refund: "due" }),
      {},
      { ...base, refundDue: true, owner: "me" }
    ],
    ["before the work", step(), first, { ...base, responseOwedUntilMillis: owedUntilMillis }],
    [
      "before the work, with a refund",
      step({ refund: "due" }),
      first,
      { ...base, refundDue: true, owner: "me" }
    ]
  ])("records a settlement %s", async (_, calls, held, settlement) => {
    const result = await complete(recorded, { step: calls, held })
    expect(result.calls).toEqual([["complete", key, settlement, nowMillis]])
    expect(result.event).toMatchObject({
      _tag: "Completed",
      refundDue: "refund" in calls && calls.refund !== "none"
    })
  })

  it("returns the receipt, and until when the response is owed", async () => {
    expect((await complete(recorded)).event).toEqual({
      _tag: "Completed",
      receipt,
      refundDue: false,
      owedUntilMillis: undefined,
      isProvisional: false
    })
    expect((await complete(recorded, { held: first })).event).toEqual({
      _tag: "Completed",
      receipt,
      refundDue: false,
      owedUntilMillis,
      isProvisional: false
    })
  })

  it("reports a transfer that was to pay twice to the operator", async () => {
    const { calls, event, events } = await complete({ _tag: "TransferTaken" })
    expect(event).toEqual({ _tag: "TransferTaken", attempts: 0 })
    expect(calls).toHaveLength(1)
    expect(events).toMatchObject([
      { level: "error", code: "transfer_proves_another_payment", network: sepolia }
    ])
  })

  const notOpen = { _tag: "NotOpen" } as const
  it("is overtaken where nothing was settled after all", async () => {
    expect((await complete(notOpen)).event).toEqual({ _tag: "Overtaken" })
    expect((await complete(notOpen, { standing: chargeIn("ready") })).event).toEqual({ _tag: "Overtaken" })
  })

  const due = { _tag: "Due", startedAtMillis: undefined } as const
  it.each<readonly [string, boolean, Partial<Charge>, boolean]>([
    ["a refund, where one was requested", true, { refund: due }, true],
    ["a refund, where none was requested", false, { refund: due }, true],
    ["a refund that was sent", false, { refund: { _tag: "Sent", transaction: "0x3" } }, true],
    ["no refund, where one was requested", true, {}, false],
    ["no refund", false, {}, false]
  ])("returns what another process has recorded: %s", async (_, refundDue, changes, isDue) => {
    const standing = chargeIn("settled", { leaseOwner: "another", ...changes })
    const { calls, event } = await complete(notOpen, {
      step: step({ refund: refundDue ? "due" : "none" }),
      standing
    })
    expect(calls.slice(1)).toEqual([["find", key]])
    expect(event).toEqual({
      _tag: "Completed",
      receipt: sampleReceipt(),
      refundDue: isDue,
      owedUntilMillis: undefined,
      isProvisional: false
    })
  })

  it("goes on with a response that is owed only where the lease is its own", async () => {
    const standing = chargeIn("settled", { responseOwedUntilMillis: 7 })
    expect((await complete(notOpen, { standing })).event).toMatchObject({ owedUntilMillis: 7 })
    const other = await complete(notOpen, { standing: { ...standing, leaseOwner: "another" } })
    expect(other.event).toMatchObject({ owedUntilMillis: undefined })
  })

  it.each([true, false])(
    "lets the next process have the charge where the store fails, and fails itself",
    (isDown) =>
      play(
        {
          charges: {
            complete: () => Effect.fail(storeError),
            yieldLease: () => (isDown ? Effect.fail(storeError) : Effect.void)
          }
        },
        (scene) =>
          Effect.gen(function* () {
            const exit = yield* Effect.exit(scene.perform(step(), heldBy()))
            expect(exit).toEqual(Exit.fail(storeError))
            expect(scene.calls.slice(1)).toEqual([["yieldLease", key, "me", 0]])
            expect(scene.events).toEqual(isDown ? [leaseNotEnded] : [])
          })
      )
  )
})

describe("the effect of a settlement", () => {
  const apply = { _tag: "Apply" } as const
  const run = (script: Script, held: Partial<HeldCharge> = { subject }) =>
    play(script, (scene) =>
      Effect.map(scene.perform(apply, heldBy(held)), (event) => ({
        event,
        calls: scene.calls,
        events: scene.events
      }))
    )
  const settled = () => Effect.void

  it("is applied, and then noted", async () => {
    const { calls, event } = await run({
      subjects: { settled },
      charges: { markApplied: () => Effect.succeed(true) }
    })
    expect(event).toEqual(done)
    expect(calls).toEqual([
      ["settled", subject],
      ["markApplied", key]
    ])
  })

  it("is nothing without a subject", async () => {
    expect((await run({}, {})).calls).toEqual([])
  })

  it.each<readonly [string, Script["subjects"], boolean]>([
    ["it fails", { settled: () => Effect.fail(storeError) }, false],
    ["it can't be noted", { settled }, true]
  ])("stays pending where %s: the next process applies it", async (_, subjects, isApplied) => {
    const { calls, event, events } = await run({
      subjects: subjects!,
      charges: { markApplied: () => Effect.fail(storeError), yieldLease: () => Effect.void }
    })
    expect(event).toEqual(done)
    expect(calls).toEqual([
      ["settled", subject],
      ...(isApplied ? [["markApplied", key]] : []),
      ["yieldLease", key, "me", 0]
    ])
    expect(events).toMatchObject([
      { level: "error", code: "settlement_effect_pending", operation: storeError.operation, error: "Error" }
    ])
  })

  it("gets its response even if the lease can't be released", async () => {
    const { event, events } = await run({
      subjects: { settled: () => Effect.fail(storeError) },
      charges: { yieldLease: () => Effect.fail(storeError) }
    })
    expect(event).toEqual(done)
    expect(events).toEqual([expect.objectContaining({ level: "error" }), leaseNotEnded])
  })
})

describe("a settlement whose proof is checked once more", () => {
  const complete = {
    _tag: "Complete",
    transaction: "0x2",
    proof: { logIndex: 1, isFinal: false },
    refund: "none"
  } as const
  /** Performs a plan to its end. */
  const run = (step: SettlementStep, held: HeldCharge) =>
    play(
      {
        charges: {
          complete: () => Effect.succeed({ _tag: "Completed" }),
          markApplied: () => Effect.succeed(true),
          yieldLease: () => Effect.void
        },
        subjects: { settled: () => Effect.void, abandoned: () => Effect.void }
      },
      (scene) =>
        Effect.gen(function* () {
          let plan: ReconcilerPlan = [step]
          while (plan[0]._tag !== "End")
            plan = nextInReconciler(plan, yield* scene.perform(plan[0], held), held.facts)
          return scene.calls
        })
    )
  const verbs = (calls: ReadonlyArray<ReadonlyArray<unknown>>) => calls.map(([verb]) => verb)

  it.each<readonly [boolean, HeldCharge, ReadonlyArray<string>]>([
    [false, heldBy(), ["complete", "yieldLease"]],
    [false, heldBy({ subject }), ["complete", "settled", "markApplied", "yieldLease"]],
    [true, heldBy({ subject }), ["complete", "yieldLease", "abandoned"]]
  ])("leaves its lease to the reconciler, refund due: %j", async (refundDue, held, expected) => {
    const refund = refundDue ? "due" : "none"
    const calls = await run({ ...complete, refund }, held)
    expect(verbs(calls)).toEqual(expected)
    expect(calls).toContainEqual(["yieldLease", key, "me", 0])
    const final: SettlementStep = { ...complete, refund, proof: { logIndex: 1, isFinal: true } }
    expect(verbs(await run(final, held))).toEqual(expected.filter((verb) => verb !== "yieldLease"))
  })

  it("is provisional for the process that finds it recorded, too", async () => {
    const charges = {
      complete: () => Effect.succeed({ _tag: "NotOpen" as const }),
      find: () => Effect.succeed(chargeIn("settled"))
    }
    const event = await play({ charges }, (scene) => scene.perform(complete, heldBy()))
    expect(event).toMatchObject({ _tag: "Completed", isProvisional: true })
  })
})
