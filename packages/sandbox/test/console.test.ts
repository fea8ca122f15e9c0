import { tillConsole } from "@till402/console"
import type { PaymentEvent, Till } from "@till402/core"
import { describe, expect, it, onTestFinished } from "vitest"
import { paymentLine } from "../src/cli/Announcement.ts"
import { adapterNames, openServer } from "../src/Server.ts"
import { paintFor } from "../src/Terminal.ts"
import { statusAt } from "./statusAt.ts"

const event = (code: PaymentEvent["code"], more: Partial<PaymentEvent> = {}): PaymentEvent => ({
  code,
  at: new Date("2026-11-29T10:00:00Z"),
  operation: "vaultDownload",
  ...more
})

/** A till without routes, whose payments a test publishes. */
const quietTill = () => {
  const waiting: Array<(event: PaymentEvent) => void> = []
  const till = {
    handles: () => false,
    charges: { list: async () => [] },
    payments: async function* () {
      for (;;) yield await new Promise<PaymentEvent>((resolve) => waiting.push(resolve))
    }
  }
  // The console calls no other member here.
  return { till: till as unknown as Till, publish: (made: PaymentEvent) => waiting.shift()!(made) }
}

describe.each(adapterNames)("the console mounted in %s", (adapter) => {
  it("has its pages at the root, sends calls as they happen, and leaves other paths alone", async () => {
    const server = await openServer(0)
    const { publish, till } = quietTill()
    const console = tillConsole({ till, path: "/", authorize: () => "admin" })
    onTestFinished(async () => {
      console.dispose()
      await server.stop()
    })
    server.mount(adapter, till, console)
    const page = await fetch(`${server.url}/`)
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"])
    expect(await page.text()).toContain("Calls as they happen")
    expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404)
    const stream = await fetch(`${server.url}/call/events`)
    expect(stream.headers.get("content-type")).toBe("text/event-stream")
    const reader = stream.body!.getReader()
    publish(event("payment_paid", { amountAtomic: 520_000n }))
    let text = ""
    while (!text.includes("$0.52")) text += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    // The browser's own word about its page is the server's address here.
    const shown = await fetch(`${server.url}/act?action=refunds.resume`)
    const cookie = shown.headers.get("set-cookie")!.split(";")[0]!
    const token = /name="token" value="(\w+)"/.exec(await shown.text())![1]!
    const forged = {
      "content-type": "application/x-www-form-urlencoded",
      cookie,
      origin: "https://evil.example"
    }
    const body = `token=${token}&action=refunds.resume`
    const refused = await fetch(`${server.url}/act`, { method: "POST", headers: forged, body })
    expect(refused.status).toBe(403)
    const own = await fetch(`${server.url}/act`, {
      method: "POST",
      headers: { ...forged, origin: server.url },
      body
    })
    expect(own.status).toBe(200)
  })
})

describe("the sandbox's server", () => {
  const open = async (named?: string): Promise<string> => {
    const server = await openServer(0, named)
    onTestFinished(server.stop)
    server.serve("/sandbox.json", '{"wallets":[]}')
    return server.url
  }

  it.each([
    "evil.example:4021",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example"
  ])("gives nothing to a website whose name resolves to it: %s", async (host) => {
    expect(await statusAt(`${await open()}/sandbox.json`, host)).toBe(421)
    expect(await statusAt(`${await open("shop.test")}/sandbox.json`, host)).toBe(421)
  })

  it.each([
    "localhost:4021",
    "LOCALHOST",
    "till.localhost:4021",
    "127.0.0.1:80",
    "[::1]:4021",
    "192.168.1.20:4021",
    "host.docker.internal:4021"
  ])("answers to %s", async (host) => expect(await statusAt(`${await open()}/sandbox.json`, host)).toBe(200))

  it("answers to a name that the user gives", async () => {
    const url = await open("Shop.test")
    expect([
      await statusAt(`${url}/sandbox.json`, "shop.test"),
      await statusAt(`${url}/sandbox.json`, "SHOP.test:8443")
    ]).toEqual([200, 200])
  })
})

describe("the line of a payment in the terminal", () => {
  const plain = paintFor({})
  const chargeKey = `eip155:84532:0x${"c".repeat(40)}:0x${"a".repeat(40)}:0x${"1".repeat(64)}`

  it.each([
    event("payment_required", { amountAtomic: 520_000n }),
    event("payment_settled", { chargeKey, amountAtomic: 99_890_000n, transaction: `0x${"b".repeat(64)}` }),
    event("payment_refused", {
      chargeKey,
      reason: "invalid_exact_evm_payload_authorization_valid_before_and_more"
    }),
    event("payment_replayed", { chargeKey, amountAtomic: 1n, durationMillis: 123_456 })
  ])("is one line of at most 80 columns, without the whole wallet: $code", (made) => {
    const line = paymentLine(made, plain)
    expect(line.length).toBeLessThanOrEqual(80)
    expect(line).not.toContain("\n")
    expect(line).not.toContain("a".repeat(40))
    expect(line).toContain("vaultDownload")
  })

  it("says what happened in words", () => {
    expect(paymentLine(event("payment_required", { amountAtomic: 520_000n }), plain)).toMatch(
      /402 sent {2}\$0\.52$/
    )
    expect(paymentLine(event("payment_refused", { reason: "insufficient_funds" }), plain)).toMatch(
      /refused {3}insufficient_funds$/
    )
  })
})
