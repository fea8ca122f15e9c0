import { describe, expect, it } from "vitest"
import type { AnyPlainOperation } from "../../src/operations/PlainOperation.ts"
import { openTill } from "../toll/openTill.ts"

describe("options of a route", () => {
  const valid: AnyPlainOperation = {
    id: "weather",
    method: "GET",
    path: "/weather",
    description: "Weather",
    price: "0.02",
    work: () => undefined
  }

  it.each([
    ["id", "the weather", "id must be"],
    ["id", "search", "belongs to a route of the contract"],
    ["method", "PUT", 'method must be "GET" or "POST"'],
    ["path", "weather", "path must be"],
    ["path", "/weather?q", "path must be"],
    ["path", "/:city", "path must be"],
    ["path", "/weather/:city/:city", "path must be"],
    ["path", "/weather/:__proto__", "path must be"],
    ["path", "/weather/../other", "path must be"],
    ["path", "/openapi.json", "belongs to a document, a public route or a status page"],
    ["description", undefined, "description must"],
    ["price", 0.02, 'price must be dollars such as "0.02"'],
    ["price", "0", "price must be dollars"],
    ["price", { min: "0.05", max: "0.01", of: () => "0.02" }, "price.min and price.max"],
    ["price", { min: "0.01", max: "0.05" }, "price.of must be a function"],
    [
      "price",
      { min: "0.01", max: "0.05", of: async () => "0.02" },
      "price.of must be a function of the input that isn't async"
    ],
    ["settlement", "first", "settlement must be"],
    ["work", undefined, "work must be a function"],
    ["example", { city: "oslo" }, "example must be an object such as { input: { … }, output: … }"],
    ["example", "oslo", "example must be"],
    ["input", {}, "input must be a Standard Schema"]
  ])("%s can't be %o", async (name, value, message) => {
    const route = { ...valid }
    Reflect.set(route, name, value)
    await expect(openTill({ operations: [route] })).rejects.toThrow(message)
  })

  it("two routes can't share an id or a path", async () => {
    await expect(openTill({ operations: [valid, valid] })).rejects.toThrow(
      "two operations have the same id weather"
    )
  })

  it("two routes can't match the same requests", async () => {
    const operations = [
      { ...valid, id: "city", path: "/weather/:city" },
      { ...valid, id: "town", path: "/weather/:town" }
    ]
    await expect(openTill({ operations })).rejects.toThrow("two operations have the same path /weather/:")
  })
})
