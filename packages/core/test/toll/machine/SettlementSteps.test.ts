import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import type { Charge, Completion } from "../../../src/ports/Charges.ts"
import { sampleResponse, sampleReceipt } from "../../../src/testing/stores/records.ts"
import { next } from "../../../src/toll/machine/ChargeMachine.ts"
import type { SettlementStep } from "../../../src/toll/machine/ChargeStep.ts"
import type { ChargeLease, HeldCharge } from "../../../src/toll/machine/HeldCharge.ts"
import {
  authorization,
  chargeIn,
  facts,
  finalitySeconds,
  heldBy,
  key,
  leaseMillis,
  nowMillis,
  owedResponseMillis,
  play,
  type Script,
  sepolia,
  storeError,
  subject,
  task
} from "./settlingScene.ts"

const call = { ...facts, by: "call" } as const
const done = { _tag: "Done" } as const

describe("taking a charge over", () => {
  const takeOver = (
    found: Charge | undefined,
    script: Script & { readonly took?: boolean; readonly by?: ChargeLease["by"] } = {}
  ) => {
    const lease: ChargeLease = { key, owner: "me", by: script.by ?? "reconciler", nowMillis: () => nowMillis }
    return play(
      {
        ...script,
        charges: {
          takeOver: () => Effect.succeed(script.took ?? true),
          find: () => Effect.succeed(found)
        }
      },
      (scene) => Effect.map(scene.takeOver(lease), ({ event, held }) => ({ event, held, scene }))
    )
  }
  const nothing = { _tag: "Taken", charge: undefined, sameRequest: true, readable: true, nowMillis }

  it("asks the store for the lease, and reads the charge after it has it", async () => {
    const charge = chargeIn("ready", { subject, attempts: 4 })
    const { event, held, scene } = await takeOver(charge)
    expect(scene.asked).toEqual([
      ["takeOver", key, { owner: "me", untilMillis: nowMillis + leaseMillis }, nowMillis],
      ["find", key]
    ])
    expect(event).toEqual({ _tag: "Taken", charge, sameRequest: true, readable: true, nowMillis })
    expect(held).toEqual({
      ...heldBy(),
      nowMillis: held?.nowMillis,
      facts: { ...facts, proofRequired: false, unverifiedSinceMillis: 400_000 },
      task,
      subject,
      attempts: 4,
      isSettled: false
    })
  })

  it("has nothing where the store says no", async () => {
    const { event, held, scene } = await takeOver(chargeIn("ready"), { took: false })
    expect([event, held]).toEqual([nothing, undefined])
    expect(scene.asked).toHaveLength(1)
  })

  it("has nothing where the charge is gone", async () => {
    const { event, held } = await takeOver(undefined)
    expect([event, held]).toEqual([nothing, undefined])
  })

  it("has nothing where another process has taken it since", async () => {
    const { event, held } = await takeOver(chargeIn("ready", { leaseOwner: "another", subject }))
    expect([event, held]).toEqual([nothing, undefined])
  })

  it("knows what is settled, and on which facts it goes on", async () => {
    const owing = chargeIn("settled", { settlesFirst: true, response: undefined, validBeforeSeconds: 7 })
    const { held } = await takeOver(owing, { readable: [], by: "call" })
    expect(held?.isSettled).toBe(true)
    expect(held?.facts).toEqual({
      by: "call",
      canReadChain: false,
      proofRequired: false,
      workIsDue: true,
      unverifiedSinceMillis: 400_000,
      validBeforeSeconds: 7,
      finalitySeconds
    })
    const received = await takeOver(chargeIn("settled", { settlesFirst: true }))
    expect(received.held?.facts.workIsDue).toBe(false)
    const expired = { settlesFirst: true, response: undefined, responseExpiredAtMillis: 1 }
    expect((await takeOver(chargeIn("settled", expired))).held?.facts.workIsDue).toBe(false)
    const workFirst = await takeOver(chargeIn("claimed"))
    expect(workFirst.held?.facts.workIsDue).toBe(false)
  })

  it.each(["settled", "ready", "voided"] as const)(
    "checks a refunded %s charge like a settled one",
    async (state) => {
      const { held } = await takeOver(chargeIn(state, { refund: { _tag: "Sent", transaction: "0xback" } }))
      expect(held?.isSettled).toBe(true)
    }
  )

  it("knows since when a payment was presented that nobody verified", async () => {
    for (const unverifiedSinceMillis of [0, 400_000]) {
      const { held } = await takeOver(chargeIn("ready", { unverifiedSinceMillis }))
      expect(held?.facts.unverifiedSinceMillis).toBe(unverifiedSinceMillis)
    }
  })

  it("decrypts what settling needs", async () => {
    const sealed = { keyId: "k1", base64: "AAAA" }
    const charge = chargeIn("ready", { settlement: JSON.stringify({ encrypted: sealed }) })
    const opened = (asked: unknown) =>
      JSON.stringify(asked) === JSON.stringify(sealed) ? JSON.stringify(task) : undefined
    const { event, held } = await takeOver(charge, { opened })
    expect(event).toMatchObject({ charge, readable: true })
    expect(held?.task).toEqual(task)
  })

  it("says what it can't decrypt, and demands proof of it", async () => {
    const charge = chargeIn("ready", { settlement: '{"encrypted":{"keyId":"old","base64":"AAAA"}}' })
    const { event, held } = await takeOver(charge)
    expect(event).toMatchObject({ charge, readable: false })
    expect(held?.facts.proofRequired).toBe(true)
    expect(held?.task).toMatchObject({ network: sepolia, request: undefined })
  })

  it("looks for what it has forgotten by payer and nonce", async () => {
    const { event, held } = await takeOver(chargeIn("voided", { settlement: "" }))
    expect(event).toMatchObject({ readable: true })
    expect(held?.task).toEqual({
      network: sepolia,
      authorization: {
        from: chargeIn("voided").payer,
        to: authorization.to,
        value: "10000",
        validAfter: "0",
        validBefore: "1000",
        nonce: "0x01"
      },
      proofRequired: true,
      request: undefined
    })
    expect(held?.facts.proofRequired).toBe(true)
  })
})

