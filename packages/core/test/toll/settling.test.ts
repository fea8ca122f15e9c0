import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import type { Charge, Completion } from "../../src/ports/Charges.ts"
import { sampleAnswer, sampleReceipt } from "../../src/testing/stores/records.ts"
import type { ChainEvidence } from "../../src/toll/Chain.ts"
import type { Held, SettlingStep } from "../../src/toll/Settling.ts"
import type { Question, Step } from "../../src/toll/Steps.ts"
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
    script: Script & { readonly took?: boolean; readonly held?: Partial<Held> } = {}
  ) => {
    const held = heldBy({ task: undefined, attempts: 9, ...script.held })
    return play(
      {
        ...script,
        charges: {
          takeOver: () => Effect.succeed(script.took ?? true),
          find: () => Effect.succeed(found)
        }
      },
      (scene) => Effect.map(scene.perform({ _tag: "TakeOver" }, held), (event) => ({ event, held, scene }))
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
      nowMillis: held.nowMillis,
      facts: { ...facts, proofRequired: false, unverifiedSinceMillis: 400_000 },
      task,
      subject,
      attempts: 4,
      isSettled: false
    })
  })

  it("has nothing where the store says no", async () => {
    const { event, scene } = await takeOver(chargeIn("ready"), { took: false })
    expect(event).toEqual(nothing)
    expect(scene.asked).toHaveLength(1)
  })

  it("has nothing where the charge is gone", async () => {
    expect((await takeOver(undefined)).event).toEqual(nothing)
  })

  it("has nothing where another process has taken it since", async () => {
    const { event, held } = await takeOver(chargeIn("ready", { leaseOwner: "another", subject }))
    expect(event).toEqual(nothing)
    expect([held.task, held.subject, held.attempts]).toEqual([undefined, undefined, 9])
  })

  it("knows what is settled, and on which facts it goes on", async () => {
    const owing = chargeIn("settled", { settlesFirst: true, answer: undefined, validBeforeSeconds: 7 })
    const { held } = await takeOver(owing, { readable: [], held: { facts: call } })
    expect(held.isSettled).toBe(true)
    expect(held.facts).toEqual({
      by: "call",
      canReadChain: false,
      proofRequired: false,
      settlesFirst: true,
      isRefunded: false,
      unverifiedSinceMillis: 400_000,
      validBeforeSeconds: 7,
      finalitySeconds
    })
    const answered = await takeOver(chargeIn("settled", { settlesFirst: true }))
    expect(answered.held.facts.settlesFirst).toBe(false)
    const expired = { settlesFirst: true, answer: undefined, answerExpiredAtMillis: 1 }
    expect((await takeOver(chargeIn("settled", expired))).held.facts.settlesFirst).toBe(false)
    const workFirst = await takeOver(chargeIn("claimed"))
    expect(workFirst.held.facts.settlesFirst).toBe(false)
  })

  it.each(["settled", "ready", "voided"] as const)("knows that a %s charge was refunded", async (state) => {
    const { held } = await takeOver(chargeIn(state, { refund: { _tag: "Sent", transaction: "0xback" } }))
    expect([held.facts.isRefunded, held.isSettled]).toEqual([true, true])
    const due = await takeOver(chargeIn("settled", { refund: { _tag: "Due", startedAtMillis: 1 } }))
    expect(due.held.facts.isRefunded).toBe(false)
  })

  it("knows since when a payment was presented that nobody verified", async () => {
    for (const unverifiedSinceMillis of [0, 400_000]) {
      const { held } = await takeOver(chargeIn("ready", { unverifiedSinceMillis }))
      expect(held.facts.unverifiedSinceMillis).toBe(unverifiedSinceMillis)
    }
  })

  it("decrypts what settling needs", async () => {
    const sealed = { keyId: "k1", base64: "AAAA" }
    const charge = chargeIn("ready", { settlement: JSON.stringify({ sealed }) })
    const opened = (asked: unknown) =>
      JSON.stringify(asked) === JSON.stringify(sealed) ? JSON.stringify(task) : undefined
    const { event, held } = await takeOver(charge, { opened })
    expect(event).toMatchObject({ charge, readable: true })
    expect(held.task).toEqual(task)
  })

  it("says what it can't decrypt, and demands proof of it", async () => {
    const charge = chargeIn("ready", { settlement: '{"sealed":{"keyId":"old","base64":"AAAA"}}' })
    const { event, held } = await takeOver(charge)
    expect(event).toMatchObject({ charge, readable: false })
    expect(held.facts.proofRequired).toBe(true)
  })

  it("looks for what it has forgotten by payer and nonce", async () => {
    const { event, held } = await takeOver(chargeIn("voided", { settlement: "" }))
    expect(event).toMatchObject({ readable: true })
    expect(held.task).toEqual({
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
    expect(held.facts.proofRequired).toBe(true)
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

describe("asking the chain", () => {
  const unavailable: ChainEvidence = { _tag: "Unavailable" }
  const notMoved: ChainEvidence = { _tag: "NotMoved", chainTimeSeconds: 1 }
  const confirming: ChainEvidence = { _tag: "Confirming", transaction: "0x2" }
  const moved: ChainEvidence = { _tag: "Moved", transaction: "0x2", logIndex: 1, atSeconds: 1, isFinal: true }
  const proof: Question = { _tag: "Proof", transaction: "0x2", reason: "timeout" }

  const ask = (question: Question, evidence: ReadonlyArray<ChainEvidence>, pauses: ReadonlyArray<number>) =>
    play({ evidence }, (scene) =>
      Effect.gen(function* () {
        const asking = yield* Effect.forkChild(scene.perform({ _tag: "AskChain", question }, heldBy()))
        const reads: Array<number> = []
        yield* TestClock.adjust(0)
        reads.push(scene.asked.length)
        for (const pause of pauses) {
          yield* TestClock.adjust(pause)
          reads.push(scene.asked.length)
        }
        const event = asking.pollUnsafe() === undefined ? undefined : yield* Fiber.join(asking)
        return { event, reads, asked: scene.asked }
      })
    )

  it.each<readonly [Question, string | undefined]>([
    [{ _tag: "Before" }, undefined],
    [{ _tag: "Watch", watched: { charge: chargeIn("voided"), sameRequest: true } }, undefined],
    [{ _tag: "Finality", charge: chargeIn("settled") }, sampleReceipt().transaction],
    [{ _tag: "Finality", charge: chargeIn("settled", { receipt: undefined }) }, undefined],
    [proof, "0x2"]
  ])("names the transaction where one is known: %j", async (question, transaction) => {
    const { asked, event } = await ask(question, [moved], [])
    expect(event).toEqual({ _tag: "Seen", evidence: moved })
    expect(asked).toEqual([["evidence", findNetwork(sepolia), authorization, { transaction }]])
  })

  it("asks once where no transaction is known", async () => {
    const { event, reads } = await ask({ _tag: "Before" }, [notMoved], [10_000])
    expect([event, reads]).toEqual([{ _tag: "Seen", evidence: notMoved }, [1, 1]])
  })

  it("asks three times more for a transaction that is known, with growing pauses", async () => {
    const { event, reads } = await ask(proof, [unavailable, notMoved], [199, 1, 399, 1, 799, 1, 10_000])
    expect(reads).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
    expect(event).toEqual({ _tag: "Seen", evidence: notMoved })
  })

  it("stops as soon as it has moved", async () => {
    const { event, reads } = await ask(proof, [notMoved, moved], [200, 10_000])
    expect([event, reads]).toEqual([{ _tag: "Seen", evidence: moved }, [1, 2, 2]])
  })

  it.each(["canceled", "used_otherwise"] as const)(
    "keeps that the payment is finally unpaid (%s), though the chain can't be read a moment later",
    async (reason) => {
      const notPaid: ChainEvidence = { _tag: "NotPaid", reason }
      const { event, reads } = await ask(
        { _tag: "Finality", charge: chargeIn("settled") },
        [unavailable, notPaid, unavailable],
        [200, 10_000]
      )
      expect([event, reads]).toEqual([{ _tag: "Seen", evidence: notPaid }, [1, 2, 2]])
    }
  )

  it("waits for confirmations, second by second", async () => {
    const { event, reads } = await ask(
      proof,
      [notMoved, confirming, confirming, moved],
      [200, 999, 1, 1_000, 9_000]
    )
    expect([event, reads]).toEqual([{ _tag: "Seen", evidence: moved }, [1, 2, 2, 3, 4, 4]])
  })

  it("waits for confirmations for a minute at most, whether or not a transaction is known", async () => {
    for (const question of [proof, { _tag: "Before" } as const]) {
      const { event, reads } = await ask(question, [confirming], [59_000, 1_000, 60_000])
      expect([event, reads]).toEqual([{ _tag: "Seen", evidence: confirming }, [1, 60, 61, 61]])
    }
  })
})

describe("completing", () => {
  const receipt = { success: true, transaction: "0x2", network: sepolia, payer: authorization.from }
  const step = (changes: Partial<Extract<Step, { _tag: "Complete" }>> = {}): SettlingStep => ({
    _tag: "Complete",
    transaction: "0x2",
    proof: undefined,
    refundDue: false,
    ...changes
  })
  const complete = (
    completion: Completion,
    options: {
      readonly step?: SettlingStep
      readonly held?: Partial<Held>
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
  const first = { facts: { ...facts, settlesFirst: true } }
  const base = {
    receipt,
    transferLogIndex: undefined,
    refundDue: false,
    finalAfterMillis: undefined,
    responseOwedUntilMillis: undefined
  }
  const owedUntilMillis = nowMillis + owedResponseMillis

  it.each<readonly [string, SettlingStep, Partial<Held>, object]>([
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
      owedUntilMillis: undefined
    })
    expect((await complete(recorded, { held: first })).event).toEqual({
      _tag: "Completed",
      receipt,
      refundDue: false,
      owedUntilMillis
    })
  })

  it("tells the operator of a transfer that was to pay twice", async () => {
    const { asked, event, events } = await complete({ _tag: "TransferTaken" })
    expect(event).toEqual({ _tag: "TransferTaken", attempts: 0 })
    expect(asked).toHaveLength(1)
    expect(events).toMatchObject([{ level: "error", data: { detail: sepolia } }])
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
      owedUntilMillis: undefined
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
  const run = (script: Script, held: Partial<Held> = { subject }) =>
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
    expect(events.map(({ level }) => level)).toEqual(["error"])
  })

  it("is answered for even where the lease can't be given back", async () => {
    const { event, events } = await run({
      subjects: { settled: () => Effect.fail(storeError) },
      charges: { yieldLease: () => Effect.fail(storeError) }
    })
    expect(event).toEqual(done)
    expect(events.map(({ level }) => level)).toEqual(["error", "warning"])
  })
})

describe("a settlement whose proof is checked once more", () => {
  const complete: SettlingStep = {
    _tag: "Complete",
    transaction: "0x2",
    proof: { logIndex: 1, isFinal: false },
    refundDue: false
  }
  const apply: SettlingStep = { _tag: "Apply", receipt: sampleReceipt() }
  const abandon: SettlingStep = { _tag: "Abandon", whole: true, release: false, ending: { _tag: "Closed" } }
  const run = (steps: ReadonlyArray<SettlingStep>, held: Held) =>
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
          for (const step of steps) yield* scene.perform(step, held)
          return scene.asked
        })
    )
  const verbs = (asked: ReadonlyArray<ReadonlyArray<unknown>>) => asked.map(([verb]) => verb)

  it.each<readonly [SettlingStep, Held, ReadonlyArray<string>]>([
    [apply, heldBy(), ["complete", "yieldLease"]],
    [apply, heldBy({ subject }), ["complete", "settled", "markApplied", "yieldLease"]],
    [abandon, heldBy({ subject }), ["complete", "yieldLease", "abandoned"]]
  ])("leaves its lease to the reconciler: %j", async (step, held, expected) => {
    const asked = await run([complete, step], held)
    expect(verbs(asked)).toEqual(expected)
    expect(asked).toContainEqual(["yieldLease", key, "me", 0])
    const final: SettlingStep = { ...complete, proof: { logIndex: 1, isFinal: true } }
    expect(verbs(await run([final, step], held))).toEqual(expected.filter((verb) => verb !== "yieldLease"))
  })
})

describe("giving a charge up", () => {
  const run = (step: SettlingStep, held: Held, script: Script) =>
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

  it("voids what it can't read, to be looked at soon", async () => {
    const { asked } = await run({ _tag: "Void", worked: true, ending }, heldBy({ task: undefined }), {
      charges: { void: () => Effect.succeed(true) }
    })
    expect(asked).toEqual([["void", key, "me", { keepExposure: true, checkAfterMillis: 0 }]])
  })

  it("rolls back what was prepared: all that the key holds, or what this call made", async () => {
    const script = { subjects: { abandoned: () => Effect.void } }
    const abandon = (whole: boolean): SettlingStep => ({ _tag: "Abandon", whole, release: false, ending })
    const whole = await run(abandon(true), heldBy({ subject }), script)
    expect([whole.event, whole.asked]).toEqual([done, [["abandoned", subject, key]]])
    expect((await run(abandon(false), heldBy({ subject }), script)).asked).toEqual([
      ["abandoned", subject, undefined]
    ])
    expect(await run(abandon(true), heldBy(), script)).toMatchObject({ event: done, asked: [] })
  })

  it.each<readonly [SettlingStep, ReadonlyArray<unknown>]>([
    [{ _tag: "Release", ending }, ["release", key, "me"]],
    [{ _tag: "Finalize" }, ["finalize", key, "me"]],
    [{ _tag: "OweRefund" }, ["oweRefund", key, nowMillis]],
    [{ _tag: "Yield", ending }, ["yieldLease", key, "me", 0]]
  ])("%j is one verb of the store", async (step, verb) => {
    const { asked, event } = await run(step, heldBy(), {
      charges: { [verb[0] as "release"]: () => Effect.succeed(true) }
    })
    expect([event, asked]).toEqual([done, [verb]])
  })

  it.each([true, false])("reopens it, and tells the operator where it did: %s", async (reopened) => {
    const step: SettlingStep = { _tag: "Reopen", next: { _tag: "NotMoved", isVoided: false } }
    const { asked, event, events } = await run(step, heldBy(), {
      charges: { reopen: () => Effect.succeed(reopened), find: () => Effect.succeed(undefined) }
    })
    expect(event).toEqual({ _tag: "Reopened", reopened })
    expect(asked).toEqual([["reopen", key, "me", nowMillis], ...(reopened ? [["find", key]] : [])])
    expect(events.map(({ level }) => level)).toEqual(reopened ? ["error"] : [])
  })

  it.each([true, false])("learns on reopening whether its refund was sent meanwhile: %s", async (isSent) => {
    const step: SettlingStep = { _tag: "Reopen", next: { _tag: "NotPaid" } }
    const refund = isSent ? ({ _tag: "Sent", transaction: "0xback" } as const) : undefined
    const held = heldBy()
    await run(step, held, {
      charges: {
        reopen: () => Effect.succeed(true),
        find: () => Effect.succeed(chargeIn("ready", { refund }))
      }
    })
    expect(held.facts.isRefunded).toBe(isSent)
  })

  const leave = (reason?: string): SettlingStep => ({ _tag: "Leave", reason, ending })
  const deferring = { charges: { defer: () => Effect.void, yieldLease: () => Effect.void } }

  it("gives the lease of a call back", async () => {
    const { asked, event, events } = await run(leave(), heldBy({ facts: call }), deferring)
    expect([event, asked, events]).toEqual([done, [["yieldLease", key, "me", 0]], []])
  })

  it("tells why the outcome is unknown", async () => {
    const { events } = await run(leave("timeout"), heldBy({ facts: call }), deferring)
    expect(events).toMatchObject([{ level: "warning", data: { detail: "timeout" } }])
  })

  it.each<readonly [string, string | undefined, Partial<Held>, number]>([
    ["of unknown outcome soon, and then ever more seldom", "timeout", { attempts: 3 }, nowMillis + 120_000],
    ["that is voided once it can't move any more", undefined, {}, until],
    [
      "that is voided later still, where it was looked at often",
      undefined,
      { attempts: 20 },
      nowMillis + 3_600_000
    ],
    ["that is settled soon: its proof is to be final", undefined, { isSettled: true }, nowMillis + 15_000],
    ["that it can't read soon", undefined, { task: undefined }, nowMillis + 15_000]
  ])("looks again at a charge %s", async (_, reason, held, checkAfterMillis) => {
    const { asked, event } = await run(leave(reason), heldBy(held), deferring)
    expect([event, asked]).toEqual([done, [["defer", key, "me", checkAfterMillis]]])
  })

  it.each([
    [10, false],
    [11, true],
    [12, false],
    [23, true]
  ])("tells an operator after every twelfth attempt in vain: %d", async (attempts, isTold) => {
    const { events } = await run(leave(), heldBy({ attempts }), deferring)
    expect(events).toEqual(
      isTold
        ? [{ level: "error", message: expect.stringContaining("operator"), data: { detail: attempts + 1 } }]
        : []
    )
  })
})

it("an answer in hand makes a payment that settles first like any other", async () => {
  const held = heldBy()
  await play(
    {
      charges: {
        takeOver: () => Effect.succeed(true),
        find: () => Effect.succeed(chargeIn("ready", { settlesFirst: true, answer: sampleAnswer() }))
      }
    },
    (scene) => scene.perform({ _tag: "TakeOver" }, held)
  )
  expect(held.facts.settlesFirst).toBe(false)
})
