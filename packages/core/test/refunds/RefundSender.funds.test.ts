import { Effect } from "effect"
import { getAddress } from "viem"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import {
  keyOf,
  moved,
  network,
  notMoved,
  owed,
  payer,
  play,
  proven,
  type Script,
  settled,
  walletAddress
} from "../shop/orders/refundScene.ts"

const send = (script: Script, charge = owed()) =>
  play(script, ({ events, of, refunds }) =>
    Effect.map(refunds.send(charge), (transaction) => ({ transaction, events, of }))
  )

describe("a refund that the wallet can't pay", () => {
  const message = `The refund wallet ${getAddress(walletAddress)} has 0.009999 USDC on base-sepolia, and this refund needs 0.01. Send it USDC; the refund is retried`

  it("is reported with both amounts, and neither started nor signed", async () => {
    const { events, of, transaction } = await send({ evidence: [notMoved, proven], balance: 9_999n })
    expect(transaction).toBeUndefined()
    expect([of("startRefund"), of("sign"), of("settle")]).toEqual([[], [], []])
    expect(events).toMatchObject([
      {
        level: "error",
        code: "refund_wallet_short",
        message,
        chargeKey: keyOf("0x01"),
        network: network.caip2
      }
    ])
  })

  it("in another token is reported with that token's name", async () => {
    const asset = "0x00000000000000000000000000000000d011a500"
    const dollar = { ...network, asset, eip712: { name: "Test Dollar", version: "1" }, payTo: payer } as const
    const rejected = { _tag: "Rejected", reason: "insufficient_funds" } as const
    const { events } = await send({ settlements: [rejected], networks: [dollar] }, { ...owed(), asset })
    expect(events[0]?.message).toContain("has too little Test Dollar on base-sepolia")
    expect(events[0]?.message).toContain("Send it Test Dollar;")
  })

  it("in a network's USDC is reported as USDC, whatever its contract is named", async () => {
    const base = findNetwork("base")!
    const rejected = { _tag: "Rejected", reason: "insufficient_funds" } as const
    const { events } = await send(
      { settlements: [rejected], networks: [{ ...base, payTo: payer }] },
      { ...owed(), network: base.caip2, asset: base.asset }
    )
    expect(base.eip712.name).toBe("USD Coin")
    expect(events[0]?.message).toContain("has too little USDC on base,")
  })

  it("is sent with exactly its amount", async () => {
    const { of } = await send({
      evidence: [notMoved, proven, moved()],
      settlements: [settled],
      balance: 10_000n
    })
    expect(of("settle")).toHaveLength(1)
  })

  it("is not reported while its payment isn't final", async () => {
    const { events } = await send({ evidence: [notMoved, moved(false)], balance: 0n })
    expect(events).toEqual([])
  })

  it.each(["insufficient_funds", "insufficient_balance", "invalid_exact_evm_insufficient_balance"])(
    "is reported where the facilitator refuses it for %s",
    async (reason) => {
      const { events, transaction } = await send({ settlements: [{ _tag: "Rejected", reason }] })
      expect(transaction).toBeUndefined()
      expect(events).toMatchObject([
        {
          level: "error",
          code: "refund_wallet_short",
          message: expect.stringContaining("has too little USDC on base-sepolia"),
          chargeKey: keyOf("0x01"),
          network: network.caip2,
          reason
        }
      ])
    }
  )

  it("is sent all the same where the chain can't be read", async () => {
    const { events, transaction } = await send({ settlements: [settled], balance: 0n })
    expect([transaction, events]).toEqual(["0xback", []])
  })
})
