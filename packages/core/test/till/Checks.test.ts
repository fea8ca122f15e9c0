import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import type { Check } from "../../src/till/Check.ts"
import { Till } from "../../src/till/PlainTill.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { sharedDatabase } from "../stores/sql/keptInMemory.ts"
import { ownPort } from "./ownPort.ts"
import { settling } from "./settling.ts"

/*
 * `till.check()`: the list of a shop in order, and of one with mistakes that its start lets pass.
 */

const tillKey = "rDq3+Zk0vT8nJ1xYwB5uLe7hQm2sGc9f"
const apiKey = "key-of-the-node"
const hex = (value: number): string => `0x${value.toString(16)}`

/** What a node of Base shows. */
class Node {
  chainId = 8453
  ageSeconds = 2
  hasLogs = true
  status = 200
  /** Of each wallet. */
  balance = 7
  url = ""

  readonly start = async (): Promise<void> => {
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
        const results: Record<string, unknown> = {
          eth_chainId: hex(this.chainId),
          eth_getBlockByNumber: {
            number: "0x3e8",
            hash: `0x${"1".repeat(64)}`,
            timestamp: hex(Math.floor(Date.now() / 1000) - this.ageSeconds),
            transactions: []
          },
          eth_getCode: "0x",
          ...(this.hasLogs ? { eth_getLogs: [] } : {}),
          // balanceOf(address)
          ...(params?.[0]?.data?.startsWith("0x70a08231") === true
            ? { eth_call: `0x${this.balance.toString(16).padStart(64, "0")}` }
            : {})
        }
        const result = results[method]
        const error = { code: -32_601, message: `no ${method}` }
        response.writeHead(this.status, { "content-type": "application/json" })
        response.end(
          JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) })
        )
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${apiKey}`
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
  }
}

/** A shop on a network with a node, outside of a test runner. */
const openShop = async (options: Partial<TillOptions> = {}) => {
  const node = new Node()
  await node.start()
  const till = Till.make({
    baseUrl: "https://goods.shop",
    payTo: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    networks: [{ network: "base", rpcUrl: node.url }],
    secret: tillKey,
    facilitator: settling(),
    storage: sharedDatabase().storage(),
    tracker: ownPort(fakeTracker()),
    onEvent: () => undefined,
    ...options
  })
  onTestFinished(till.dispose)
  return { node, till }
}

const wrongOf = (checks: ReadonlyArray<Check>) =>
  checks.filter(({ status }) => status !== "pass").map(({ name, status }) => `${status} ${name}`)

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe("till.check()", () => {
  it("lists what passed, of a shop in order", async () => {
    const { till } = await openShop()
    const checks = await till.check()
    expect(checks.every(({ cure, problem, status }) => status === "pass" && !problem && !cure)).toBe(true)
    expect(checks.map(({ name, subject }) => (subject === undefined ? name : `${name} ${subject}`))).toEqual([
      "clock",
      "storage",
      "secret",
      "database",
      "real money",
      "facilitator base",
      "node base",
      "chain id base",
      "newest block base",
      "logs base",
      "payTo base"
    ])
  })

  it("says what is wrong and how to cure it, without secrets, as it is now", async () => {
    const { node, till } = await openShop({ baseUrl: "http://goods.shop" })
    expect(wrongOf(await till.check())).toEqual(["warn real money"])
    node.hasLogs = false
    node.ageSeconds = 600
    const checks = await till.check()
    expect(wrongOf(checks)).toEqual(["warn real money", "warn newest block", "warn logs"])
    for (const { cure, problem, status } of checks)
      if (status !== "pass") expect([problem, cure]).toEqual([expect.any(String), expect.any(String)])
    node.chainId = 1
    expect(wrongOf(await till.check())).toEqual(["warn real money", "fail chain id"])
    node.status = 401
    const unread = await till.check()
    expect(wrongOf(unread)).toEqual(["warn real money", "fail node"])
    const text = JSON.stringify([checks, unread])
    expect(text).not.toContain(apiKey)
    expect(text).not.toContain(tillKey)
  })

  it("shows what the refund wallet holds", async () => {
    const refundWallet = {
      address: "0x857b06519e91e3a54538791bdbb0e22373e36b66",
      signTypedData: async () => "0x"
    }
    const { node, till } = await openShop({ refundWallet })
    const wallet = async () => (await till.check()).filter(({ name }) => name === "refund wallet")
    expect(await wallet()).toMatchObject([
      { subject: "base", status: "pass", balance: { network: "eip155:8453", amountAtomic: "7" } }
    ])
    expect((await till.health()).checks).toEqual(expect.arrayContaining(await wallet()))
    node.balance = 0
    expect(await wallet()).toMatchObject([{ status: "warn", balance: { amountAtomic: "0" } }])
  })

  it("says that no facilitator settles on a network, and nothing of a key that nothing was made under", async () => {
    const { storage } = sharedDatabase()
    const keys = [
      { id: "2", secret: `${tillKey}2` },
      { id: "1", secret: tillKey }
    ]
    const first = await openShop({ storage: storage(), secret: keys })
    await first.till.ready
    await first.till.dispose()
    const { till } = await openShop({
      storage: storage(),
      secret: keys.slice(0, 1),
      facilitator: settling({ networks: ["eip155:137"] })
    })
    expect(wrongOf(await till.check())).toEqual(["warn facilitator"])
  })

  it("rejects with the reason where the till didn't start", async () => {
    const { till } = await openShop({ facilitator: fakeFacilitator() })
    await expect(till.check()).rejects.toThrow(/facilitator moves no money/)
  })
})
