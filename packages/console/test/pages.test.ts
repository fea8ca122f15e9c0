import { describe, expect, it } from "vitest"
import { charge, hostile, key, openConsole, order, pages } from "./openConsole.ts"

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

  it.each(["/ops/orders/none", "/ops/charges/none", "/ops/call/none", "/ops/orders/none/more"])(
    "%s, which isn't stored, is a page that leads on",
    async (path) => {
      const { get } = openConsole()
      const response = await get(path)
      expect(response.status).toBe(404)
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
      const text = await response.text()
      expect(text).toContain("<h1>Not found</h1>")
      expect(text).toContain('href="/ops/search"')
    }
  )

  it("tells yesterday's revenue, and counts in words", async () => {
    const { textOf, till } = openConsole({ now: () => new Date("2026-11-29T10:00:00Z") })
    const sum = { operation: "search", network: charge.network, asset: "0x036c", kind: "settled" } as const
    const sums = [
      { ...sum, day: "2026-11-29", count: 1, amountAtomic: 10_000n },
      { ...sum, day: "2026-11-28", count: 12_040, amountAtomic: 2_202_770_000n },
      { ...sum, day: "2026-11-28", kind: "reversed", count: 1, amountAtomic: 770_000n }
    ]
    Object.assign(till.ledger, { totals: async () => sums })
    const text = await textOf("/ops/today")
    expect(text).toContain("1 payment. Yesterday: $2,202.00")
    expect(text).toContain("Most on 2026-11-28: $2,202.00")
    expect(text).toContain('<td class="number">12,040</td>')
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

  it.each([
    [
      ["awaiting_payment", "processing", "placing"],
      [
        "Awaiting payment 11:00:00",
        "Processing 11:00:01",
        "*Placing 11:00:02",
        "Placed",
        "Shipped",
        "Delivered"
      ]
    ],
    // The upstream skipped a status.
    [
      ["awaiting_payment", "processing", "placing", "placed", "delivered"],
      [
        "Awaiting payment 11:00:00",
        "Processing 11:00:01",
        "Placing 11:00:02",
        "Placed 11:00:03",
        "*Delivered 11:00:04"
      ]
    ],
    [
      ["awaiting_payment", "placing", "needs_operator", "processing"],
      [
        "Awaiting payment 11:00:00",
        "Placing 11:00:01",
        "Needs operator 11:00:02",
        "*Processing 11:00:03",
        "Placing",
        "Placed",
        "Shipped",
        "Delivered"
      ]
    ],
    [
      ["awaiting_payment", "processing", "cancelled", "refund_due"],
      ["Awaiting payment 11:00:00", "Processing 11:00:01", "Cancelled 11:00:02", "*Refund due 11:00:03"]
    ],
    [
      ["awaiting_payment", "abandoned"],
      ["Awaiting payment 11:00:00", "*Abandoned 11:00:01"]
    ]
  ] as const)(
    "show when an order came into each status, and what is before it: %j",
    async (statuses, way) => {
      const { textOf, till } = openConsole()
      const startMillis = Date.UTC(2026, 10, 29, 11)
      const timeline = statuses.map((status, index) => ({ status, atMillis: startMillis + index * 1_000 }))
      const { atMillis: updatedAtMillis, status } = timeline.at(-1)!
      Object.assign(till.orders, { find: async () => ({ ...order, status, updatedAtMillis, timeline }) })
      const list = /<ol class="way"[^]*?<\/ol>/.exec(await textOf(`/ops/orders/${order.id}`))![0]
      const shown = Array.from(list.matchAll(/<li([^>]*)>([^]*?)<\/li>/g), ([, attributes, step]) => {
        const text = step!.replaceAll(/<span>[^<]*<\/span>|<[^>]*>/g, "").trim()
        return `${attributes!.includes("aria-current") ? "*" : ""}${text.replaceAll(/\s+/g, " ")}`
      })
      expect(shown).toEqual(way)
    }
  )

  it.each([
    [
      "placement_unknown",
      undefined,
      ["Place again", "Resolve", "Cancel and refund"],
      "Look for it at the marketplace"
    ],
    ["status_unknown", "up-1", ["Resolve", "Mark as delivered", "Cancel and refund"], "If it has arrived"]
  ])(
    "say what to do about an order that needs an operator, and offer that: %s",
    async (reason, upstreamReference, titles, advice) => {
      const { textOf, till } = openConsole()
      Object.assign(till.orders, { find: async () => ({ ...order, reason, upstreamReference }) })
      const text = await textOf(`/ops/orders/${order.id}`)
      const offered = Array.from(text.matchAll(/class="button"[^>]*>([^<]*)</g), ([, title]) => title!.trim())
      expect(offered).toEqual(titles)
      expect(text).toContain(advice)
    }
  )

  it("tell that the buyer of a cancelled order had a response, and of an abandoned one had none", async () => {
    const { textOf, till } = openConsole()
    Object.assign(till.charges, { find: async () => ({ ...charge, refund: "due" }) })
    const shown = async (status: string) => {
      Object.assign(till.orders, { find: async () => ({ ...order, status }) })
      return textOf(`/ops/orders/${order.id}`)
    }
    expect(await shown("cancelled")).toContain(
      "The caller got the response. The refund of this payment is due."
    )
    expect(await shown("abandoned")).not.toContain("The caller got the response.")
  })

  it("explain a settlement of which nothing is known yet", async () => {
    const { textOf, till } = openConsole()
    const stuck = { ...charge, state: "ready", transaction: undefined, settledAt: undefined } as const
    const path = `/ops/charges/${encodeURIComponent(key)}`
    Object.assign(till.charges, { find: async () => ({ ...stuck, attempts: 0 }) })
    expect(await textOf(path)).toContain("Not settled yet.")
    Object.assign(till.charges, { find: async () => ({ ...stuck, attempts: 3 }) })
    const text = await textOf(path)
    expect(text).not.toContain("Not settled yet.")
    expect(text).toContain("It isn&#39;t known yet whether the money moved.")
    expect(text).toContain("3 attempts have failed.")
  })

  it("limit the ledger to a day that exists, and name no other", async () => {
    const { calls, textOf } = openConsole()
    const day = new Date("2026-02-28")
    expect(await textOf("/ops/ledger?day=2026-02-28")).toContain('value="2026-02-28"')
    expect(calls).toContainEqual([
      "ledger.list",
      { limit: 50, from: day, to: new Date(day.getTime() + 86_400_000) }
    ])
    for (const wrong of ["2026-02-31", "2026-13-45", "x"]) {
      expect(await textOf(`/ops/ledger?day=${wrong}`), wrong).not.toContain(`value="${wrong}"`)
      expect(calls.at(-1), wrong).toEqual(["ledger.list", { limit: 50 }])
    }
    calls.length = 0
    expect(await textOf("/ops/search?q=2026-02-31")).not.toContain("Read as a day")
    expect(calls).toEqual([])
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
    expect(text).toContain("It holds $12.50.")
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
