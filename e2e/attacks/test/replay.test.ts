import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type TillOptions } from "@till402/core"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { openGoods, slowWork, workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { keepOurs, openOurs } from "../src/Ours.ts"
import { nowSeconds } from "../src/Payments.ts"
import { introduce, standings } from "../src/Standing.ts"
import { countOf, visit } from "../src/Visitor.ts"

afterEach(() => {
  vi.useRealTimers()
})

let cluster: Postgres
beforeAll(async () => {
  cluster = await startPostgres()
})
afterAll(() => cluster.stop())

const dayMillis = 24 * 3_600_000

attack("replay after the response", {
  on: optimistic,
  lands: async () => {
    const facilitator = fakeFacilitator()
    // The response is sent, but the payment's record is written only after its settlement returns.
    facilitator.settle.delays(50)
    const server = openOptimistic(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.track)
    expect((await visitor.present(calls.track, payment)).status).toBe(200)
    expect((await visitor.present(calls.track, payment)).status).toBe(200)
    expect(server.goods.tracker.track.calls).toHaveLength(2)
  },
  fails: async () => {
    for (const standing of standings) {
      const facilitator = fakeFacilitator()
      const server = await openOurs(facilitator)
      const visitor = visit(server)
      await introduce(visitor, standing, facilitator)
      facilitator.settle.delays(50)
      const payment = await visitor.payFor(calls.track)
      const response = await visitor.present(calls.track, payment)
      for (let time = 0; time < 3; time++) {
        const again = await visitor.present(calls.track, payment)
        // The payer gets the same bytes again without any work.
        expect([again.status, again.text]).toEqual([200, response.text])
      }
      expect([workDone(server.goods), facilitator.settle.calls.length]).toEqual([1, 1])
    }
  }
})

attack("replay after 24 hours", {
  on: optimistic,
  lands: async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const server = openOptimistic(fakeFacilitator())
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.track, {
      authorization: { validBefore: String(nowSeconds() + 7 * 86_400) }
    })
    expect((await visitor.present(calls.track, payment)).status).toBe(200)
    await vi.waitFor(async () => expect((await visitor.present(calls.track, payment)).status).toBe(402))
    vi.setSystemTime(Date.now() + dayMillis + 1_000)
    expect((await visitor.present(calls.track, payment)).status).toBe(200)
  },
  fails: async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    const visitor = visit(server)
    const long = await visitor.payFor(calls.track, {
      authorization: { validBefore: String(nowSeconds() + 7 * 86_400) }
    })
    expectRefused(
      await visitor.present(calls.track, long),
      "invalid_exact_evm_payload_authorization_valid_before"
    )
    const payment = await visitor.payFor(calls.track)
    expect((await visitor.present(calls.track, payment)).status).toBe(200)
    for (const days of [1, 29, 335]) {
      vi.setSystemTime(Date.now() + days * dayMillis + 1_000)
      await server.till.reconcile()
      expectRefused(await visitor.present(calls.track, payment), "payment_already_used")
      // Not even after the facilitator has forgotten it.
      facilitator.settle.reset()
      expectRefused(await visitor.present(calls.track, payment), "payment_already_used")
    }
    expect([workDone(server.goods), facilitator.settled.length]).toEqual([1, 1])
  }
})

attack("replay after a restart", {
  on: optimistic,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const goods = openGoods()
    const first = visit(openOptimistic(facilitator, { goods }))
    const payment = await first.payFor(calls.track)
    expect((await first.present(calls.track, payment)).status).toBe(200)
    await vi.waitFor(async () => expect((await first.present(calls.track, payment)).status).toBe(402))
    const restarted = visit(openOptimistic(facilitator, { goods }))
    expect((await restarted.present(calls.track, payment)).status).toBe(200)
    expect(goods.tracker.track.calls).toHaveLength(2)
  },
  fails: async () => {
    const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const storage = () => sqlite({ filename: join(folder, "till.sqlite") })
    const facilitator = fakeFacilitator()
    const goods = openGoods()
    const first = await keepOurs(facilitator, { storage: storage() }, goods)
    const payment = await visit(first).payFor(calls.track, { withoutResource: true })
    const response = await visit(first).present(calls.track, payment)
    expect(response.status).toBe(200)
    await first.till.dispose()
    const restarted = visit(await openOurs(facilitator, { storage: storage() }, goods))
    expect((await restarted.present(calls.track, payment)).text).toBe(response.text)
    expectRefused(await restarted.present(calls.search, payment), "payment_already_used")
    expectRefused(
      await restarted.present({ path: "/x402/track?number=99999" }, payment),
      "payment_already_used"
    )
    expect([workDone(goods), facilitator.settle.calls.length]).toEqual([1, 1])
  }
})

/** Two servers that share `storage`, with the same goods and facilitator. */
const twoOfOurs = async (storage: () => TillOptions["storage"]) => {
  const facilitator = fakeFacilitator()
  const goods = openGoods()
  slowWork(goods, 20)
  const [first, second] = [
    visit(await openOurs(facilitator, { storage: storage() }, goods)),
    visit(await openOurs(facilitator, { storage: storage() }, goods))
  ]
  return { facilitator, goods, first, second }
}

const expectOneEffect = async ({
  facilitator,
  first,
  goods,
  second
}: Awaited<ReturnType<typeof twoOfOurs>>) => {
  for (let round = 1; round <= 2; round++) {
    const payment = await first.payFor(calls.track)
    const copies = Array.from({ length: 20 }, (_, copy) => (copy % 2 === 0 ? first : second))
    const responses = await Promise.all(copies.map((visitor) => visitor.present(calls.track, payment)))
    expect(countOf(responses, 200)).toBe(20)
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expectRefused(await second.present({ path: "/x402/track?number=99999" }, payment), "payment_already_used")
    expect([workDone(goods), facilitator.settle.calls.length]).toEqual([round, round])
  }
}

attack("replay in a second process", {
  on: `${official}, twice behind a load balancer`,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const goods = openGoods()
    slowWork(goods, 20)
    const [first, second] = [
      visit(openOfficial(facilitator, { goods })),
      visit(openOfficial(facilitator, { goods }))
    ]
    const payment = await first.payFor(calls.track)
    await Promise.all([first.present(calls.track, payment), second.present(calls.track, payment)])
    expect([goods.tracker.track.calls.length, facilitator.settled.length]).toEqual([2, 1])
  },
  fails: async () => {
    const url = await cluster.createDatabase()
    await expectOneEffect(await twoOfOurs(() => postgres({ url })))
  }
})

attack("replay in a second process on one SQLite file", {
  on: `${optimistic}, twice behind a load balancer`,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const goods = openGoods()
    const [first, second] = [
      visit(openOptimistic(facilitator, { goods })),
      visit(openOptimistic(facilitator, { goods }))
    ]
    const payment = await first.payFor(calls.track)
    expect((await first.present(calls.track, payment)).status).toBe(200)
    await vi.waitFor(() => expect(facilitator.settled).toHaveLength(1))
    expect((await second.present(calls.track, payment)).status).toBe(200)
    expect([goods.tracker.track.calls.length, facilitator.settled.length]).toEqual([2, 1])
  },
  fails: async () => {
    const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await expectOneEffect(await twoOfOurs(() => sqlite({ filename: join(folder, "till.sqlite") })))
  }
})
