import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChargeLease } from "../../../src/toll/attempt/HeldCharge.ts"
import {
  authorization,
  chargeIn,
  facts,
  finalitySeconds,
  heldBy,
  key,
  leaseMillis,
  nowMillis,
  play,
  type Script,
  sepolia,
  subject,
  task
} from "../machine/settlingScene.ts"

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
      (scene) =>
        Effect.map(scene.takeOver(lease), (taken) => ({ event: taken?.event, held: taken?.held, scene }))
    )
  }

  it("takes the lease from the store, and reads the charge after it has it", async () => {
    const charge = chargeIn("ready", { subject, attempts: 4 })
    const { event, held, scene } = await takeOver(charge)
    expect(scene.calls).toEqual([
      ["takeOver", key, { owner: "me", untilMillis: nowMillis + leaseMillis }, nowMillis],
      ["find", key]
    ])
    expect(event).toEqual({ _tag: "Taken", charge, sameRequest: true, readable: true, nowMillis })
    expect(held).toEqual({
      ...heldBy(),
      nowMillis: held?.nowMillis,
      facts: { ...facts, proofRequired: false },
      task,
      subject,
      attempts: 4
    })
  })

  it("looks for the payment in the token that the charge names, also if the payment isn't stored", async () => {
    const asset = "0x00000000000000000000000000000000d011a500"
    for (const charge of [chargeIn("ready", { asset }), chargeIn("voided", { asset, settlement: "" })])
      expect((await takeOver(charge)).held?.task.asset).toBe(asset)
    const inUsdc = await takeOver(chargeIn("voided", { settlement: "" }))
    expect(inUsdc.held?.task).not.toHaveProperty("asset")
  })

  it("has nothing where the store refuses", async () => {
    const { event, held, scene } = await takeOver(chargeIn("ready"), { took: false })
    expect([event, held]).toEqual([undefined, undefined])
    expect(scene.calls).toHaveLength(1)
  })

  it("has nothing where the charge is gone", async () => {
    const { event, held } = await takeOver(undefined)
    expect([event, held]).toEqual([undefined, undefined])
  })

  it("has nothing where another process has taken it since", async () => {
    const { event, held } = await takeOver(chargeIn("ready", { leaseOwner: "another", subject }))
    expect([event, held]).toEqual([undefined, undefined])
  })

  it("knows on which facts it goes on", async () => {
    const owing = chargeIn("settled", { settlesFirst: true, response: undefined, validBeforeSeconds: 7 })
    const { held } = await takeOver(owing, { readable: [], by: "call" })
    expect(held?.facts).toEqual({
      by: "call",
      canReadChain: false,
      proofRequired: false,
      workIsDue: true,
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

  it("decrypts what settling needs", async () => {
    const sealed = { keyId: "k1", base64: "AAAA" }
    const charge = chargeIn("ready", { settlement: JSON.stringify({ encrypted: sealed }) })
    const opened = (calls: unknown) =>
      JSON.stringify(calls) === JSON.stringify(sealed) ? JSON.stringify(task) : undefined
    const { event, held } = await takeOver(charge, { opened })
    expect(event).toMatchObject({ charge, readable: true })
    expect(held?.task).toEqual(task)
  })

  it("reports what it can't decrypt, and demands proof of it", async () => {
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
        expect(scene.calls).toEqual([["settle", task.request]])
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
