import { checkEndpointSchema, discoverOriginSchema, GuidanceMode } from "@agentcash/discovery"
import { beforeAll, describe, expect, it } from "vitest"
import { exampleCalls, openTill, serve } from "./tillServer.ts"

/*
 * The discovery of AgentCash, by which its wallets and x402scan find routes: it reads the OpenAPI document and probes.
 */

let origin = ""
beforeAll(async () => {
  const till = await openTill({ support: "help@shop.example" })
  const { close, port } = await serve(till)
  origin = `http://127.0.0.1:${port}`
  return async () => {
    close()
    await till.dispose()
  }
})

it("finds seven routes that are paid, and need no key besides", async () => {
  const found = await discoverOriginSchema({ target: origin, guidance: GuidanceMode.Always })
  if (!found.found) throw new Error(found.cause)
  const paid = found.endpoints.filter(({ authMode }) => authMode === "paid")
  expect(paid.map(({ path }) => path).toSorted()).toEqual([
    "/x402/buy",
    "/x402/search",
    "/x402/shop",
    "/x402/track",
    "/x402/vault/buy",
    "/x402/vault/download/{purchaseId}",
    "/x402/vault/search"
  ])
  for (const { protocols } of paid) expect(protocols).toEqual(["x402"])
  // The status pages are free.
  const others = found.endpoints.filter((endpoint) => !paid.includes(endpoint))
  expect(new Set(others.map(({ authMode }) => authMode))).toEqual(new Set(["unprotected"]))
  expect(found.info?.contactEmail).toBe("help@shop.example")
  expect(found.guidance).toContain("GET /x402/search")
})

describe.each(Object.keys(exampleCalls))("a probe of %s", (id) => {
  const { body, method, path } = exampleCalls[id]!

  it.each([true, false])("is answered with a price, with the example: %s", async (isExample) => {
    const checked = await checkEndpointSchema({
      url: origin + (isExample ? path : path.replace(/\?.*/, "")),
      probe: true,
      ...(isExample && body !== undefined
        ? { sampleInputBody: JSON.parse(body) as Record<string, unknown> }
        : {})
    })
    if (!checked.found) throw new Error(checked.cause)
    const advisory = checked.advisories.find((each) => each.method === method)
    expect(advisory).toMatchObject({ authMode: "paid" })
    expect(advisory?.paymentOptions?.length).toBeGreaterThan(0)
  })
})
