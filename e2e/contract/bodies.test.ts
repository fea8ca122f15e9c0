import { describe, expect, it } from "vitest"
import { buyBody, calls } from "./calls.ts"
import { expectRefusal } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { type Call, openShop, type Shop } from "./till.ts"

/*
 * Rules for the body of every POST. `shop` has a fixed price, so its body isn't read without payment. `buy` and
 * `vault/buy` are priced by their body, so a wrong one is refused with or without payment.
 */

const posts = ["shop", "buy", "vaultBuy"] as const
const priced = ["buy", "vaultBuy"] as const

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)
const padded = (length: number) => JSON.stringify({ message: "m".repeat(length) })
const endless = (length: number) => {
  const chunk = new TextEncoder().encode("m".repeat(8192))
  let sent = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= length) return controller.close()
      sent += chunk.length
      controller.enqueue(chunk)
    }
  })
}

const wrong: ReadonlyArray<readonly [string, () => Partial<Call>, number, string]> = [
  ["JSON cut short", () => ({ body: '{"message":' }), 400, "MALFORMED_JSON"],
  ["JSON with a trailing comma", () => ({ body: '{"message":"a",}' }), 400, "MALFORMED_JSON"],
  ["no JSON", () => ({ body: "message=a" }), 400, "MALFORMED_JSON"],
  ["bytes that are no UTF-8", () => ({ body: bytes(0x22, 0xff, 0xfe, 0x22) }), 400, "MALFORMED_JSON"],
  ["text/plain", () => ({ headers: { "content-type": "text/plain" } }), 415, "UNSUPPORTED_MEDIA_TYPE"],
  [
    "a form",
    () => ({ body: "message=a", headers: { "content-type": "application/x-www-form-urlencoded" } }),
    415,
    "UNSUPPORTED_MEDIA_TYPE"
  ],
  ["more than 64 KiB", () => ({ body: padded(64 * 1024) }), 413, "BODY_TOO_LARGE"],
  ["a stream of 1 MiB without length", () => ({ body: endless(1024 * 1024) }), 413, "BODY_TOO_LARGE"]
]

const change = (operation: (typeof posts)[number], changes: Partial<Call>): Call => ({
  ...calls[operation],
  ...changes
})
const paidFor = async (shop: Shop, operation: (typeof posts)[number], changes: Partial<Call>) =>
  (await pay(shop, change(operation, changes), { priced: calls[operation] })).response

describe.each(wrong)("a body that is %s", (_, changes, status, code) => {
  it.each(posts)(`%s, paid: ${status} ${code}, nothing charged`, async (operation) => {
    const shop = await openShop()
    await expectRefusal(shop, await paidFor(shop, operation, changes()), status, code)
  })
  it.each(priced)(`%s, unpaid: ${status} ${code}`, async (operation) => {
    const shop = await openShop()
    await expectRefusal(shop, await shop.send(change(operation, changes())), status, code)
  })
  it("shop, unpaid: 402, a fixed price needs no input", async () => {
    const shop = await openShop()
    const { body } = await readChallenge(await shop.send(change("shop", changes())))
    expect(body.accepts[0]?.maxAmountRequired).toBe("100000")
  })
})

describe("a valid body", () => {
  it.each(["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])(
    "as %s: 200",
    async (type) => {
      const shop = await openShop()
      const { response } = await pay(shop, { ...calls.shop, headers: { "content-type": type } })
      expect(response.status).toBe(200)
    }
  )

  it("of exactly 64 KiB is accepted", async () => {
    const shop = await openShop()
    const body = JSON.stringify(buyBody).padEnd(64 * 1024, " ")
    expect((await shop.send({ ...calls.buy, body })).status).toBe(402)
  })

  it("in chunks is reassembled", async () => {
    const shop = await openShop()
    const stream = () => {
      const [first, ...rest] = JSON.stringify({ message: "une lampe d'été" })
      const encoder = new TextEncoder()
      const whole = encoder.encode([first, ...rest].join(""))
      return new ReadableStream<Uint8Array>({
        start(controller) {
          for (const byte of whole) controller.enqueue(bytes(byte))
          controller.close()
        }
      })
    }
    const { response } = await pay(shop, { ...calls.shop, body: stream() }, { priced: calls.shop })
    expect(response.status).toBe(200)
    expect(shop.calls.reply).toEqual([{ message: "une lampe d'été" }])
  })
})

describe("a body with names of object internals", () => {
  it("__proto__ and constructor are ordinary fields", async () => {
    const shop = await openShop()
    const body = '{"message":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    const { response } = await pay(shop, { ...calls.shop, body })
    expect(response.status).toBe(200)
    expect("polluted" in {}).toBe(false)
  })
})
