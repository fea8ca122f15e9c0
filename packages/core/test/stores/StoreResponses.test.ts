import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { StoreError } from "../../src/domain/Errors.ts"
import { MalformedResponse } from "../../src/runtime/MalformedResponse.ts"
import { type StoreName, storesOf, withPorts } from "../ports/plainStores.ts"

describe("results of the wrong type", () => {
  const respondWith = (name: StoreName, verb: string, response: unknown) =>
    withPorts(
      storesOf(() => () => Promise.resolve(response)),
      (ports) => ports[name][verb]!()
    )
  const claimed = { _tag: "Claimed" }
  const cases: ReadonlyArray<
    readonly [StoreName, string, right: ReadonlyArray<unknown>, wrong: ReadonlyArray<unknown>]
  > = [
    ["charges", "advance", [true, false], [undefined, null, 1, "true", {}]],
    [
      "charges",
      "claim",
      [
        claimed,
        { _tag: "Limited", by: "charges" },
        { _tag: "Limited", by: "exposure" },
        { _tag: "Existing", charge: {} }
      ],
      [undefined, true, "Claimed", { _tag: "Existing" }, { _tag: "Taken" }, { _tag: "Limited" }]
    ],
    [
      "charges",
      "complete",
      [{ _tag: "Completed" }, { _tag: "NotOpen" }, { _tag: "TransferTaken" }],
      [undefined, true, false, "Completed", {}, { _tag: "Claimed" }]
    ],
    [
      "charges",
      "payerActivity",
      [
        { openAtomic: "0", settledAtomic: "10000" },
        { openAtomic: "9".repeat(78), settledAtomic: "0" }
      ],
      [
        undefined,
        {},
        { openAtomic: "0" },
        { openAtomic: 0, settledAtomic: 0 },
        { openAtomic: 1n, settledAtomic: 0n },
        { openAtomic: "-1", settledAtomic: "0" },
        { openAtomic: "1e3", settledAtomic: "0" },
        { openAtomic: "", settledAtomic: "0" }
      ]
    ],
    [
      "charges",
      "startRefund",
      [{ _tag: "Started" }, { _tag: "NotDue" }, { _tag: "OverLimit" }, { _tag: "ExceedsReceived" }],
      [undefined, true, "Started", {}, { _tag: "Due" }]
    ],
    ["charges", "refundStop", [undefined, { reason: "no", atMillis: 1 }], [false, [], "stopped"]],
    ["charges", "stopRefunds", [true, false], [undefined, null, 1]],
    ["charges", "releaseVoided", [0, 7], [undefined, -1, true]],
    ["charges", "voidedDue", [[], [{}]], [undefined, {}, true]],
    ["charges", "find", [undefined, {}], [false, [], "charge"]],
    ["charges", "list", [[], [{}]], [undefined, {}, "charges"]],
    ["charges", "expire", [0, 7], [undefined, -1, 0.5, "7", 7n]],
    ["quotes", "put", [{}], [undefined, null, true, []]],
    ["vaultPurchases", "take", [[], [{}]], [undefined, {}, true]],
    ["orders", "earliestDue", [undefined, 0, 1_790_000_000_000], [-1, 0.5, "7", {}]],
    ["vaultPurchases", "reschedule", [true, false], [undefined, null, 1]],
    ["vaultPurchases", "forget", [0, 7], [undefined, -1, true]],
    [
      "vaultItems",
      "search",
      [undefined, { items: [], nextCursor: null }, { items: [], nextCursor: "x" }],
      [[], {}, { items: [] }, { items: {}, nextCursor: null }, { items: [], nextCursor: 7 }]
    ]
  ]
  for (const [name, verb, right, wrong] of cases) {
    it.effect(`${name}.${verb}`, () =>
      Effect.gen(function* () {
        for (const response of right) assert.strictEqual(yield* respondWith(name, verb, response), response)
        for (const response of wrong) {
          const error = yield* Effect.flip(respondWith(name, verb, response))
          assert.instanceOf(error, StoreError)
          assert.strictEqual(error.operation, `${name}.${verb}`)
          assert.instanceOf(error.cause, MalformedResponse)
          assert.match(error.cause.message, /^must return .*, not /)
        }
      })
    )
  }

  it.effect("null means nothing found, and a method without a result may return anything", () =>
    Effect.gen(function* () {
      for (const [name, verb] of [
        ["charges", "find"],
        ["charges", "refundStop"],
        ["quotes", "findLive"],
        ["quotes", "findConsumed"],
        ["orders", "find"],
        ["vaultItems", "findBySlug"],
        ["vaultItems", "search"],
        ["vaultPurchases", "find"]
      ] as const) {
        assert.isUndefined(yield* respondWith(name, verb, null))
      }
      assert.isUndefined(yield* respondWith("orders", "create", { rows: 1 }))
    })
  )
})
