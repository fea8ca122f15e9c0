import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { getAddress } from "viem"
import { describe, expect, it } from "vitest"
import { StoreError } from "../../src/domain/Errors.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import { refundNonce } from "../../src/refunds/RefundAuthorization.ts"
import type { ChainEvidence } from "../../src/toll/evidence/Chain.ts"
import type { Settlement } from "../../src/toll/facilitator/Facilitator.ts"
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
  type Scene,
  type Script,
  signature,
  walletAddress,
  settled,
  rejected,
  unknown
} from "../shop/orders/refundScene.ts"

const pending: Settlement = { _tag: "Unknown", reason: "pending", transaction: "0xback" }

const send = (script: Script, charge = owed()) =>
  play(script, ({ calls, events, of, refunds }) =>
    Effect.map(refunds.send(charge), (transaction) => ({ transaction, calls, events, of }))
  )
const verbs = ({ calls }: Pick<Scene, "calls">): ReadonlyArray<string> => calls.map(([verb]) => verb)

const authorization = {
  from: getAddress(walletAddress),
  to: getAddress(payer),
  value: "10000",
  validAfter: "0",
  validBefore: String(nowMillis / 1_000 + 3_600),
  nonce: refundNonce(keyOf("0x01"))
}

describe("a refund in another token", () => {
  const asset = "0x00000000000000000000000000000000d011a500"
  const dollar = { ...network, asset, eip712: { name: "Test Dollar", version: "1" }, payTo: payer } as const

  it("is signed in that token's domain, as the settings name it", async () => {
    const { of, transaction } = await send(
      { settlements: [settled], networks: [dollar] },
      { ...owed(), asset }
    )
    expect(transaction).toBe("0xback")
    expect(of("sign")).toMatchObject([
      [{ domain: { name: "Test Dollar", version: "1", verifyingContract: asset } }]
    ])
    expect(of("settle")).toMatchObject([[{ requirements: { asset, extra: { name: "Test Dollar" } } }]])
  })

  it("waits if no network of the settings has it any more; one in USDC is sent all the same", async () => {
    const gone = await send({ settlements: [settled] }, { ...owed(), asset })
    expect([gone.transaction, gone.of("sign")]).toEqual([undefined, []])
    expect(gone.events).toMatchObject([
      { code: "refund_token_unknown", chargeKey: keyOf("0x01"), network: network.caip2 }
    ])
    const { of } = await send({ settlements: [settled], networks: [dollar] }, owed())
    expect(of("sign")).toMatchObject([[{ domain: { verifyingContract: network.asset } }]])
  })
})

describe("a refund on a network", () => {
  it("is signed for that one, if another network has a token at the same address", async () => {
    const asset = "0x00000000000000000000000000000000d011a500"
    const own = { ...network, asset, eip712: { name: "Test Dollar", version: "1" }, payTo: payer } as const
    const other = { ...own, ...findNetwork("base")!, asset, eip712: { name: "Other", version: "1" } } as const
    const { of } = await send({ settlements: [settled], networks: [other, own] }, { ...owed(), asset })
    expect(of("sign")).toMatchObject([[{ domain: { name: "Test Dollar", chainId: network.chainId } }]])
  })

  it("that this version doesn't know is left to an operator", async () => {
    const { events, of, transaction } = await send(
      { settlements: [settled] },
      { ...owed(), network: "eip155:999999" }
    )
    expect([transaction, of("sign")]).toEqual([undefined, []])
    expect(events).toMatchObject([{ code: "refund_token_unknown", network: "eip155:999999" }])
  })
})

