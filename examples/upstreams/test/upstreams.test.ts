import { ConfigurationError } from "@till402/core"
import { assert, describe, it } from "vitest"
import { type Environment, upstreamsFrom } from "../src/upstreams.ts"

const portsOf = (environment: Environment) => {
  const { ports, report } = upstreamsFrom(environment)
  return {
    ports: [...Object.keys(ports.marketplaces ?? {}), ...(ports.tracker === undefined ? [] : ["tracker"])],
    report
  }
}

describe("the upstreams of an environment", () => {
  it("are Rainforest's where there is no key of Canopy's, and Canopy's where there are both", () => {
    const both = { CANOPY_API_KEY: "a", RAINFOREST_API_KEY: "b" }
    assert.deepStrictEqual(portsOf({ RAINFOREST_API_KEY: "b" }).ports, ["marketplace_a"])
    assert.include(portsOf({ RAINFOREST_API_KEY: "b" }).report, "marketplace_a: Amazon by Rainforest.")
    assert.include(portsOf(both).report, "marketplace_a: Amazon by Canopy.")
  })

  it("are named shops where these are named", () => {
    const { ports, report } = portsOf({
      BASE_URL: "https://shop.example/api",
      SHOPIFY_SHOPS: "north.example, south.example"
    })
    assert.deepStrictEqual(ports, ["marketplace_b"])
    assert.include(report, "marketplace_b: the shops north.example, south.example.")
  })

  it("have a profile elsewhere where that is named", () => {
    const SHOPIFY_PROFILE_URL = "https://profiles.example/agent.json"
    const { ports } = portsOf({ BASE_URL: "http://localhost:3000", SHOPIFY_PROFILE_URL })
    assert.deepStrictEqual(ports, ["marketplace_b"])
  })

  it("are none without a key, variables that are empty included; each is reported", () => {
    const { ports, report } = portsOf({ CANOPY_API_KEY: "", SEVENTEENTRACK_API_KEY: "", BASE_URL: "" })
    assert.deepStrictEqual(ports, [])
    assert.strictEqual(report.filter((line) => line.includes(": missing. ")).length, 3)
  })

  it("can't be made of half of Shopify's credentials", () => {
    const environment = { BASE_URL: "https://shop.example", SHOPIFY_CLIENT_ID: "id" }
    assert.throws(() => upstreamsFrom(environment), ConfigurationError, "clientSecret")
  })
})
