import type { PaymentEvent } from "@till402/core"
import { describe, expect, it } from "vitest"
import { tillConsole } from "../src/index.ts"
import { charge, fakeTill, hostile, key, openConsole, order, origin } from "./openConsole.ts"

const pages = [
  "/ops",
  "/ops/today",
  "/ops/charges",
  `/ops/charges/${encodeURIComponent(key)}`,
  "/ops/orders",
  `/ops/orders/${order.id}`,
  "/ops/purchases",
  "/ops/refunds",
  "/ops/ledger",
  "/ops/ledger?check=ledger",
  "/ops/health",
  "/ops/actions",
  `/ops/search?q=${encodeURIComponent(hostile)}`,
  `/ops/act?action=orders.cancel&subject=${encodeURIComponent(hostile)}&back=${encodeURIComponent(hostile)}`
]

const paid = (code: PaymentEvent["code"], more: Partial<PaymentEvent> = {}): PaymentEvent => ({
  code,
  at: new Date(),
  operation: "search",
  chargeKey: key,
  amountAtomic: 10_000n,
  ...more
})

describe("who sees the console", () => {
  it("is decided by authorize, for which there is no default", () => {
    const { till } = fakeTill()
    expect(() => tillConsole({ till } as never)).toThrow("authorize")
    expect(() => tillConsole({ authorize: () => "admin" } as never)).toThrow("till")
    expect(() => tillConsole({ till, authorize: () => "admin", path: "/ops/" })).toThrow("path")
  })

  it.each([undefined, "owner", {}, { role: "root" }, null, true])("nobody by %o", async (access) => {
    const { calls, get } = openConsole({ authorize: () => access as never })
    for (const path of [...pages, "/ops/call/events", "/ops/assets/console.css"])
      expect((await get(path)).status, path).toBe(403)
    expect(calls).toEqual([])
  })

  it("gets the host's own response, such as a redirect to its login", async () => {
    const { get } = openConsole({ authorize: () => Response.redirect(`${origin}/login`, 303) })
    const response = await get("/ops")
    expect([response.status, response.headers.get("location")]).toEqual([303, `${origin}/login`])
  })

  it("with read access sees every page but those of actions", async () => {
    const { get, post, calls, textOf } = openConsole({ authorize: () => "read" })
    for (const path of pages) expect((await get(path)).status, path).toBe(path.includes("/act?") ? 403 : 200)
    expect(await textOf(`/ops/orders/${order.id}`)).not.toContain("/ops/act?")
    const response = await post(
      { action: "orders.cancel", subject: order.id },
      { origin, "sec-fetch-site": "same-origin" }
    )
    expect(response.status).toBe(403)
    expect(calls.filter(([name]) => name === "orders.cancel")).toEqual([])
  })

  it("leaves other paths to the host", () => {
    const { ops } = openConsole()
    expect(["/ops", "/ops/", "/ops/charges/x", "/ops/search"].every(ops.handles)).toBe(true)
    expect(["/", "/opsx", "/ops/x402", "/x402/search"].some(ops.handles)).toBe(false)
    const { till } = fakeTill()
    const root = tillConsole({ till, authorize: () => "admin", path: "/" })
    expect(["/", "/today", "/charges/x"].every(root.handles)).toBe(true)
    expect(["/x402/search", "/favicon.ico", "/openapi.json"].some(root.handles)).toBe(false)
  })
})

