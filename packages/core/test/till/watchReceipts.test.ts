import { Clock, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { NamedFacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import { Chain, Facilitator, Till, Track } from "../../src/effect.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import { memory } from "../../src/stores/memory.ts"
import { makeChain } from "../../src/toll/evidence/ChainReader.ts"
import { StorageMarks } from "../../src/ports/StorageMarks.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { isOfPredecessor } from "../../src/till/watchReceipts.ts"
import { memoryMarks } from "../toll/audit/receiptWorld.ts"
import { FakeNode, logsOf } from "../toll/evidence/FakeNode.ts"
import { track } from "../toll/openTill.ts"
import { advance, fakes, pay, send, settings, startMillis, testLogger } from "./hosted.ts"

/*
 * A till on a chain, with facilitators that move money or don't. What they report for a cheap call counts at once, and is
 * checked later.
 */

const network = findNetwork("base-sepolia")!
const token = logsOf(network.asset)
const height = 1_000_000n
const noTransaction = `0x${"ab".repeat(32)}`
const openNode = () => {
  const genesisSeconds = startMillis / 1000 - 2 * Number(height)
  const node = new FakeNode({ genesisSeconds, blockSeconds: 2, height })
  node.balance = 1_000_000_000n
  return node
}

interface Named extends NamedFacilitatorClient {
  readonly name: string
  readonly settlements: () => number
}

/** A facilitator that accepts every payment. `settle` returns the transaction that it reports. */
const named = (name: string, settle: (payment: Payment) => string, movesNoMoney = false): Named => {
  let settlements = 0
  return {
    name,
    movesNoMoney,
    verify: async () => ({ isValid: true }),
    settle: async (payment) => {
      settlements++
      return { success: true, transaction: settle(payment) }
    },
    getSupported: async () => ({ kinds: [{ x402Version: 2, scheme: "exact", network: network.caip2 }] }),
    settlements: () => settlements
  }
}

interface Payment {
  readonly payload: {
    readonly authorization: Parameters<typeof token.used>[0] & { to: string; value: string }
  }
}

const moving =
  (node: FakeNode, isFrontRun = false) =>
  ({ payload: { authorization } }: Payment): string => {
    const transaction = node.transact([token.used(authorization), token.transfer(authorization)])
    return isFrontRun ? noTransaction : transaction
  }

const lying = () => noTransaction

interface OnTill {
  readonly storage?: Layer.Layer<Stores>
  /** Where the facilitators are, by their names. */
  readonly addresses?: ReadonlyMap<string, string>
  readonly atMillis?: number
}

/** Runs a test on a till, whose node follows the test's clock. */
const onTill = <A>(
  node: FakeNode,
  facilitators: ReadonlyArray<Named>,
  test: (
    codes: () => ReadonlyArray<string>,
    pass: (minutes: number) => Effect.Effect<void>
  ) => Effect.Effect<A, unknown, Till>,
  { addresses = new Map(), atMillis = startMillis, storage = memory() }: OnTill = {}
) => {
  const { events, layer: logger } = testLogger()
  const seen = new Set(["receipt_false", "facilitator_withheld", "network_not_supported"])
  const codes = () =>
    events
      .filter(({ code }) => seen.has(code))
      .map(({ code, facilitator }) => (facilitator === undefined ? code : `${code} ${facilitator}`))
  const pass = Effect.fnUntraced(function* (minutes: number) {
    for (let half = 0; half < minutes * 2; half++) {
      yield* advance("30 seconds")
      node.mineUntil((yield* Clock.currentTimeMillis) / 1000)
    }
  })
  const till = Till.layer(
    { ...settings, networks: [{ network: "base-sepolia", rpcUrl: "http://127.0.0.1:1" }] },
    [Track.layer]
  ).pipe(
    Layer.provide([
      fakes().trackerLayer,
      Layer.effect(
        Facilitator,
        Effect.map(Facilitator, (group) => Object.assign(Object.create(group), { addresses }) as typeof group)
      ).pipe(Layer.provide(Facilitator.layerSeveral(facilitators)), Layer.provide(FetchHttpClient.layer)),
      Layer.succeed(
        Chain,
        makeChain([network], () => node.transport)
      ),
      storage
    ])
  )
  return Effect.andThen(TestClock.setTime(atMillis), Effect.provide(test(codes, pass), till)).pipe(
    Effect.provide([TestClock.layer(), logger]),
    Effect.runPromise
  )
}

const offers = Effect.map(send(track), (response) => {
  const header = Buffer.from(response.headers.get("payment-required") ?? "", "base64").toString("utf8")
  return (JSON.parse(header) as { readonly accepts: ReadonlyArray<unknown> }).accepts.length
})

describe("a facilitator that moves no money", () => {
  it("gets a cheap call served, and no more payments once two reads have shown it", async () => {
    const node = openNode()
    const liar = named("liar", lying)
    await onTill(node, [liar], (codes, pass) =>
      Effect.gen(function* () {
        expect((yield* pay()).status).toBe(200)
        yield* pass(11)
        expect(codes()).toEqual([])
        expect((yield* pay()).status).toBe(200)
        for (let minutes = 0; minutes < 20 && codes().length < 3; minutes++) yield* pass(1)
        expect(codes()).toEqual(["receipt_false liar", "facilitator_withheld liar", "network_not_supported"])
        expect(yield* offers).toBe(0)
        expect(liar.settlements()).toBe(2)
      })
    )
  })

  it("stops its own sales, and not those of another one on the same network", async () => {
    const node = openNode()
    const [liar, honest] = [named("liar", lying), named("honest", moving(node))]
    await onTill(node, [liar, honest], (codes, pass) =>
      Effect.gen(function* () {
        expect((yield* pay()).status).toBe(200)
        for (let minutes = 0; minutes < 40 && codes().length < 2; minutes++) yield* pass(1)
        expect(codes()).toEqual(["receipt_false liar", "facilitator_withheld liar"])
        yield* pass(1)
        expect([yield* offers, (yield* pay()).status]).toEqual([1, 200])
        expect([liar.settlements(), honest.settlements()]).toEqual([1, 1])
        yield* pass(20)
        expect(codes()).toHaveLength(2)
      })
    )
  })

  it("is none to stop, if it is for tests", async () => {
    const node = openNode()
    await onTill(node, [named("fake", lying, true)], (codes, pass) =>
      Effect.gen(function* () {
        yield* pay()
        yield* pass(20)
        expect([codes(), (yield* pay()).status]).toEqual([[], 200])
      })
    )
  })
})

it("a facilitator whose payment somebody else has sent goes on", async () => {
  const node = openNode()
  await onTill(node, [named("honest", moving(node, true))], (codes, pass) =>
    Effect.gen(function* () {
      yield* pay()
      yield* pass(20)
      expect([codes(), (yield* pay()).status]).toEqual([[], 200])
    })
  )
})

it("a facilitator that has taken over a name answers for no receipts of the one before", async () => {
  const node = openNode()
  const marks = memoryMarks()
  const stores = await Effect.runPromise(Layer.build(memory()).pipe(Effect.scoped))
  const storage = Layer.merge(Layer.succeedContext(stores), Layer.succeed(StorageMarks, marks))
  const at = (address: string) => new Map([["payments", address]])
  await onTill(
    node,
    [named("payments", lying)],
    () => Effect.asVoid(Effect.map(pay(), ({ status }) => expect(status).toBe(200))),
    { storage, addresses: at("https://before.example") }
  )
  const later = { storage, atMillis: startMillis + 60_000 }
  node.mineUntil((startMillis + 60_000) / 1000)
  // It is found out, and the one at the new address goes on.
  await onTill(
    node,
    [named("payments", moving(node))],
    (codes, pass) =>
      Effect.gen(function* () {
        for (let minutes = 0; minutes < 40 && codes().length < 1; minutes++) yield* pass(1)
        yield* pass(2)
        expect(codes()).toEqual(["receipt_false payments"])
        expect([yield* offers, (yield* pay()).status]).toEqual([1, 200])
      }),
    { ...later, addresses: at("https://after.example") }
  )
})

it.each<[string, string | undefined, number, ReadonlyArray<readonly [string, string]>, boolean]>([
  [
    "recorded before, of another address",
    "https://b",
    10,
    [
      ["https://a", "5"],
      ["https://b", "20"]
    ],
    true
  ],
  [
    "recorded after",
    "https://b",
    30,
    [
      ["https://a", "5"],
      ["https://b", "20"]
    ],
    false
  ],
  ["recorded before the first mark", "https://a", 10, [["https://a", "20"]], false],
  [
    "of an address that is back",
    "https://a",
    10,
    [
      ["https://a", "5"],
      ["https://b", "20"]
    ],
    false
  ],
  ["of a facilitator in this process", undefined, 10, [["https://a", "5"]], false],
  ["where nothing is marked", "https://a", 10, [], false]
])("a receipt %s", (_, address, settledAtMillis, marks, expected) => {
  const known = new Map(marks.map(([each, value]) => [`facilitator payments ${each}`, value]))
  expect(isOfPredecessor("payments", address, settledAtMillis, known)).toBe(expected)
})
