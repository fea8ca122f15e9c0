import { createServer, type Server } from "node:http"
import { memory, Till } from "@till402/core"
import { targetOf, toRequest, writeResponse } from "@till402/core/node"
import { facilitatorHandler, type FacilitatorHandlerOptions } from "@till402/providers/facilitator"
import { type Chain, payingFetch, sampleShop, startChain } from "@till402/sandbox"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { newAddress, signedPayment, startRelay } from "./relayers.ts"

/*
 * A local facilitator over HTTP: one relayer for several tills, behind the host's authorization.
 */

let chain: Chain
const servers: Array<Server> = []
beforeAll(async () => {
  chain = await startChain()
})
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})
afterAll(() => chain.stop())

const tills = new Map([
  ["Bearer one", "till-one"],
  ["Bearer two", "till-two"]
])
const authorize = (request: Request) => tills.get(request.headers.get("authorization") ?? "")

const startHandler = async (change: Partial<FacilitatorHandlerOptions> = {}, relay = {}) => {
  const { account, facilitator, journal } = await startRelay(chain, relay)
  return { account, journal, handle: facilitatorHandler(facilitator, { authorize, ...change }) }
}

const call = (operation: string, body?: unknown, key = "one") =>
  new Request(`https://facilitator.example/x402/${operation}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined
      ? {}
      : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })
  })

const bodyOf = async () => {
  const { payload, requirements, terms } = await signedPayment(chain)
  return { terms, body: { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements } }
}

describe("a local facilitator over HTTP", () => {
  it("settles for tills in other processes, which reach it by its URL and their key", async () => {
    const { account, handle } = await startHandler()
    const server = createServer(async (request, response) => {
      await writeResponse(await handle(toRequest(request, { url: targetOf(request.url ?? "/")! })), response)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const paid = await Promise.all(
      ["one", "two"].map(async (key) => {
        const payTo = newAddress()
        const till = Till.make({
          baseUrl: "https://shop.example",
          payTo,
          networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
          facilitator: {
            url: `http://127.0.0.1:${port}/x402`,
            headers: () => ({ authorization: `Bearer ${key}` })
          },
          secret: generatePrivateKey(),
          storage: memory(),
          marketplaces: sampleShop().marketplaces,
          onEvent: () => undefined
        })
        await till.ready
        const privateKey = generatePrivateKey()
        await chain.mint(privateKeyToAccount(privateKey).address, 1_000_000n)
        const pay = payingFetch(privateKey, 1, (input, init) => till.fetch(new Request(input, init)))
        const { status } = await pay("https://shop.example/x402/search?q=tote")
        await till.dispose()
        return { status, received: await chain.balanceOf(payTo) }
      })
    )
    expect(paid).toEqual(Array.from({ length: 2 }, () => ({ status: 200, received: 10_000n })))
    expect(await chain.client.getTransactionCount(account)).toBe(2)
  })

  it("responds in the protocol's words", async () => {
    const { handle } = await startHandler()
    const { body, terms } = await bodyOf()
    const verified = await handle(call("verify", body))
    expect(verified.status).toBe(200)
    expect(await verified.json()).toEqual({ isValid: true, payer: terms.from })
    const settled = await (await handle(call("settle", body))).json()
    expect(settled).toMatchObject({ success: true, network: "eip155:84532", payer: terms.from })
    expect(await (await handle(call("verify", body))).json()).toMatchObject({
      isValid: false,
      invalidReason: "invalid_exact_evm_nonce_already_used"
    })
    expect((await (await handle(call("supported"))).json()).kinds).toHaveLength(2)
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })

  it("settles a payment for one till and refuses it to another", async () => {
    const { handle } = await startHandler()
    const { body } = await bodyOf()
    const results = await Promise.all(
      ["one", "two"].map(async (key) => (await handle(call("settle", body, key))).json())
    )
    expect(results.map(({ success }) => success).toSorted()).toEqual([false, true])
  })

  it("refuses callers without a name, before it reads or sends anything", async () => {
    const { handle, journal } = await startHandler()
    const { body } = await bodyOf()
    for (const operation of ["verify", "settle"]) {
      expect((await handle(call(operation, body, "three"))).status).toBe(401)
    }
    expect((await handle(call("supported", undefined, "three"))).status).toBe(401)
    expect(journal.records()).toEqual([])
  })

  it("refuses a key of a variable that isn't set, which authorize would know", async () => {
    const key = `${process.env["A_KEY_THAT_IS_NOT_SET"]}`
    const known = (request: Request) =>
      ["authorization", "x-api-key", "x-shop"].some((name) =>
        [`Bearer ${key}`, `Basic ${btoa(`shop:${key}`)}`, key].includes(request.headers.get(name) ?? "")
      )
    const { handle, journal } = await startHandler({
      authorize: (request) => (known(request) ? "shop" : authorize(request))
    })
    const { body } = await bodyOf()
    const sent: ReadonlyArray<readonly [string, string]> = [
      ["authorization", `Bearer ${key}`],
      ["authorization", `Basic ${btoa(`shop:${key}`)}`],
      ["x-api-key", key],
      ["x-shop", key]
    ]
    for (const [name, value] of sent) {
      const request = call("settle", body, "three")
      request.headers.set(name, value)
      const refused = await handle(request)
      expect(refused.status, `${name}: ${value}`).toBe(401)
      expect((await refused.json()).error).toContain(`are not read: ${name}.`)
    }
    expect(journal.records()).toEqual([])
  })

  it("admits a caller whose other headers say undefined or null", async () => {
    const { handle } = await startHandler()
    const request = call("settle", (await bodyOf()).body)
    for (const name of ["idempotency-key", "x-auth-request-groups", "x-request-token", "cookie"])
      request.headers.set(name, name === "cookie" ? "theme=undefined" : "null")
    const response = await handle(request)
    expect([response.status, (await response.json()).success]).toEqual([200, true])
  })

  it.each([
    ["who sends nothing, as both keys are empty", (key: string) => key === "", 1],
    ["behind a private network, without a parameter", () => true, 0],
    ["with a key", (key: string) => key === "Bearer one", 0]
  ])("warns once of callers without a key, and settles for those: %s", async (_, isKnown, warnings) => {
    const told = vi.spyOn(console, "error").mockReturnValue()
    const { handle } = await startHandler({
      authorize:
        isKnown.length === 0
          ? () => "shop"
          : (request) => (isKnown(request.headers.get("authorization") ?? "") ? "shop" : undefined)
    })
    for (const nextKey of ["one", "one"]) {
      const request = call("settle", (await bodyOf()).body, nextKey)
      if (warnings > 0) request.headers.delete("authorization")
      expect((await handle(request)).status).toBe(200)
    }
    expect(told.mock.calls.flat()).toEqual(
      Array.from({ length: warnings }, () =>
        expect.stringContaining("anyone who sends nothing may be admitted")
      )
    )
    told.mockRestore()
  })

  it.each([
    ["false, of a comparison", false, 0],
    ["null", null, 0],
    ["true, of a comparison", true, 1],
    ["a function, found in an object by a key of constructor", Object, 1],
    ["an object", {}, 1]
  ])("refuses callers for whom authorize returns %s", async (_, name, explanations) => {
    const told = vi.spyOn(console, "error").mockReturnValue()
    const { handle, journal } = await startHandler({ authorize: () => name as never })
    const { body } = await bodyOf()
    for (const operation of ["verify", "settle"])
      expect((await handle(call(operation, body))).status).toBe(401)
    expect(journal.records()).toEqual([])
    expect(told.mock.calls.flat()).toEqual(
      Array.from({ length: explanations }, () => expect.stringContaining("return the name of the till"))
    )
    told.mockRestore()
  })

  it("refuses what it can't read", async () => {
    const { handle } = await startHandler()
    const statusOf = async (request: Request) => (await handle(request)).status
    expect(await statusOf(call("elsewhere"))).toBe(404)
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(await statusOf(call(name))).toBe(404)
    }
    expect(await statusOf(call("settle"))).toBe(405)
    expect(await statusOf(call("supported", {}))).toBe(405)
    expect(await statusOf(call("settle", "{"))).toBe(400)
    expect(await statusOf(call("settle", { paymentPayload: {} }))).toBe(400)
    expect(await statusOf(call("settle", "x".repeat(70_000)))).toBe(413)
    const empty = { paymentPayload: {}, paymentRequirements: {} }
    expect(await (await handle(call("settle", empty))).json()).toMatchObject({
      success: false,
      errorReason: "invalid_payload"
    })
  })

  it("responds 503 when the chain can't be read, or too many calls run", async () => {
    const unreadable = await startHandler({}, { fetch: () => Promise.reject(new Error("no route")) })
    const { body } = await bodyOf()
    const response = await unreadable.handle(call("verify", body))
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"])
    const { handle } = await startHandler({ maxConcurrent: 1 })
    const statuses = await Promise.all([handle(call("verify", body)), handle(call("verify", body))]).then(
      (responses) => responses.map(({ status }) => status)
    )
    expect(statuses.toSorted()).toEqual([200, 503])
    expect((await handle(call("verify", body))).status).toBe(200)
  })
})