describe("a refund that is sent", () => {
  it("is an authorization of the wallet to the payer, of the whole amount, for an hour", async () => {
    const { of, transaction } = await send({ settlements: [settled] })
    expect(transaction).toBe("0xback")
    expect(of("sign")).toEqual([
      [
        {
          domain: { ...network.eip712, chainId: network.chainId, verifyingContract: network.asset },
          types: {
            TransferWithAuthorization: [
              { name: "from", type: "address" },
              { name: "to", type: "address" },
              { name: "value", type: "uint256" },
              { name: "validAfter", type: "uint256" },
              { name: "validBefore", type: "uint256" },
              { name: "nonce", type: "bytes32" }
            ]
          },
          primaryType: "TransferWithAuthorization",
          message: {
            ...authorization,
            value: 10_000n,
            validAfter: 0n,
            validBefore: BigInt(authorization.validBefore)
          }
        }
      ]
    ])
  })

  it("goes to the facilitator as a payment of version 2", async () => {
    const { of } = await send({ settlements: [settled] })
    const requirements = {
      scheme: "exact",
      network: network.caip2,
      amount: "10000",
      asset: network.asset,
      payTo: authorization.to,
      maxTimeoutSeconds: 3_600,
      extra: { ...network.eip712 }
    }
    const resource = { url: "urn:till402:refund", description: "Refund", mimeType: "application/json" }
    const payload = { signature, authorization }
    expect(of("settle")).toEqual([[{ x402Version: 2, payload, requirements, resource }]])
  })

  it("has a nonce of its charge's key", () => {
    expect(refundNonce(keyOf("0x01"))).toBe(refundNonce(keyOf("0x01")))
    expect(refundNonce(keyOf("0x01"))).not.toBe(refundNonce(keyOf("0x02")))
    expect(refundNonce("a")).toBe("0x71c91b2710d51a4475a7927f967c19747e4173c627e525b18a47af52ce74797e")
  })

  it("is done where it was sent before, and nothing where none is due", async () => {
    const sent = await send({}, owed("0x01", { refund: { _tag: "Sent", transaction: "0xold" } }))
    expect([sent.transaction, sent.calls]).toEqual(["0xold", []])
    const none = await send({}, owed("0x01", { refund: undefined }))
    expect([none.transaction, none.calls]).toEqual([undefined, []])
  })

  it("waits where there is no wallet, and returns one that was sent all the same", async () => {
    await play({ hasWallet: false }, ({ calls, refunds }) =>
      Effect.gen(function* () {
        expect(refunds.isAutomatic).toBe(false)
        expect(yield* refunds.send(owed())).toBeUndefined()
        expect(yield* refunds.send(owed("0x01", { refund: { _tag: "Sent", transaction: "0xold" } }))).toBe(
          "0xold"
        )
        yield* refunds.sweep
        expect(calls).toEqual([])
      })
    )
    await play({}, ({ refunds }) => Effect.sync(() => expect(refunds.isAutomatic).toBe(true)))
  })

  it("waits on a network that is not known", async () => {
    const { calls, transaction } = await send({}, owed("0x01", { network: "eip155:424242" }))
    expect([transaction, calls]).toEqual([undefined, []])
  })

  it("waits where the guard does not admit it", async () => {
    const stopped = { refundStop: () => Effect.succeed({ reason: "by hand", atMillis: 1 }) }
    const result = await send({ charges: stopped, evidence: [notMoved] })
    expect(result.transaction).toBeUndefined()
    expect(verbs(result)).not.toContain("sign")
  })
})

describe("a refund whose chain can't be read", () => {
  it.each<readonly [Settlement, string | undefined, ReadonlyArray<unknown>]>([
    [settled, "0xback", []],
    [rejected, undefined, ["insufficient_funds"]],
    [unknown, undefined, ["timeout"]],
    [pending, undefined, ["pending"]]
  ])("counts as sent on the facilitator's word alone: %j", async (settlement, sent, warnings) => {
    const { events, of, transaction } = await send({ settlements: [settlement] })
    expect(transaction).toBe(sent)
    expect(of("recordRefund")).toEqual(sent === undefined ? [] : [[keyOf("0x01"), sent, nowMillis]])
    expect(events.map(({ reason }) => reason)).toEqual(warnings)
    for (const { code, chargeKey, network: name } of events) {
      expect(code).toBe(settlement === rejected ? "refund_wallet_short" : "refund_not_confirmed")
      expect([chargeKey, name]).toEqual([keyOf("0x01"), network.caip2])
    }
    expect(of("evidence")).toEqual([])
  })
})

