import { describe, expect, it, onTestFinished } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { needsChain } from "../../src/http/PaidRoute.ts"
import { operation, Till, type TillEvent, type TillOptions } from "../../src/index.ts"
import { memory } from "../../src/stores/memory.ts"
import { challengeOf, readResponse } from "../toll/openTill.ts"
import { headerOf, payChallenge } from "../toll/wallet.ts"
import { settings } from "./hosted.ts"

/*
 * What a host reads where the chain's proof is asked for, and where large payments go without it.
 */

const report = (proof?: "chain" | "facilitator") => {
  const options = {
    id: "report",
    method: "GET",
    path: "/report",
    description: "A report",
    price: "50.00",
    work: () => ({})
  } as const
  return operation(proof === undefined ? options : { ...options, proof })
}

const made = (options: Partial<TillOptions>) => {
  const events: Array<TillEvent> = []
  const till = Till.make({
    ...settings,
    facilitator: fakeFacilitator(),
    storage: memory(),
    onEvent: (event) => {
      events.push(event)
    },
    ...options
  })
  onTestFinished(() => till.dispose())
  const trusted = () =>
    events.filter(({ code }) => code === "facilitator_trusted").map(({ message }) => message)
  return { till, trusted }
}

const priced = { id: "tides", path: "/tides", price: "2.00" } as const

describe("on a network without an rpcUrl", () => {
  it("operations above a dollar are sold, and named in one event", async () => {
    const { till, trusted } = made({ operations: [report()], tracker: fakeTracker() })
    till.price(priced)
    await till.ready
    const send = async (headers: Record<string, string> = {}) =>
      readResponse(await till.fetch(new Request(`${settings.baseUrl}/report`, { headers })))
    const payment = headerOf(await payChallenge(challengeOf(await send()), {}))
    expect((await send({ "payment-signature": payment })).status).toBe(200)
    await expect
      .poll(trusted, { timeout: 60_000 })
      .toEqual([
        "Payments above 1.00 dollars for report and tides on base-sepolia count once the facilitator reports them: no chain is read there. Give base-sepolia an rpcUrl"
      ])
  })

  it.each<readonly [string, Partial<TillOptions>]>([
    ["cheap ones", { tracker: fakeTracker() }],
    ["those that trust the facilitator", { operations: [report("facilitator")] }],
    ["those of a till that does", { operations: [report()], trustFacilitator: true }],
    ["those of a till with a higher bound", { operations: [report()], proofAbove: "50" }]
  ])("%s are not", async (_, options) => {
    const { till, trusted } = made(options)
    await till.ready
    await till.reconcile()
    expect(trusted()).toEqual([])
  })

  it("no operation asks for the chain's proof", () => {
    expect(() => made({ operations: [report("chain")] })).toThrow(
      /network base-sepolia has no rpcUrl: report count a settlement only when the chain shows it/
    )
    const { till } = made({ tracker: fakeTracker() })
    expect(() => till.price({ ...priced, proof: "chain" })).toThrow(
      /priced route tides: proof is "chain", and eip155:84532 has no rpcUrl: give it/
    )
    made({ operations: [report("chain")], trustFacilitator: true }).till.price({ ...priced, proof: "chain" })
  })
})

it("a payment needs the chain above the bound, and not at it", () => {
  const bound = { proofAbove: 1_000_000n, trustFacilitator: false }
  const at = (atomic: bigint, settings = bound) => needsChain({}, atomic, settings)
  expect([at(1_000_000n), at(1_000_001n)]).toEqual([false, true])
  expect(at(1_000_001n, { ...bound, trustFacilitator: true })).toBe(false)
  expect(needsChain({ settlement: { beforeWork: true } }, 1n, bound)).toBe(true)
  expect(needsChain({ settlement: { beforeWork: true, proofRequired: false } }, 1n, bound)).toBe(false)
})

it("a proof by anything else is refused", () => {
  const wrong = { ...report(), proof: "node" } as unknown as ReturnType<typeof report>
  expect(() => made({ operations: [wrong] })).toThrow(/proof must be "chain" or "facilitator"/)
})
