import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Both, clients, openSandbox, payerOf, rails, versionOf } from "./payers.ts"
import { callAll, type Outcomes, routes } from "./sevenRoutes.ts"

/*
 * Every client × route × rail. The table of `docs/clients.md` is what they did here; `vitest run --update=all`
 * writes it.
 */

const allPaid = Object.fromEntries(routes.map((route) => [route, "paid"]))

const betweenMarkers = /(?<=<!-- table: clients -->\n)[^]*?(?=<!-- end -->)/
const page = fileURLToPath(new URL("../../docs/clients.md", import.meta.url))
const rows: Array<string> = []
const rowOf = (name: string, rail: string, outcomes: Outcomes): string =>
  `| \`${name}\` ${versionOf(name)} | ${rail} | ${routes.map((route) => outcomes[route]).join(" | ")} |`

let sandbox: Both
beforeAll(async () => {
  sandbox = await openSandbox(clients.length)
})
afterAll(() => sandbox.stop())

for (const rail of rails)
  describe(`on ${rail}`, () => {
    for (const [wallet, { name, on }] of clients.entries()) {
      const open = on[rail]
      if (open === undefined) continue
      it(`${name} pays all seven routes`, async () => {
        const outcomes = await callAll(await open(sandbox, wallet), sandbox)
        expect(outcomes).toEqual(allPaid)
        const charges = await sandbox.till.charges.list({ limit: 100, payer: payerOf(sandbox, rail, wallet) })
        expect(charges.filter(({ state }) => state === "settled")).toHaveLength(routes.length)
        rows.push(rowOf(name, rail, outcomes))
      })
    }
  })

it("the money on both chains is that of the ledger", async () => {
  expect(await sandbox.till.ledger.check({ chain: true })).toMatchObject({ isBalanced: true, faults: [] })
})

it("docs/clients.md has this table", async () => {
  const head = [`| client | rail | ${routes.join(" | ")} |`, `|---|---|${routes.map(() => "---|").join("")}`]
  const table = [...head, ...rows].join("\n")
  const written = readFileSync(page, "utf8").replace(betweenMarkers, `\n${table}\n\n`)
  await expect(written).toMatchFileSnapshot(page)
})
