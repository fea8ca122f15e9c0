import { memory, Till, type TillEvent, type TillOptions } from "@till402/core"
import { till402 } from "@till402/hono"
import { Hono } from "hono"
import { baseUrl, payTo, vaultItems } from "./Calls.ts"
import { type Goods, openGoods } from "./Goods.ts"
import type { Server } from "./Visitor.ts"

export interface Ours extends Server {
  readonly till: Till
  readonly events: ReadonlyArray<TillEvent>
}

/** Options of a till over goods, apart from those a test sets. */
export const optionsOver = (goods: Goods, facilitator: TillOptions["facilitator"]): TillOptions => ({
  baseUrl,
  payTo,
  networks: ["base-sepolia"],
  facilitator,
  trustFacilitator: true,
  secret: "a text that nobody can guess, of 32 characters or more",
  storage: memory(),
  marketplaces: { marketplace_a: goods.marketplace },
  assistant: goods.assistant,
  fulfilment: goods.fulfilment,
  tracker: goods.tracker,
  vault: goods.files,
  mailer: goods.mailer
})

/** A till in Hono with its own goods. The caller disposes of it. */
export const keepOurs = async (
  facilitator: TillOptions["facilitator"],
  options: Partial<TillOptions> = {},
  goods: Goods = openGoods()
): Promise<Ours> => {
  const events: Array<TillEvent> = []
  const till = Till.make({
    ...optionsOver(goods, facilitator),
    onEvent: (event) => {
      events.push(event)
    },
    ...options
  })
  await till.ready
  for (const item of vaultItems) await till.vault.put(item)
  const app = new Hono().use(till402(till))
  return { till, goods, events, fetch: async (request) => app.fetch(request) }
}
