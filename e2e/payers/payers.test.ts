import { afterAll, beforeAll, expect, it } from "vitest"
import { type Both, clients, openSandbox, payerOf } from "./payers.ts"
import { callAll, routes } from "./sevenRoutes.ts"

/*
 * One client, which knows no memo, pays all seven routes on Solana; `payers.deep.test.ts` has all clients on both rails, and
 * e2e/clients the official ones on EVM.
 */

const name = "x402-solana"
const allPaid = Object.fromEntries(routes.map((route) => [route, "paid"]))

let sandbox: Both
beforeAll(async () => {
  sandbox = await openSandbox(1)
})
afterAll(() => sandbox.stop())

it(`${name} pays all seven routes on Solana`, async () => {
  const { on } = clients.find((client) => client.name === name)!
  expect(await callAll(await on.Solana!(sandbox, 0), sandbox)).toEqual(allPaid)
  expect(await sandbox.till.charges.list({ limit: 100, payer: payerOf(sandbox, "Solana", 0) })).toHaveLength(
    7
  )
  expect(await sandbox.till.ledger.check({ chain: true })).toMatchObject({ isBalanced: true, faults: [] })
})