describe("settling", () => {
  it("sends the payment to the facilitator", () => {
    const settlement = { _tag: "Rejected", reason: "no" } as const
    return play({ settlement }, (scene) =>
      Effect.gen(function* () {
        expect(yield* scene.perform({ _tag: "Settle", first: true }, heldBy())).toEqual({
          _tag: "Settled",
          settlement
        })
        expect(scene.asked).toEqual([["settle", task.request]])
      })
    )
  })
})

it("a payment that the charge no longer stores can't be settled again: its outcome stays unknown", async () => {
  const held = heldBy({ task: { ...task, request: undefined } })
  const event = await play({}, (scene) => scene.perform({ _tag: "Settle", first: false }, held))
  expect(event).toEqual({
    _tag: "Settled",
    settlement: {
      _tag: "Unknown",
      reason: expect.stringContaining("doesn't store") as string,
      transaction: undefined
    }
  })
})

describe("completing", () => {
  const receipt = { success: true, transaction: "0x2", network: sepolia, payer: authorization.from }
  const step = (changes: Partial<Extract<SettlementStep, { _tag: "Complete" }>> = {}): SettlementStep => ({
    _tag: "Complete",
    transaction: "0x2",
    proof: undefined,
    refundDue: false,
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
          asked: scene.asked,
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
    ["with a refund", step({ refundDue: true }), {}, { ...base, refundDue: true }],
    ["before the work", step(), first, { ...base, responseOwedUntilMillis: owedUntilMillis }],
    ["before the work, with a refund", step({ refundDue: true }), first, { ...base, refundDue: true }]
  ])("records a settlement %s", async (_, asked, held, settlement) => {
    const result = await complete(recorded, { step: asked, held })
    expect(result.asked).toEqual([["complete", key, settlement, nowMillis]])
    expect(result.event).toMatchObject({
      _tag: "Completed",
      refundDue: "refundDue" in asked && asked.refundDue
    })
  })

  it("tells the receipt, and until when the response is owed", async () => {
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

  it("tells the operator of a transfer that was to pay twice", async () => {
    const { asked, event, events } = await complete({ _tag: "TransferTaken" })
    expect(event).toEqual({ _tag: "TransferTaken", attempts: 0 })
    expect(asked).toHaveLength(1)
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
    ["a refund, where one was asked for", true, { refund: due }, true],
    ["a refund, where none was asked for", false, { refund: due }, true],
    ["a refund that was sent", false, { refund: { _tag: "Sent", transaction: "0x3" } }, true],
    ["no refund, where one was asked for", true, {}, false],
    ["no refund", false, {}, false]
  ])("tells what another process has recorded: %s", async (_, refundDue, changes, isDue) => {
    const standing = chargeIn("settled", { leaseOwner: "another", ...changes })
    const { asked, event } = await complete(notOpen, { step: step({ refundDue }), standing })
    expect(asked.slice(1)).toEqual([["find", key]])
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
            expect(scene.asked.slice(1)).toEqual([["yieldLease", key, "me", 0]])
            expect(scene.events.map(({ level }) => level)).toEqual(isDown ? ["warning"] : [])
          })
      )
  )
})

