import { ConfigurationError } from "@till402/core"
import { describe, expect, it } from "vitest"
import type { FulfilmentRoutes } from "../../../src/shop/fulfilment/FulfilmentRoutes.ts"
import { routeFulfilment } from "../../../src/shop/fulfilment/routeFulfilment.ts"
import { upstream } from "../orders/scriptedRoutes.ts"

describe("options that can't be used", () => {
  const { fulfilment } = upstream("any")
  const messageOf = (options: unknown): string => {
    try {
      routeFulfilment(options as FulfilmentRoutes<string>)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError)
      return (error as ConfigurationError).message
    }
    return ""
  }

  it.each<[string, unknown, RegExp]>([
    ["no routes", { routes: {}, choose: () => "a" }, /routes: give at least one/],
    ["routes left out", { choose: () => "a" }, /routes: give at least one/],
    ["a name with a colon", { routes: { "a:b": fulfilment }, choose: () => "a:b" }, /routes\.a:b: a name/],
    ["an empty name", { routes: { "": fulfilment }, choose: () => "" }, /a name has/],
    ["a name that is too long", { routes: { ["a".repeat(33)]: fulfilment }, choose: () => "" }, /a name has/],
    [
      "a route that is none",
      { routes: { a: {} }, choose: () => "a" },
      /routes\.a\.quote: must be a function/
    ],
    ["a route that is null", { routes: { a: null }, choose: () => "a" }, /routes\.a\.place: must be/],
    ["no rule", { routes: { a: fulfilment } }, /choose: must be a function, or a table/],
    ["an empty table", { routes: { a: fulfilment }, choose: {} }, /choose: names no marketplace/],
    [
      "a table with an unknown marketplace",
      { routes: { a: fulfilment }, choose: { amazon: "a" } },
      /choose\.amazon: must be marketplace_a or marketplace_b/
    ],
    [
      "a table with an unknown route",
      { routes: { a: fulfilment }, choose: { marketplace_a: ["a", "b"] } },
      /choose\.marketplace_a: no route is named "b"/
    ],
    [
      "a table with an empty list",
      { routes: { a: fulfilment }, choose: { marketplace_a: [] } },
      /choose\.marketplace_a: names no route/
    ],
    [
      "nine routes for one quote",
      {
        routes: Object.fromEntries(Array.from("abcdefghi", (name) => [name, fulfilment])),
        choose: { marketplace_a: [..."abcdefghi"] }
      },
      /choose\.marketplace_a: 9 routes; at most 8/
    ],
    [
      "an unknown unnamed route",
      { routes: { a: fulfilment }, choose: () => "a", unnamed: "b" },
      /unnamed: no route is named "b"/
    ],
    [
      "a deadline of no length",
      { routes: { a: fulfilment }, choose: () => "a", routeTimeoutMillis: 0 },
      /routeTimeoutMillis/
    ]
  ])("%s", (_, options, message) => {
    expect(messageOf(options)).toMatch(message)
  })

  it("names every fault at once", () => {
    const message = messageOf({
      routes: { "a b": fulfilment, c: {} },
      choose: { marketplace_a: "x", marketplace_c: "c" },
      routeTimeoutMillis: Number.NaN,
      unnamed: "y"
    })
    expect(message.split("\n").slice(1)).toHaveLength(7)
  })
})
