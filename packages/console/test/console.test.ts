import type { PaymentEvent } from "@till402/core"
import { describe, expect, it, onTestFinished, vi } from "vitest"
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

  it("refuses options that it doesn't have, and a path of the till", () => {
    const handles = (path: string) => path === "/x402" || path.startsWith("/x402/") || path === "/orders"
    const till = { ...fakeTill().till, handles }
    const make = (options: object) => () => tillConsole({ till, authorize: () => "admin", ...options })
    expect(make({ onActoin: () => undefined })).toThrow("no option onActoin: did you mean onAction?")
    expect(make({ authorise: () => "read" })).toThrow("no option authorise: did you mean authorize?")
    expect(make({ zebra: 1 })).toThrow("no option zebra; it has till, authorize, path")
    expect(make({ onAction: true })).toThrow("onAction must be a function")
    expect(() => tillConsole(undefined as never)).toThrow("authorize")
    for (const path of ["/x402", "/x402/ops", "/"])
      expect(make({ path }), path).toThrow(`path can't be ${path}:`)
    expect(make({ path: "/operators" })).not.toThrow()
    expect(make({ path: "/x402-operators" })).not.toThrow()
    expect(make({})).not.toThrow()
  })

  it.each([
    [true, "a boolean"],
    ["Admin", '"Admin"'],
    ["ada@example.com", "another text"],
    ["ada", "another text"],
    [{ role: "raed", name: "ada" }, 'an object whose role is "raed"'],
    [{ role: "ada" }, "an object whose role is another text"],
    [{ name: "ada" }, "an object without a role"]
  ])("is told once what authorize returned by mistake: %j", async (access, words) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { get } = openConsole({ authorize: () => access as never })
    expect([(await get("/ops")).status, (await get("/ops/orders")).status]).toEqual([403, 403])
    expect(printed.mock.calls).toHaveLength(1)
    const { message } = JSON.parse(printed.mock.calls[0]![0])
    expect(message).toContain(`returned ${words}, which gives no access: allowed are "admin", "read"`)
    expect(message).not.toContain("ada")
  })

  it.each([undefined, null, false])("is told nothing by a plain no: %j", async (access) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { get } = openConsole({ authorize: () => access as never })
    expect((await get("/ops")).status).toBe(403)
    expect(printed).not.toHaveBeenCalled()
  })

  it.each([undefined, "owner", {}, { role: "root" }, null, true])("nobody by %o", async (access) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
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

  it("take the time from one clock", async () => {
    const { logged, post, session, textOf } = openConsole({ now: () => new Date("2031-02-03T04:05:06Z") })
    expect(await textOf("/ops/ledger?check=ledger")).toContain("04:05:06")
    const { headers, token } = await session()
    await post({ token, action: "orders.cancel", subject: order.id }, headers)
    expect(logged).toMatchObject([{ at: new Date("2031-02-03T04:05:06Z") }])
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

  it("check the ledger and the chain once for many visitors, one at a time, and say when", async () => {
    let nowMillis = Date.UTC(2026, 10, 29, 12)
    const { calls, textOf } = openConsole({ authorize: () => "read", now: () => new Date(nowMillis) })
    const checks = () => calls.filter(([name]) => name === "ledger.check").map(([, given]) => given)
    const ask = (kind: string) =>
      Promise.all(Array.from({ length: 20 }, () => textOf(`/ops/ledger?check=${kind}`)))
    for (const text of await ask("chain")) expect(text).toMatch(/12:00:00.* UTC, charges and ledger agreed/s)
    await ask("ledger")
    expect(checks()).toEqual([{ chain: true }, { chain: false }])
    nowMillis += 30_000
    await ask("chain")
    await ask("ledger")
    expect(checks()).toEqual([{ chain: true }, { chain: false }, { chain: false }])
    nowMillis += 31_000
    for (const text of await ask("chain")) expect(text).toContain("12:01:01")
    expect(checks()).toHaveLength(4)
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
    let opened = 0
    const { get, ops, publish } = openConsole({
      authorize: () => ({ role: "admin", name: `visitor ${opened++}` })
    })
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

  it("of one visitor are eight, however they come, and an admin's place is never taken by readers", async () => {
    let readers = 0
    const staff = (request: Request) => {
      const name = request.headers.get("x-staff")
      if (name === "boss") return "admin"
      return name === null ? "read" : { role: "read" as const, name }
    }
    const { get, ops } = openConsole({ authorize: staff })
    onTestFinished(ops.dispose)
    const open = async (headers: Record<string, string>) => (await get("/ops/call/events", headers)).status
    const tokenCookie = () => ({ cookie: `till402-console=${String(readers++).padStart(64, "0")}` })
    const eight = Array.from({ length: 8 }, () => 200)
    const ten = Array.from({ length: 10 })
    // The name counts, whatever cookies come with it.
    expect(await Promise.all(ten.map(() => open({ "x-staff": "eve", ...tokenCookie() })))).toEqual([
      ...eight,
      503,
      503
    ])
    // Without names, browsers are told apart by their cookies; those that send none count as one.
    expect(await Promise.all(ten.map(() => open({})))).toEqual([...eight, 503, 503])
    for (let index = 0; index < 24; index++) expect(await open(tokenCookie())).toBe(200)
    expect(await open(tokenCookie())).toBe(503)
    expect(await open({ "x-staff": "boss" })).toBe(200)
  })

  it("opens nothing for another site, which would take the places", async () => {
    const { get, ops } = openConsole()
    onTestFinished(ops.dispose)
    for (let index = 0; index < 10; index++)
      expect((await get("/ops/call/events", { "sec-fetch-site": "cross-site" })).status).toBe(403)
    expect((await get("/ops/call/events", { "sec-fetch-site": "same-origin" })).status).toBe(200)
  })

  it("opens nothing for HEAD, nor does the export", async () => {
    const { calls, ops } = openConsole()
    onTestFinished(ops.dispose)
    const ask = (path: string, method: string) => ops.fetch(new Request(`${origin}${path}`, { method }))
    for (let index = 0; index < 60; index++) expect((await ask("/ops/call/events", "HEAD")).status).toBe(200)
    expect((await ask("/ops/call/events", "GET")).status).toBe(200)
    const head = await ask("/ops/ledger/export.csv", "HEAD")
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"])
    expect(calls.filter(([name]) => name === "ledger.export")).toEqual([])
    expect(await (await ask("/ops/ledger/export.csv", "GET")).text()).toBe("day\n")
    expect(calls.filter(([name]) => name === "ledger.export")).toHaveLength(1)
  })

  it("ends after five minutes, so that authorize decides again, and the next one has what was missed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    let access: "read" | undefined = "read"
    const { get, ops, publish } = openConsole({ authorize: () => access })
    onTestFinished(ops.dispose)
    // Polls without the timers that this test moves.
    const shown = async (id: string): Promise<void> => {
      for (let turns = 0; turns < 1_000 && (await get(`/ops/call/${id}`)).status !== 200; turns++);
    }
    const first = await get("/ops/call/events")
    publish(paid("payment_required", { chargeKey: undefined }))
    await shown("call-1")
    vi.advanceTimersByTime(5 * 60_000)
    const seen = await first.text()
    expect(seen).toContain("id: 1\nevent: call")
    publish(paid("payment_required", { chargeKey: undefined }))
    await shown("call-2")
    const again = await get("/ops/call/events", { "last-event-id": "1" })
    access = undefined
    vi.advanceTimersByTime(5 * 60_000)
    const missed = await again.text()
    expect(missed).toContain("id: 2\nevent: call")
    expect(missed).not.toContain("id: 1\n")
    expect((await get("/ops/call/events", { "last-event-id": "2" })).status).toBe(403)
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
