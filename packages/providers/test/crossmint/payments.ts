import { setupServer } from "msw/node"
import { crossmintPayee, usdc } from "../treasury/fakeNode.ts"
import { startShop } from "./shop.ts"

export const server = setupServer()

export const amount = 97_350_000n
export const start = (change: Parameters<typeof startShop>[1] = {}) => {
  const started = startShop(server, change)
  const { node, upstream } = started
  return {
    ...started,
    paid: () => node.balance(usdc, crossmintPayee),
    first: () => [...upstream.orders.values()][0]!
  }
}