describe("pages", () => {
  it.each(pages)("%s is escaped, framed nowhere, and loads nothing from elsewhere", async (path) => {
    const { get } = openConsole()
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(response.headers.get("content-security-policy")).not.toContain("unsafe")
    expect(response.headers.get("cache-control")).toBe("no-store")
    const text = await response.text()
    expect(text).not.toContain("<script>alert")
    expect(text).not.toContain("<img")
    // What a browser reads as tags, without the values of their attributes.
    const tags = text
      .replaceAll(/"[^"]*"/g, '""')
      .match(/<\w[^>]*>/g)!
      .join("")
    expect(tags).not.toMatch(/\s(?:on\w+|style)=/)
    for (const [, address] of text.matchAll(/(?:href|src|action)="([^"]*)"/g))
      expect(address, path).toMatch(/^(?:\/ops(?:\/|$)|#main)/)
    expect(text).toContain('<html lang="en">')
    expect(text.match(/<h1/g)).toHaveLength(1)
  })

  it("show a hostile title, email and query as text", async () => {
    const { textOf } = openConsole()
    const escaped = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
    for (const path of [
      `/ops/orders/${order.id}`,
      "/ops/health",
      `/ops/search?q=${encodeURIComponent(hostile)}`
    ])
      expect(await textOf(path), path).toContain(escaped)
  })

  it("tell a payment's life in six steps", async () => {
    const { textOf } = openConsole()
    const text = await textOf(`/ops/charges/${encodeURIComponent(key)}`)
    for (const step of ["Request", "402", "Verification", "Work", "Settlement", "Response"])
      expect(text).toContain(`<h3>${step} `)
    expect(text).toContain(charge.transaction)
    expect(text).toContain("$0.01")
    expect(text).toContain("Base Sepolia")
  })

  it("sum today's money from the ledger's totals", async () => {
    const { textOf } = openConsole()
    expect(await textOf("/ops/today")).toContain("<strong>$1.23</strong>")
  })

  it("show the till's own health, which many visitors share", async () => {
    const { calls, textOf } = openConsole()
    const text = await textOf("/ops/health")
    expect(text).toContain("Check rpcUrl")
    expect(text).toContain("It takes no calls.")
    expect(calls.filter(([name]) => name === "health" || name === "check")).toEqual([["health"]])
  })

  it("are not found where there is nothing", async () => {
    const { get } = openConsole()
    for (const path of [
      "/ops/charges/none",
      "/ops/orders/none",
      "/ops/call/none",
      "/ops/act?action=constructor"
    ])
      expect((await get(path)).status, path).toBe(404)
  })
})

describe("search", () => {
  it.each([
    [
      "0xB47C3fE471D6191393B26399000F1B92F8f358e7",
      ["charges.list", "orders.list", "vault.purchases"],
      "payer"
    ],
    [`0x${"ab".repeat(32)}`, ["charges.list", "orders.list", "vault.purchases"], "transaction"],
    ["ada@example.com", ["orders.list", "vault.purchases"], "email"],
    ["2026-11-29", ["ledger.list"], "from"],
    ["B000000001", ["orders.list", "vault.purchases", "charges.list"], "item"]
  ])("for %s is calls of the till", async (text, names, filter) => {
    const { calls, get } = openConsole()
    expect((await get(`/ops/search?q=${encodeURIComponent(text)}`)).status).toBe(200)
    expect(calls.map(([name]) => name).sort()).toEqual([...names].sort())
    expect(calls[0]![1]).toHaveProperty(filter)
  })
})

describe("the live page", () => {
  it("shows one row for a payment, however many steps it makes, and counts them", async () => {
    const { publish, textOf } = openConsole()
    publish(paid("payment_required", { chargeKey: undefined }))
    publish(paid("payment_settled", { transaction: charge.transaction }))
    publish(paid("payment_paid", { durationMillis: 42 }))
    publish(paid("payment_refused", { chargeKey: `${key}1`, reason: hostile }))
    await expect.poll(() => textOf("/ops")).toContain("42 ms")
    const text = await textOf("/ops")
    expect(text.match(/id="call-/g)).toHaveLength(3)
    expect(text).toContain('<strong data-count="settled">$0.01</strong>')
    expect(text).toContain('<strong data-count="refused">1</strong>')
    expect(text).not.toContain("<script>alert")
    const story = await textOf("/ops/call/call-2")
    expect(story).toContain("<h3>Settlement ")
    expect(story).toContain("payment_settled")
  })

  it("sends each call to the pages that are open, and keeps at most fifty of them", async () => {
    const { get, ops, publish } = openConsole()
    const streams = await Promise.all(Array.from({ length: 50 }, () => get("/ops/call/events")))
    expect((await get("/ops/call/events")).status).toBe(503)
    const reader = streams[0]!.body!.getReader()
    publish(paid("payment_paid", { reason: hostile }))
    let text = ""
    while (!text.includes("event: call")) text += new TextDecoder().decode((await reader.read()).value)
    const { counts, html } = JSON.parse(/data: (.*)\n/.exec(text.slice(text.indexOf("event: call")))![1]!)
    expect(html).toContain('<tr id="call-1">')
    expect(html).not.toContain("<script>")
    expect(counts.responses).toBe("1")
    // A page that is closed makes room for another one.
    await reader.cancel()
    expect((await get("/ops/call/events")).status).toBe(200)
    ops.dispose()
    const other = streams[1]!.body!.getReader()
    for (let read = await other.read(); !read.done; read = await other.read())
      expect(read.value.length).toBeGreaterThan(0)
  })

  it("keeps two hundred calls and no more", async () => {
    const { publish, get } = openConsole()
    for (let index = 0; index < 300; index++) publish(paid("payment_required", { chargeKey: undefined }))
    await expect.poll(async () => (await get("/ops/call/call-300")).status).toBe(200)
    expect((await get("/ops/call/call-100")).status).toBe(404)
    expect((await get("/ops/call/call-101")).status).toBe(200)
  })
})

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

  it("that change nothing say so, and are logged too", async () => {
    const { logged, post, session } = openConsole()
    const { headers, token } = await session()
    const response = await post({ token, action: "orders.retry", subject: order.id }, headers)
    expect(await response.text()).toContain("Nothing was changed")
    const missing = await post(
      { token, action: "orders.resolve", subject: order.id, reference: " " },
      headers
    )
    expect(await missing.text()).toContain("Nothing was changed")
    expect(logged).toMatchObject([{ outcome: "conflict" }, { outcome: "invalid" }])
  })

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
    for (const back of ["https://evil.example", "//evil.example", "/elsewhere", "javascript:alert(1)"])
      expect(await textOf(`/ops/act?action=reconcile&back=${encodeURIComponent(back)}`)).toContain(
        'href="/ops/"'
      )
    const { till } = fakeTill()
    const root = tillConsole({ till, path: "/", authorize: () => "admin" })
    const page = await root.fetch(new Request(`${origin}/act?action=reconcile&back=//evil.example`))
    expect(await page.text()).not.toContain("evil.example")
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