describe("a refund that an operator recorded while it was sent", () => {
  const recorded = (transaction: string, isNew = true) => ({
    recordRefund: () => Effect.succeed(false),
    find: () => Effect.succeed(owed("0x01", { refund: { _tag: "Sent", transaction } })),
    recordFurtherRefund: () => Effect.succeed(isNew)
  })

  it("gets an entry of its own, and an error that names both transactions", async () => {
    const { events, of, transaction } = await send({ charges: recorded("0xmine"), settlements: [settled] })
    expect(transaction).toBe("0xback")
    expect(of("recordFurtherRefund")).toEqual([[keyOf("0x01"), "0xback", nowMillis]])
    expect(events).toMatchObject([
      {
        level: "error",
        code: "refund_sent_twice",
        chargeKey: keyOf("0x01"),
        transaction: "0xback",
        otherTransaction: "0xmine"
      }
    ])
  })

  it("is reported once", async () => {
    const { events } = await send({ charges: recorded("0xmine", false), settlements: [settled] })
    expect(events).toEqual([])
  })

  it("is reported even where the first one can't be read", async () => {
    for (const found of [undefined, owed()]) {
      const charges = { ...recorded("0xmine"), find: () => Effect.succeed(found) }
      const { events } = await send({ charges, settlements: [settled] })
      expect(events).toMatchObject([{ code: "refund_sent_twice", transaction: "0xback" }])
      expect(events[0]?.otherTransaction).toBeUndefined()
    }
  })
})

describe("a refund whose chain can be read", () => {
  it("is looked for before it is sent, from the settlement on, and after it by its transaction", async () => {
    const { of, transaction } = await send({ evidence: [notMoved, proven, moved()], settlements: [settled] })
    expect(transaction).toBe("0xback")
    const hints = { sinceSeconds: 450 }
    const [before, , after] = of("evidence")
    expect(before).toStrictEqual([network, authorization, hints])
    expect(after).toStrictEqual([network, authorization, { ...hints, transaction: "0xback" }])
    expect(of("recordRefund")).toEqual([[keyOf("0x01"), "0xback", nowMillis]])
  })

  it("is looked for from the claim on, where the settlement's time is not known", async () => {
    const charge = owed("0x01", { settledAtMillis: undefined, createdAtMillis: 7_500 })
    const { of } = await send({ evidence: [{ _tag: "Unavailable" }] }, charge)
    expect(of("evidence")).toStrictEqual([[network, authorization, { sinceSeconds: 7 }]])
  })

  it.each<readonly [ChainEvidence, string | undefined, ReadonlyArray<string>]>([
    [moved(), "0xback", []],
    [moved(false), undefined, []],
    [{ _tag: "NotPaid", reason: "canceled" }, undefined, ["error"]],
    [{ _tag: "Confirming", transaction: "0xback" }, undefined, []],
    [{ _tag: "Unavailable" }, undefined, []]
  ])("is not sent where the chain shows %j before", async (evidence, recorded, levels) => {
    const result = await send({ evidence: [evidence] })
    expect(result.transaction).toBe(recorded)
    expect(verbs(result)).toEqual([
      "refundAttempts",
      "evidence",
      ...(recorded === undefined ? [] : ["recordRefund"])
    ])
    expect(result.events.map(({ level }) => level)).toEqual(levels)
    for (const event of result.events)
      expect(event).toMatchObject({ code: "refund_nonce_used", chargeKey: keyOf("0x01") })
  })

  it("is reported where its nonce was used by something that can't be found", async () => {
    const result = await send({ evidence: [{ _tag: "Unavailable", isUsed: true }] })
    expect([result.transaction, verbs(result)]).toEqual([undefined, ["refundAttempts", "evidence"]])
    expect(result.events).toMatchObject([
      { level: "error", code: "refund_not_found", chargeKey: keyOf("0x01") }
    ])
  })

  it.each<readonly [Settlement, ReadonlyArray<ChainEvidence>, string | undefined, unknown]>([
    [rejected, [], undefined, "insufficient_funds"],
    [unknown, [], undefined, "timeout"],
    [pending, [moved()], "0xback", undefined],
    [settled, [moved(false)], undefined, undefined],
    [settled, [{ _tag: "Confirming", transaction: "0xback" }], undefined, undefined],
    [settled, [notMoved], undefined, "not_on_chain"],
    [pending, [notMoved], undefined, "pending"],
    [settled, [{ _tag: "Unavailable" }], undefined, "not_on_chain"]
  ])(
    "counts as sent once the chain shows it for good: %j, then %j",
    async (settlement, after, sent, warning) => {
      const { events, of, transaction } = await send({
        evidence: [notMoved, proven, ...after],
        settlements: [settlement]
      })
      expect(transaction).toBe(sent)
      expect(of("evidence")).toHaveLength(2 + after.length)
      expect(of("recordRefund")).toHaveLength(sent === undefined ? 0 : 1)
      const code = settlement === rejected ? "refund_wallet_short" : "refund_not_confirmed"
      expect(events.map((event) => [event.code, event.reason])).toEqual(
        warning === undefined ? [] : [[code, warning]]
      )
    }
  )
})

