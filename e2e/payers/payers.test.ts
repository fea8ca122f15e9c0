import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Both, clients, openSandbox, payerOf, rails } from "./payers.ts"
import { callAll, routes } from "./sevenRoutes.ts"

/*
 * One client per rail pays all seven routes; `payers.deep.test.ts` has all of them. The one on Solana knows no memo.
 */

const chosen = { EVM: "@x402/axios", Solana: "x402-solana" }
const allPaid = Object.fromEntries(routes.map((route) => [route, "paid"]))

let sandbox: Both
beforeAll(async () => {
  sandbox = await openSandbox(1)
})
afterAll(() => sandbox.stop())

describe.each(rails)("on %s", (rail) => {
  it(`${chosen[rail]} pays all seven routes`, async () => {
    const { on } = clients.find(({ name }) => name === chosen[rail])!
    expect(await callAll(await on[rail]!(sandbox, 0), sandbox)).toEqual(allPaid)
    expect(await sandbox.till.charges.list({ limit: 100, payer: payerOf(sandbox, rail, 0) })).toHaveLength(7)
    expect(await sandbox.till.ledger.check({ chain: true })).toMatchObject({ isBalanced: true, faults: [] })
  })
})
