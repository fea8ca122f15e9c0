import { fakeFacilitator } from "@till402/testing"
import { expect } from "vitest"
import { address, buyOf, requestOf } from "../src/Calls.ts"
import { attack } from "../src/attack.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { clientHeader, limitedQuotes } from "../src/QuoteLimit.ts"
import type { Server } from "../src/Visitor.ts"

/*
 * Quotes cost an upstream call and are unpaid, so they have a budget that no single client may use up.
 */

let streets = 0
/** Requests the quote of a new order; returns the status. */
const quote = async ({ fetch }: Server, client: string): Promise<number> => {
  const call = buyOf("B000000001", { ...address, line1: `${++streets} Analytical Way` })
  return (await fetch(requestOf(call, { [clientHeader]: client }))).status
}

/** More than the budget of all callers, which is 600. */
const inAll = 800
/** Each client requests more than its share, all clients in turn. */
const useUp = async (server: Server, clients: ReadonlyArray<string>): Promise<void> => {
  for (let time = 0; time < inAll / clients.length; time++)
    await Promise.all(clients.map((client) => quote(server, client)))
}

const numbered = (count: number, name: (number: number) => string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => name(index + 1))

const attackers = {
  ten: numbered(10, (number) => `198.51.100.${number}`),
  forty: numbered(40, (number) => `203.0.${number}.7`),
  /** Of the 65,536 subnets that a provider gives one customer. */
  subnets: numbered(40, (number) => `2001:db8:7:${number.toString(16)}:0:0:0:1`)
}
const buyers = ["192.0.2.77", "2001:db8:4d:1:0:0:0:1", "192.0.2.78"]

const openNaive = (): Server => limitedQuotes(openOfficial(fakeFacilitator()))
const openTill = () =>
  openOurs(fakeFacilitator(), { clientAddress: ({ headers }) => headers.get(clientHeader) ?? undefined })

const landsFrom = async (clients: ReadonlyArray<string>): Promise<void> => {
  const server = openNaive()
  await useUp(server, clients)
  for (const buyer of buyers) expect(await quote(server, buyer)).toBe(429)
}

const failsFrom = async (clients: ReadonlyArray<string>): Promise<number> => {
  const server = await openTill()
  await useUp(server, clients)
  const quoted = server.goods.fulfilment.quote.calls.length
  for (const buyer of buyers) expect(await quote(server, buyer), buyer).toBe(402)
  // Upstream calls are still bounded.
  expect(quoted).toBeLessThan(600)
  return quoted
}

attack("the budget of quotes used up from ten addresses", {
  on: `${official}, behind a budget of quotes`,
  lands: () => landsFrom(attackers.ten),
  fails: async () => void (await failsFrom(attackers.ten))
})

attack("the budget of quotes used up from forty addresses", {
  on: `${official}, behind a budget of quotes`,
  lands: () => landsFrom(attackers.forty),
  fails: async () => void (await failsFrom(attackers.forty))
})

attack("the budget of quotes used up from many /64 of one /48", {
  on: `${official}, behind a budget of quotes`,
  lands: () => landsFrom(attackers.subnets),
  fails: async () => {
    // As many as four clients of 60 each, however many subnets the site has.
    expect(await failsFrom(attackers.subnets)).toBe(240)
  }
})
