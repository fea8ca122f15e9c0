import { expect, vi } from "vitest"
import type { TillOptions } from "../../../src/till/settings/TillOptions.ts"
import type { FulfilmentOptions } from "../../../src/shop/ports/FulfilmentOptions.ts"
import { fakeFulfilment } from "../../../../testing/src/index.ts"
import { buy, jsonOf, openTill } from "../../toll/openTill.ts"

/** An upstream that can be scripted; what it leaves out of a fulfilment is left out of it. */
export const openShop = async (
  fulfilment: Partial<FulfilmentOptions> = {},
  options: Partial<TillOptions> = {}
) => {
  const upstream = fakeFulfilment()
  const { placesOnce: _, ...plain } = upstream
  const shop = await openTill({ fulfilment: { ...plain, ...fulfilment }, ...options })
  const orderOf = async (): Promise<{ readonly id: string; readonly response: Record<string, unknown> }> => {
    const received = await shop.presentAgain(buy, await shop.payFor(buy))
    expect(received.status, received.text).toBe(200)
    const response = jsonOf(received)
    return { id: String(response["orderId"]), response }
  }
  const until = (id: string, status: string) =>
    vi.waitFor(async () => {
      const order = await shop.till.orders.find(id)
      expect([order?.status, order?.mails]).toEqual([status, []])
      return order!
    })
  return { ...shop, upstream, orderOf, until }
}

export const mailsOf = ({ mailer }: Awaited<ReturnType<typeof openShop>>) =>
  mailer.send.calls.map(([mail]) => mail.idempotencyKey)
