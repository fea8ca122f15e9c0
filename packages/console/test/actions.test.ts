import { outcomeText } from "../src/Actions.ts"
import { describe, expect, it } from "vitest"
import { tillConsole } from "../src/index.ts"
import { charge, fakeTill, key, openConsole, order, origin } from "./openConsole.ts"

describe("actions", () => {
  const fields = { action: "orders.cancel", subject: order.id, reason: "customer asked" }

  it("are asked about, done, and logged with who, what and when", async () => {
    const { calls, logged, post, session, textOf } = openConsole()
    const { headers, token } = await session()
    const response = await post({ ...fields, token }, headers)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain("Done.")
    expect(calls).toContainEqual(["orders.cancel", order.id, "customer asked"])
    expect(logged).toEqual([
      {
        at: expect.any(Date),
        who: "ada",
        action: "orders.cancel",
        subject: order.id,
        given: { reason: "customer asked" },
        outcome: "done"
      }
    ])
    expect(await textOf("/ops/actions")).toContain("customer asked")
  })

  it("show what they are about, with the money that may move", async () => {
    const { textOf } = openConsole()
    const asked = (action: string, subject: string) =>
      textOf(`/ops/act?action=${action}&subject=${encodeURIComponent(subject)}`)
    const cancel = await asked("orders.cancel", order.id)
    expect(cancel).toContain("$5.00")
    expect(cancel).toContain(`$0.01 on Base Sepolia, by ${charge.payer}`)
    expect(await asked("charges.recordRefund", key)).toContain("$0.01 on Base Sepolia")
    expect(await asked("orders.cancel", "none")).not.toContain("<dt>")
  })

  it("that change nothing say so, and are logged too", async () => {
    const { logged, post, session } = openConsole()
    const { headers, token } = await session()
    const response = await post({ token, action: "orders.retry", subject: order.id }, headers)
    const text = await response.text()
    expect(text).toContain("Nothing was changed")
    expect(text).not.toContain("a payment")
    const missing = await post(
      { token, action: "orders.resolve", subject: order.id, reference: " " },
      headers
    )
    expect(await missing.text()).toContain("Nothing was changed")
    expect(logged).toMatchObject([{ outcome: "conflict" }, { outcome: "invalid" }])
  })

  it.each(["orders.markRefunded", "charges.recordRefund"])(
    "%s that conflicts may name a payment",
    (action) => {
      expect(outcomeText("conflict", action)).toContain("the transaction is a payment's")
    }
  )

  it("that another site forges are refused, whichever sign of it is there", async () => {
    const { calls, logged, post, session } = openConsole()
    const { headers, token } = await session()
    const forgeries: ReadonlyArray<readonly [Record<string, string>, Record<string, string>]> = [
      [
        { ...fields, token },
        { ...headers, "sec-fetch-site": "cross-site" }
      ],
      [
        { ...fields, token },
        { ...headers, "sec-fetch-site": "same-site" }
      ],
      [
        { ...fields, token },
        { ...headers, origin: "https://evil.example" }
      ],
      [
        { ...fields, token },
        { ...headers, origin: "null" }
      ],
      [{ ...fields, token }, { cookie: headers.cookie }],
      [fields, headers],
      [{ ...fields, token: "0".repeat(64) }, headers],
      [
        { ...fields, token },
        { origin, "sec-fetch-site": "same-origin" }
      ],
      [
        { ...fields, token: "" },
        { ...headers, cookie: "till402-console=" }
      ]
    ]
    for (const [given, sent] of forgeries)
      expect((await post(given, sent)).status, JSON.stringify(sent)).toBe(403)
    expect(calls.filter(([name]) => name.startsWith("orders."))).toEqual([])
    expect(logged).toEqual([])
    // A browser that sends no Sec-Fetch-Site, as over plain HTTP, is served by its Origin.
    expect((await post({ ...fields, token }, { cookie: headers.cookie, origin })).status).toBe(200)
  })

  it("never happen by a link", async () => {
    const { calls, get } = openConsole()
    await get(`/ops/act?action=refunds.stop&reason=x`)
    expect(calls).toEqual([])
  })

  it("lead back into the console alone", async () => {
    const { textOf } = openConsole()
    const strange = [
      "https://evil.example",
      "//evil.example",
      "/\t/evil.example",
      "\t//evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/.//evil.example",
      "/ops/..//evil.example",
      "/ops/../elsewhere",
      "http://console.invalid//evil.example",
      "http://[evil",
      "/elsewhere",
      "javascript:alert(1)"
    ]
    for (const back of strange)
      expect(await textOf(`/ops/act?action=reconcile&back=${encodeURIComponent(back)}`)).toContain(
        'href="/ops/"'
      )
    const { till } = fakeTill()
    const root = tillConsole({ till, path: "/", authorize: () => "admin" })
    const leads = async (back: string): Promise<ReadonlyArray<string>> => {
      const query = `action=reconcile&back=${encodeURIComponent(back)}`
      const page = await root.fetch(new Request(`${origin}/act?${query}`))
      return [...(await page.text()).matchAll(/href="([^"]*)"/g)].map(([, address]) =>
        String(new URL(address!, origin))
      )
    }
    // As a browser reads it: a host that is written in a path stays a part of it.
    for (const back of [...strange, "/%09/evil.example", "/%5C/evil.example"])
      for (const address of await leads(back)) expect(new URL(address).origin, back).toBe(origin)
    expect(await leads("/orders/x?state=placed")).toContain(`${origin}/orders/x?state=placed`)
    expect(await textOf("/ops/act?action=reconcile&back=%2Fops%2Forders%2Fx%3Fa%3D1")).toContain(
      'href="/ops/orders/x?a=1"'
    )
  })

  it("with a form that is too long, or without its length, are refused", async () => {
    const { calls, post, session } = openConsole()
    const { headers, token } = await session()
    expect((await post({ ...fields, token, reason: "x".repeat(9_000) }, headers)).status).toBe(413)
    expect((await post({ ...fields, token }, { ...headers, "content-length": "many" })).status).toBe(413)
    expect(calls.filter(([name]) => name === "orders.cancel")).toEqual([])
  })
})

