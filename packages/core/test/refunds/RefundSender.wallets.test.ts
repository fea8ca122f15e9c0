import { Effect } from "effect"
import { getAddress } from "viem"
import { describe, expect, it } from "vitest"
import { newAttempt, refundNonce } from "../../src/refunds/RefundAuthorization.ts"
import type { RefundAttempt } from "../../src/ports/Charges.ts"
import type { ChainEvidence } from "../../src/toll/evidence/Chain.ts"
import {
  keyOf,
  moved,
  network,
  notMoved,
  nowMillis,
  owed,
  payer,
  play,
  proven,
  rejected,
  type Script,
  settled,
  unknown,
  walletAddress
} from "../shop/orders/refundScene.ts"

/*
 * A refund that another wallet of the same store has recorded.
 */

const other = "0x00000000000000000000000000000000000000f2"
const attemptOf = (wallet: string, sequence = 1, atMillis = nowMillis): RefundAttempt =>
  newAttempt(owed(), wallet, sequence, atMillis)
const theirs = attemptOf(other)
const nowSeconds = nowMillis / 1_000
const gone: ChainEvidence = {
  _tag: "NotMoved",
  chainTimeSeconds: theirs.validBefore + network.finalitySeconds
}

const send = (attempts: ReadonlyArray<RefundAttempt>, script: Script) =>
  play(
    {
      settlements: [settled],
      ...script,
      charges: { refundAttempts: () => Effect.succeed(attempts), ...script.charges }
    },
    ({ calls, events, of, refunds }) =>
      Effect.map(refunds.send(owed()), (transaction) => ({ transaction, calls, events, of }))
  )

describe("a refund without attempts", () => {
  it("is recorded with its wallet and the end of its validity before it is signed", async () => {
    const { calls, of, transaction } = await send([], { evidence: [notMoved, proven, moved()] })
    expect(transaction).toBe("0xback")
    expect(of("recordRefundAttempt")).toEqual([[attemptOf(walletAddress)]])
    const verbs = calls.map(([verb]) => verb)
    const order = ["refundAttempts", "startRefund", "recordRefundAttempt", "sign", "settle", "recordRefund"]
    expect(verbs.filter((verb) => order.includes(String(verb)))).toEqual(order)
  })

  it("is not signed where another wallet records its attempt first, or the store fails", async () => {
    const lost = await send([], { charges: { recordRefundAttempt: () => Effect.succeed(false) } })
    expect([lost.transaction, lost.of("sign")]).toEqual([undefined, []])
  })
})

describe("a refund's first attempt", () => {
  const first = attemptOf(walletAddress)
  const ended = async (script: Script) => (await send([], script)).of("endRefundAttempt")

  it("is ended where it surely wasn't sent: the facilitator refused it, or it wasn't signed", async () => {
    expect(await ended({ settlements: [rejected] })).toEqual([[first]])
    const sign = () => Promise.reject(new Error("locked"))
    expect(await ended({ sign })).toEqual([[first]])
    expect(await ended({ sign, evidence: [notMoved, proven] })).toEqual([[first]])
  })

  it("stays where it may have been sent, and where the chain decides", async () => {
    expect(await ended({ settlements: [unknown] })).toEqual([])
    expect(await ended({})).toEqual([])
    expect(await ended({ settlements: [rejected], evidence: [notMoved, proven, notMoved] })).toEqual([])
  })

  it("that was ended doesn't block another wallet, without a chain either", async () => {
    const { of, transaction } = await send([{ ...theirs, validBefore: 0 }], {})
    expect(transaction).toBe("0xback")
    expect(of("recordRefundAttempt")).toEqual([[attemptOf(walletAddress, 2)]])
  })
})

