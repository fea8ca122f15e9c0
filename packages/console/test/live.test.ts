import type { PaymentEvent } from "@till402/core"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { charge, hostile, key, openConsole, origin } from "./openConsole.ts"

const paid = (code: PaymentEvent["code"], more: Partial<PaymentEvent> = {}): PaymentEvent => ({
  code,
  at: new Date(),
  operation: "search",
  chargeKey: key,
  amountAtomic: 10_000n,
  ...more
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

  it("says what the charge says, where another process has settled what this one doesn't know", async () => {
    const { publish, textOf, till } = openConsole()
    publish(paid("payment_failed", { reason: "unknown" }))
    const pages = ["/ops/call/call-1", `/ops/charges/${encodeURIComponent(key)}`]
    await expect.poll(() => textOf("/ops")).toContain("Unknown")
    // Its work is done: it counts as unknown until it is known, and never as failed work.
    const counts = async () =>
      Array.from(
        (await textOf("/ops")).matchAll(/data-count="(failed|unknown|requests)">(\d+)</g),
        ([, ...of]) => of
      )
    expect(await counts()).toEqual([
      ["requests", "1"],
      ["failed", "0"],
      ["unknown", "1"]
    ])
    for (const path of pages) expect(await textOf(path), path).toMatch(/class="badge good">\s*Paid/)
    Object.assign(till.charges, { find: async () => ({ ...charge, state: "ready", transaction: undefined }) })
    for (const path of pages) expect(await textOf(path), path).toMatch(/class="badge warn">\s*Unknown/)
    publish(paid("payment_settled", { transaction: charge.transaction }))
    await expect.poll(counts).toEqual([
      ["requests", "1"],
      ["failed", "0"],
      ["unknown", "0"]
    ])
  })

  it("tells a refunded order, whose caller got a response, from a refunded call", async () => {
    const { publish, textOf, till } = openConsole()
    Object.assign(till.charges, { find: async () => ({ ...charge, refund: "sent" }) })
    const story = () => textOf(`/ops/charges/${encodeURIComponent(key)}`)
    expect(await story()).toMatch(/Response <span class="state">refunded<\/span>/)
    publish(paid("payment_settled", { transaction: charge.transaction }))
    publish(paid("payment_paid"))
    publish(paid("payment_refunded"))
    await expect.poll(() => textOf("/ops")).toContain("Refunded")
    for (const text of [await story(), await textOf("/ops/call/call-1")]) {
      expect(text).toMatch(/Response <span class="state">done<\/span>/)
      expect(text).toContain("The caller got the response. The payment was refunded.")
    }
    expect(await textOf("/ops")).toContain('aria-label="6 of 6 steps"')
  })

  it("links a call to its charge only if one is stored", async () => {
    const { publish, textOf, till } = openConsole()
    publish(paid("payment_refused", { reason: "insufficient_balance" }))
    await expect.poll(() => textOf("/ops")).toContain("Refused")
    expect(await textOf("/ops/call/call-1")).toContain('href="/ops/charges/')
    Object.assign(till.charges, { find: async () => undefined })
    expect(await textOf("/ops/call/call-1")).not.toContain('href="/ops/charges/')
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
    // Only cookies distinguish browsers without a name; those that send none count as one.
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
