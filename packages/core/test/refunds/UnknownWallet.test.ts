import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { sampleAttempt } from "../../src/testing/stores/records.ts"
import type { EntriesQuery } from "../../src/ports/Charges.ts"
import type { IncomingTransfer } from "../../src/toll/evidence/Chain.ts"
import {
  keyOf,
  moved,
  network,
  nowMillis,
  owed,
  payer,
  play,
  proven,
  type Script,
  settled
} from "../shop/orders/refundScene.ts"

/*
 * A refund that a version without attempts had begun, from a wallet that nobody recorded.
 */

const begun = sampleAttempt({
  chargeKey: keyOf("0x01"),
  wallet: "",
  nonce: "",
  notBefore: nowMillis / 1_000 - 9_000,
  validBefore: nowMillis / 1_000
})
const past = { _tag: "NotMoved", chainTimeSeconds: begun.validBefore + network.finalitySeconds } as const
const charge = owed("0x01", { refund: { _tag: "Due", startedAtMillis: begun.notBefore * 1_000 } })
const back: IncomingTransfer = {
  transaction: "0xBACK",
  logIndex: 1,
  from: "0xf2",
  valueAtomic: begun.amountAtomic
}

const send = (script: Script) =>
  play(
    {
      settlements: [settled],
      evidence: [past, proven, moved()],
      incoming: [],
      ...script,
      charges: { refundAttempts: () => Effect.succeed([begun]), ...script.charges }
    },
    ({ events, of, refunds }) =>
      Effect.map(refunds.send(charge), (transaction) => ({ transaction, events, of }))
  )

describe("a refund that an unknown wallet may have sent", () => {
  it("is sent once the final chain shows no transfer of its amount to the payer", async () => {
    const { events, of, transaction } = await send({ incoming: [{ ...back, valueAtomic: "9999" }] })
    expect([transaction, events]).toEqual(["0xback", []])
    expect(of("recordRefundAttempt")).toMatchObject([[{ sequence: 2 }]])
    expect(of("transfersTo")).toEqual([
      [network, payer, { fromSeconds: begun.notBefore - 600, beforeSeconds: nowMillis / 1_000 + 600 }]
    ])
  })

  it("waits until what that wallet signed can't move any more", async () => {
    const early = { ...past, chainTimeSeconds: past.chainTimeSeconds - 1 }
    const { events, of } = await send({ evidence: [early] })
    expect(of("sign")).toEqual([])
    expect(events).toMatchObject([{ level: "warning", code: "refund_of_other_wallet" }])
  })

  it("is left to an operator where the payer got that amount, or nothing can be read", async () => {
    const paid = await send({ incoming: [back] })
    expect(paid.of("sign")).toEqual([])
    expect(paid.events).toMatchObject([
      { level: "error", code: "refund_perhaps_sent", chargeKey: charge.key, transaction: "0xBACK" },
      { code: "refund_of_other_wallet" }
    ])
    const unread = await play(
      { settlements: [settled], charges: { refundAttempts: () => Effect.succeed([begun]) } },
      ({ events, of, refunds }) => Effect.map(refunds.send(charge), () => ({ events, of }))
    )
    expect(unread.of("sign")).toEqual([])
    expect(unread.events).toMatchObject([{ level: "error", code: "refund_of_other_wallet" }])
  })

  it("isn't mistaken for another refund of that payer", async () => {
    const entry = {
      kind: "refunded",
      chargeKey: keyOf("0x02"),
      transaction: "0xback",
      payer,
      amountAtomic: begun.amountAtomic
    }
    // The audit's own queries name no payer.
    const entries = (query: EntriesQuery) => Effect.succeed(query.payer === undefined ? [] : [entry]) as never
    const { transaction } = await send({ incoming: [back], charges: { entries } })
    expect(transaction).toBe("0xback")
    const twice = await send({ incoming: [back, { ...back, transaction: "0x02" }], charges: { entries } })
    expect(twice.of("sign")).toEqual([])
    // One transaction may have two transfers of the amount, of which the ledger has one.
    const batch = await send({ incoming: [back, { ...back, logIndex: 2 }], charges: { entries } })
    expect(batch.of("sign")).toEqual([])
  })

  it("waits while the chain doesn't show the payer's transfers", async () => {
    const { events, of } = await play(
      {
        settlements: [settled],
        evidence: [past],
        charges: { refundAttempts: () => Effect.succeed([begun]) }
      },
      ({ events, of, refunds }) => Effect.map(refunds.send(charge), () => ({ events, of }))
    )
    expect([of("transfersTo").length, of("sign")]).toEqual([1, []])
    expect(events).toMatchObject([{ level: "warning", code: "refund_of_other_wallet" }])
  })

  it("isn't mistaken for what the ledger has of another kind, or without a transaction", async () => {
    for (const change of [{ kind: "refund_due" }, { transaction: undefined }]) {
      const entry = {
        kind: "refunded",
        chargeKey: keyOf("0x02"),
        transaction: "0xback",
        payer,
        amountAtomic: begun.amountAtomic,
        ...change
      }
      const entries = (query: EntriesQuery) =>
        Effect.succeed(query.payer === undefined ? [] : [entry]) as never
      const { events, of } = await send({ incoming: [back], charges: { entries } })
      expect(of("sign")).toEqual([])
      expect(events[0]).toMatchObject({ code: "refund_perhaps_sent" })
    }
  })
})
