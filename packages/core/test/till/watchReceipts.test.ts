import { Clock, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { NamedFacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import { Chain, Facilitator, Till, Track } from "../../src/effect.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import { memory } from "../../src/stores/memory.ts"
import { makeChain } from "../../src/toll/evidence/ChainReader.ts"
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

/** Runs a test on a till, whose node follows the test's clock. */
const onTill = <A>(
  node: FakeNode,
  facilitators: ReadonlyArray<Named>,
  test: (
    codes: () => ReadonlyArray<string>,
    pass: (minutes: number) => Effect.Effect<void>
  ) => Effect.Effect<A, unknown, Till>
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
      Facilitator.layerSeveral(facilitators).pipe(Layer.provide(FetchHttpClient.layer)),
      Layer.succeed(
        Chain,
        makeChain([network], () => node.transport)
      ),
      memory()
    ])
  )
  return Effect.andThen(TestClock.setTime(startMillis), Effect.provide(test(codes, pass), till)).pipe(
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