describe("buttons of a demonstration", () => {
  const tried: Array<string> = []
  const tryOuts = [{ title: "Pay", run: async () => void tried.push("paid") }]

  it("make their call for an admin, from the console's own page, and nothing else does", async () => {
    const { get, ops, session, textOf } = openConsole({ tryOuts })
    expect(await textOf("/ops")).toContain("Pay</button>")
    expect(await textOf("/ops")).toContain("play money")
    expect(await openConsole().textOf("/ops")).not.toContain("play money")
    const { headers, token } = await session()
    const press = (path: string, body: string, more: Record<string, string>) =>
      ops.fetch(
        new Request(`${origin}${path}`, {
          method: "POST",
          body,
          headers: {
            host: "shop.example",
            "content-type": "application/x-www-form-urlencoded",
            "content-length": String(body.length),
            ...more
          }
        })
      )
    expect((await press("/ops/try/0", "", headers)).status).toBe(403)
    expect(
      (await press("/ops/try/0", `token=${token}`, { ...headers, origin: "https://evil.example" })).status
    ).toBe(403)
    expect((await press("/ops/try/1", `token=${token}`, headers)).status).toBe(404)
    expect((await get("/ops/try/0")).status).toBe(404)
    expect(tried).toEqual([])
    const pressed = await press("/ops/try/0", `token=${token}`, headers)
    expect([pressed.status, pressed.headers.get("location"), tried]).toEqual([303, "/ops/", ["paid"]])
    const reader = openConsole({ tryOuts, authorize: () => "read" })
    expect(await reader.textOf("/ops")).not.toContain("Pay</button>")
  })
})