describe("a refund that this wallet has recorded", () => {
  it("is submitted again with the same authorization, after another record of it", async () => {
    const own = attemptOf(walletAddress, 1, nowMillis - 1_800_000)
    const again = { ...own, sequence: 2 }
    for (const attempts of [[own], [own, again]]) {
      const { of, transaction } = await send(attempts, { settlements: [rejected] })
      expect(transaction).toBeUndefined()
      expect(of("recordRefundAttempt")).toEqual(attempts.length === 1 ? [[again]] : [])
      expect(of("sign")).toMatchObject([[{ message: { validBefore: BigInt(own.validBefore) } }]])
      // Another process may have submitted it with success.
      expect(of("endRefundAttempt")).toEqual([])
    }
  })

  it("is recorded again, under the same nonce, once that has expired", async () => {
    const { of } = await send([attemptOf(walletAddress, 1, nowMillis - 3_600_000)], {})
    expect(of("recordRefundAttempt")).toEqual([[attemptOf(walletAddress, 2)]])
    expect(of("sign")).toMatchObject([
      [{ message: { nonce: refundNonce(keyOf("0x01")), validBefore: BigInt(nowSeconds + 3_600) } }]
    ])
  })
})

describe("a refund that another wallet has recorded", () => {
  it.each<readonly [string, ChainEvidence]>([
    ["its authorization is valid", notMoved],
    [
      "the chain is not final past the end of its validity",
      { ...gone, chainTimeSeconds: theirs.validBefore }
    ],
    ["its transfer lacks confirmations", { _tag: "Confirming", transaction: "0xback" }],
    ["the chain can't be read", { _tag: "Unavailable" }]
  ])("waits while %s", async (_, evidence) => {
    const { events, of, transaction } = await send([theirs], { evidence: [notMoved, evidence] })
    expect([transaction, of("startRefund"), of("sign")]).toEqual([undefined, [], []])
    expect(events).toMatchObject([
      { level: "warning", code: "refund_of_other_wallet", chargeKey: keyOf("0x01"), network: network.caip2 }
    ])
    const [, [, authorization] = []] = of("evidence")
    expect(authorization).toEqual({
      from: getAddress(other),
      to: getAddress(payer),
      value: "10000",
      validAfter: "0",
      validBefore: String(theirs.validBefore),
      nonce: refundNonce(keyOf("0x01"))
    })
  })

  it("is sent once the final chain shows that it can't move any more", async () => {
    for (const evidence of [gone, { _tag: "NotPaid", reason: "canceled" } as const]) {
      const { events, of, transaction } = await send([theirs], {
        evidence: [notMoved, evidence, proven, moved()]
      })
      expect(transaction).toBe("0xback")
      expect(of("recordRefundAttempt")).toEqual([[attemptOf(walletAddress, 2)]])
      expect(events).toEqual([])
    }
  })

  it("is recorded as sent if that wallet moved it, also while refunds are stopped", async () => {
    const refundStop = () => Effect.succeed({ reason: "by hand", atMillis: 1 })
    const { of, transaction } = await send([theirs], {
      evidence: [notMoved, moved()],
      charges: { refundStop }
    })
    expect(transaction).toBe("0xback")
    expect(of("recordRefund")).toEqual([[keyOf("0x01"), "0xback", nowMillis]])
    expect(of("sign")).toEqual([])
    const young = await send([theirs], { evidence: [notMoved, moved(false)] })
    expect([young.transaction, young.of("recordRefund"), young.of("sign")]).toEqual([undefined, [], []])
  })

  it("is left to an operator where no chain can be read", async () => {
    const { events, of, transaction } = await send([theirs], {})
    expect([transaction, of("sign")]).toEqual([undefined, []])
    expect(events).toMatchObject([{ level: "error", code: "refund_of_other_wallet" }])
  })

  it("is looked up once for each wallet, and reported where its nonce was used by nobody knows what", async () => {
    const attempts = [theirs, { ...attemptOf(other, 2), validBefore: theirs.validBefore + 9 }]
    const { events, of } = await send(attempts, {
      evidence: [notMoved, { _tag: "Unavailable", isUsed: true }]
    })
    const [, [, looked] = []] = of("evidence")
    expect(of("evidence")).toHaveLength(2)
    expect(looked).toMatchObject({ validBefore: String(theirs.validBefore + 9) })
    expect(events).toMatchObject([{ code: "refund_not_found" }, { code: "refund_of_other_wallet" }])
  })
})