describe("the effect of a settlement", () => {
  const apply = { _tag: "Apply", receipt: sampleReceipt() } as const
  const run = (script: Script, held: Partial<HeldCharge> = { subject }) =>
    play(script, (scene) =>
      Effect.map(scene.perform(apply, heldBy(held)), (event) => ({
        event,
        asked: scene.asked,
        events: scene.events
      }))
    )
  const settled = () => Effect.void

  it("is applied, and then noted", async () => {
    const { asked, event } = await run({
      subjects: { settled },
      charges: { markApplied: () => Effect.succeed(true) }
    })
    expect(event).toEqual(done)
    expect(asked).toEqual([
      ["settled", subject],
      ["markApplied", key]
    ])
  })

  it("is nothing without a subject", async () => {
    expect((await run({}, {})).asked).toEqual([])
  })

  it.each<readonly [string, Script["subjects"], boolean]>([
    ["it fails", { settled: () => Effect.fail(storeError) }, false],
    ["it can't be noted", { settled }, true]
  ])("stays pending where %s: the next process applies it", async (_, subjects, isApplied) => {
    const { asked, event, events } = await run({
      subjects: subjects!,
      charges: { markApplied: () => Effect.fail(storeError), yieldLease: () => Effect.void }
    })
    expect(event).toEqual(done)
    expect(asked).toEqual([
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
    expect(events.map(({ level }) => level)).toEqual(["error", "warning"])
  })
})

describe("a settlement whose proof is checked once more", () => {
  const complete = {
    _tag: "Complete",
    transaction: "0x2",
    proof: { logIndex: 1, isFinal: false },
    refundDue: false
  } as const
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
          const following = next(step, yield* scene.perform(step, held), held.facts)
          if (following._tag === "Apply" || following._tag === "RollBack")
            yield* scene.perform(following, held)
          return scene.asked
        })
    )
  const verbs = (asked: ReadonlyArray<ReadonlyArray<unknown>>) => asked.map(([verb]) => verb)

  it.each<readonly [boolean, HeldCharge, ReadonlyArray<string>]>([
    [false, heldBy(), ["complete", "yieldLease"]],
    [false, heldBy({ subject }), ["complete", "settled", "markApplied", "yieldLease"]],
    [true, heldBy({ subject }), ["complete", "yieldLease", "abandoned"]]
  ])("leaves its lease to the reconciler, refund due: %j", async (refundDue, held, expected) => {
    const asked = await run({ ...complete, refundDue }, held)
    expect(verbs(asked)).toEqual(expected)
    expect(asked).toContainEqual(["yieldLease", key, "me", 0])
    const final = { ...complete, refundDue, proof: { logIndex: 1, isFinal: true } }
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

describe("giving a charge up", () => {
  const run = (step: SettlementStep, held: HeldCharge, script: Script) =>
    play(script, (scene) =>
      Effect.map(scene.perform(step, held), (event) => ({ event, asked: scene.asked, events: scene.events }))
    )
  const ending = { _tag: "Closed" } as const
  const until = (1_000 + finalitySeconds + 60) * 1_000

  it.each([true, false])("voids it until it can't move any more, its work done: %s", async (worked) => {
    for (const voided of [true, false]) {
      const charges = { void: () => Effect.succeed(voided) }
      const { asked, event } = await run({ _tag: "Void", worked, ending }, heldBy(), { charges })
      expect(event).toEqual({ _tag: "Voided", voided })
      expect(asked).toEqual([["void", key, "me", { keepExposure: worked, checkAfterMillis: until }]])
    }
  })

  it("rolls back what was prepared: all that the key holds, or what this call made", async () => {
    const script = { subjects: { abandoned: () => Effect.void } }
    const rollBack = (whole: boolean): SettlementStep => ({
      _tag: "RollBack",
      whole,
      thenDelete: false,
      ending
    })
    const whole = await run(rollBack(true), heldBy({ subject }), script)
    expect([whole.event, whole.asked]).toEqual([done, [["abandoned", subject, key]]])
    expect((await run(rollBack(false), heldBy({ subject }), script)).asked).toEqual([
      ["abandoned", subject, undefined]
    ])
    expect(await run(rollBack(true), heldBy(), script)).toMatchObject({ event: done, asked: [] })
  })

  it.each<readonly [SettlementStep, ReadonlyArray<unknown>]>([
    [{ _tag: "DeleteCharge", ending }, ["release", key, "me"]],
    [{ _tag: "Finalize" }, ["finalize", key, "me"]],
    [{ _tag: "MarkRefundDue" }, ["markRefundDue", key, nowMillis]],
    [{ _tag: "EndLease", ending }, ["yieldLease", key, "me", 0]]
  ])("%j is one verb of the store", async (step, verb) => {
    const { asked, event } = await run(step, heldBy(), {
      charges: { [verb[0] as "release"]: () => Effect.succeed(true) }
    })
    expect([event, asked]).toEqual([done, [verb]])
  })

  it.each([true, false])("reopens it, and tells the operator where it did: %s", async (reopened) => {
    const step: SettlementStep = { _tag: "Reopen", next: { _tag: "NotMoved", isVoided: false } }
    const { asked, event, events } = await run(step, heldBy(), {
      charges: { reopen: () => Effect.succeed(reopened), find: () => Effect.succeed(undefined) }
    })
    expect(event).toEqual({ _tag: "Reopened", reopened, isRefunded: false })
    expect(asked).toEqual([["reopen", key, "me", nowMillis], ...(reopened ? [["find", key]] : [])])
    expect(events).toMatchObject(reopened ? [{ level: "error", code: "settlement_undone" }] : [])
  })

  it.each([true, false])(
    "reports whether the refund of a reopened charge was sent: %s",
    async (isRefunded) => {
      const step: SettlementStep = { _tag: "Reopen", next: { _tag: "NotPaid" } }
      const refund = isRefunded
        ? ({ _tag: "Sent", transaction: "0xback" } as const)
        : ({ _tag: "Due", startedAtMillis: 1 } as const)
      const { event } = await run(step, heldBy(), {
        charges: {
          reopen: () => Effect.succeed(true),
          find: () => Effect.succeed(chargeIn("ready", { refund }))
        }
      })
      expect(event).toEqual({ _tag: "Reopened", reopened: true, isRefunded })
    }
  )

  const defer = (reason?: string): SettlementStep => ({ _tag: "Defer", reason, ending })
  const deferring = { charges: { defer: () => Effect.void, yieldLease: () => Effect.void } }

  it("gives the lease of a call back", async () => {
    const { asked, event, events } = await run(defer(), heldBy({ facts: call }), deferring)
    expect([event, asked, events]).toEqual([done, [["yieldLease", key, "me", 0]], []])
  })

  it("tells why the outcome is unknown", async () => {
    const { events } = await run(defer("timeout"), heldBy({ facts: call }), deferring)
    expect(events).toMatchObject([{ level: "warning", code: "settlement_unknown", reason: "timeout" }])
  })

  it.each<readonly [string, string | undefined, Partial<HeldCharge>, number]>([
    ["of unknown outcome soon, and then ever more seldom", "timeout", { attempts: 3 }, nowMillis + 120_000],
    ["that is voided once it can't move any more", undefined, {}, until],
    [
      "that is voided later still, where it was looked at often",
      undefined,
      { attempts: 20 },
      nowMillis + 3_600_000
    ],
    ["that is settled soon: its proof is to be final", undefined, { isSettled: true }, nowMillis + 15_000],
    ["that it can't read soon", "unreadable", {}, nowMillis + 15_000]
  ])("looks again at a charge %s", async (_, reason, held, checkAfterMillis) => {
    const { asked, event } = await run(defer(reason), heldBy(held), deferring)
    expect([event, asked]).toEqual([done, [["defer", key, "me", checkAfterMillis]]])
  })

  it.each([
    [10, false],
    [11, true],
    [12, false],
    [23, true]
  ])("tells an operator after every twelfth attempt in vain: %d", async (attempts, isTold) => {
    const { events } = await run(defer(), heldBy({ attempts }), deferring)
    expect(events).toEqual(
      isTold
        ? [
            {
              level: "error",
              code: "charge_unresolved",
              message: expect.stringContaining("operator"),
              attempts: attempts + 1
            }
          ]
        : []
    )
  })
})

it("a recorded response makes a payment that settles first like any other", async () => {
  const { held } = await play(
    {
      charges: {
        takeOver: () => Effect.succeed(true),
        find: () => Effect.succeed(chargeIn("ready", { settlesFirst: true, response: sampleResponse() }))
      }
    },
    (scene) => scene.takeOver({ key, owner: "me", by: "reconciler", nowMillis: () => nowMillis })
  )
  expect(held?.facts.workIsDue).toBe(false)
})