describe("a refund that the facilitator refuses before it is sent", () => {
  it("is not reported as sent", async () => {
    const refusal: Settlement = { _tag: "Rejected", reason: "invalid_payload" }
    const { events } = await send({ settlements: [refusal] })
    expect(events).toMatchObject([{ level: "warning", code: "refund_refused", reason: "invalid_payload" }])
  })
})

describe("a wallet that does not sign", () => {
  it.each<readonly [string, NonNullable<Script["sign"]>]>([
    ["rejects", () => Promise.reject(new RangeError("secret"))],
    [
      "throws",
      () => {
        throw new RangeError("secret")
      }
    ]
  ])("is reported by the name of its error alone: it %s", async (_, sign) => {
    const result = await send({ sign })
    expect(result.transaction).toBeUndefined()
    expect(verbs(result)).not.toContain("settle")
    expect(result.events).toMatchObject([{ level: "error", code: "refund_not_signed", error: "RangeError" }])
  })

  it("is waited for ten seconds", () =>
    play({ sign: () => new Promise(() => undefined) }, ({ events, of, refunds }) =>
      Effect.gen(function* () {
        const sending = yield* Effect.forkChild(refunds.send(owed()))
        yield* TestClock.adjust("9999 millis")
        expect(sending.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("1 millis")
        expect(yield* Fiber.join(sending)).toBeUndefined()
        expect(of("settle")).toEqual([])
        expect(events.map(({ level }) => level)).toEqual(["error"])
      })
    ))
})

describe("a refund that is under way", () => {
  const untilSigned = Effect.fnUntraced(function* (of: Scene["of"], times: number) {
    while (of("sign").length < times)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  })

  it("is not begun a second time", () => {
    let sign: () => void = () => undefined
    const script: Script = {
      settlements: [settled],
      sign: () => new Promise((resolve) => (sign = () => resolve(signature)))
    }
    return play(script, ({ of, refunds }) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(refunds.send(owed()))
        yield* untilSigned(of, 1)
        expect(yield* refunds.send(owed())).toBeUndefined()
        sign()
        expect(yield* Fiber.join(first)).toBe("0xback")
        expect(of("sign")).toHaveLength(1)
        const again = yield* Effect.forkChild(refunds.send(owed()))
        yield* untilSigned(of, 2)
        sign()
        expect(yield* Fiber.join(again)).toBe("0xback")
      })
    )
  })

  it("is over where the store fails", () => {
    const failing = {
      startRefund: () => Effect.fail(new StoreError({ operation: "charges.startRefund", cause: 0 }))
    }
    return play({ charges: failing }, ({ of, refunds }) =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) expect(yield* Effect.flip(refunds.send(owed()))).toBeInstanceOf(StoreError)
        expect(of("startRefund")).toHaveLength(2)
      })
    )
  })
})
