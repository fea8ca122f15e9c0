import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it, vi } from "vitest"
import { openApiDocument } from "../../src/api/OpenApi.ts"
import {
  makeRouter,
  paidRouteFinder,
  pathHandler,
  type RouteMatch,
  withoutPrefix
} from "../../src/http/Router.ts"
import { plainQuote } from "../../src/http/PaidRoute.ts"
import type { AnyOperation } from "../../src/operations/Operation.ts"
import type { Challenged } from "../toll/wallet.ts"
import { documents, operationOf, settings } from "./sampleOperation.ts"

const search = operationOf(HttpApiEndpoint.get("search", "/x402/search"), {
  documents: { ...documents, queryInResource: true }
})
const weather = operationOf(
  HttpApiEndpoint.get("weather", "/weather/:city/:day", {
    params: { city: Schema.String, day: Schema.String }
  }),
  { documents: { ...documents, unlisted: true } }
)
const indicative = { ...plainQuote(26_640_000n), description: "Indicative" }
const buy = operationOf(HttpApiEndpoint.post("buy", "/x402/buy"), {
  price: {
    _tag: "Computed",
    of: () => {
      throw new Error("no price must be computed")
    },
    indicative,
    minAtomic: 1n,
    maxAtomic: 30_000_000n
  }
})
const hook = () => new Response("noted")

const noPages = { kindOf: () => undefined, kinds: () => [], nowMillis: () => 0 }
const nothingPriced = { operations: [] }
const router = makeRouter(
  { ...settings, publicRoutes: new Map([["/hooks/parcels", hook]]) },
  [search, weather, buy],
  nothingPriced,
  openApiDocument,
  noPages
)

const matchAt = (path: string) => {
  const match = router(path)
  if (match?._tag !== "Operation") throw new Error(`${path} is no operation`)
  return match
}
const decoded = (header: string): Challenged =>
  JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Challenged
const named = (match: RouteMatch | undefined): string =>
  match?._tag === "Operation" ? match.paidRoute.id : (match?._tag ?? "nothing")

describe("the handler of a path", () => {
  it.each([
    ["/x402/search", "search"],
    ["/api/x402/search", "search"],
    ["/api/api/x402/search", "nothing"],
    ["/x402/search/", "search"],
    ["/api/weather/oslo/1/", "weather"],
    ["/openapi.json/", "Document"],
    ["/x402/search//", "nothing"],
    ["/x402/Search", "nothing"],
    ["/weather/oslo/1", "weather"],
    ["/api/weather/oslo/1", "weather"],
    ["/weather/oslo", "nothing"],
    ["/weather//1", "nothing"],
    ["/weather/oslo/1/2", "nothing"],
    [`/weather/oslo/${"1".repeat(1_024)}`, "nothing"],
    ["/hooks/parcels", "Public"],
    ["/openapi.json", "Document"],
    ["/api/.well-known/x402", "Document"],
    ["/", "nothing"]
  ])("of %s is %s", (path, handler) => {
    expect(named(router(path))).toBe(handler)
  })

  it("has the parameters as text, and as they came where their encoding is malformed", () => {
    expect(matchAt("/weather/s%C3%A3o%20paulo/%31").params).toEqual({ city: "são paulo", day: "1" })
    expect(matchAt("/weather/%E0%A4%A/%").params).toEqual({ city: "%E0%A4%A", day: "%" })
  })

  it("lists what is not unlisted", () => {
    const match = router("/.well-known/x402")
    expect(match?._tag === "Document" ? JSON.parse(match.text) : match).toMatchObject({
      version: 1,
      resources: ["GET /x402/search", "POST /x402/buy"]
    })
  })

  it("lists the priced routes of the host too, also those that are added later", () => {
    const priced: { operations: ReadonlyArray<AnyOperation> } = { operations: [] }
    const growing = makeRouter(settings, [search], priced, openApiDocument, noPages)
    const listed = (): unknown => {
      const match = growing("/.well-known/x402")
      return match?._tag === "Document" ? JSON.parse(match.text) : match
    }
    expect(listed()).toMatchObject({ resources: ["GET /x402/search"] })
    priced.operations = [buy]
    expect(listed()).toMatchObject({ resources: ["GET /x402/search", "POST /x402/buy"] })
    expect(growing("/x402/buy")).toBeUndefined()
  })

  it("has no documents where there are to be none", () => {
    const without = makeRouter(
      { ...settings, openapiPath: undefined, discoveryPath: undefined },
      [search],
      nothingPriced,
      openApiDocument,
      noPages
    )
    expect([without("/openapi.json"), without("/.well-known/x402")]).toEqual([undefined, undefined])
  })
})

describe("the 402 of an operation", () => {
  const urlOf = (path: string, query: string) =>
    decoded(matchAt(path).paidRoute.unpaid(query).header).resource.url

  it("names the query only where that may be known, and up to a length", () => {
    expect(urlOf("/x402/search", "?q=tote")).toBe("https://shop.example/api/x402/search?q=tote")
    expect(urlOf("/x402/buy", "?token=1")).toBe("https://shop.example/api/x402/buy")
    const longest = `?q=${"a".repeat(894)}`
    expect(urlOf("/x402/search", longest)).toBe(`https://shop.example/api/x402/search${longest}`)
    expect(urlOf("/x402/search", `${longest}a`)).toBe("https://shop.example/api/x402/search")
    expect(urlOf("/x402/search", "?q=é")).toBe("https://shop.example/api/x402/search")
  })

  it("names the path that was requested, unless it is far longer than its template", () => {
    expect(urlOf("/weather/oslo/1", "")).toBe("https://shop.example/api/weather/oslo/1")
    const longest = `/weather/${"o".repeat(640 + "{city}/{day}".length - "/1".length)}/1`
    expect(urlOf(longest, "")).toBe(`https://shop.example/api${longest}`)
    expect(urlOf(`${longest}1`, "")).toBe("https://shop.example/api/weather/{city}/{day}")
  })

  it("is made only for a request that gets it, where the path has parameters", () => {
    const stringify = vi.spyOn(JSON, "stringify")
    try {
      const { paidRoute } = matchAt("/weather/oslo/1")
      expect(stringify).not.toHaveBeenCalled()
      const challenge = paidRoute.unpaid("")
      const calls = stringify.mock.calls.length
      expect(calls).toBeGreaterThan(0)
      expect(paidRoute.unpaid("?day=2")).toBe(challenge)
      expect(stringify).toHaveBeenCalledTimes(calls)
    } finally {
      stringify.mockRestore()
    }
  })

  it("that can't be made fails at startup", () => {
    const unwritable = operationOf(HttpApiEndpoint.get("unwritable", "/unwritable"), {
      documents: { ...documents, example: { input: {}, output: { amount: 1n } } }
    })
    expect(() => paidRouteFinder(settings, unwritable)).toThrow("BigInt")
  })

  it("has the fixed price, or the indicative one", () => {
    const priceOf = (path: string) => decoded(matchAt(path).paidRoute.unpaid("").header).accepts[0]!.amount
    expect([priceOf("/x402/search"), priceOf("/x402/buy")]).toEqual(["10000", "26640000"])
  })

  it("is not valid for longer than its price, and for a second at least", () => {
    const { offersOf } = matchAt("/x402/buy").paidRoute
    const secondsOf = (validSeconds?: number) =>
      offersOf({ ...indicative, ...(validSeconds === undefined ? {} : { validSeconds }) })[0]!.requirements
        .maxTimeoutSeconds
    expect([secondsOf(), secondsOf(600), secondsOf(7), secondsOf(-3)]).toEqual([120, 120, 7, 1])
  })

  it("announces a payment that settles first", () => {
    const upfront = makeRouter(
      settings,
      [{ ...search, settlement: { beforeWork: true } }],
      nothingPriced,
      openApiDocument,
      noPages
    )("/x402/search")
    expect(upfront?._tag === "Operation" && upfront.paidRoute.listedOffers()[0]!.requirements.extra).toEqual({
      name: "USDC",
      version: "2",
      paymentFlow: "upfront"
    })
    expect(matchAt("/x402/search").paidRoute.listedOffers()[0]!.requirements.extra).toEqual({
      name: "USDC",
      version: "2"
    })
  })
})

describe("the paid route of one operation", () => {
  it("is found by its path alone, with and without the prefix", () => {
    const find = paidRouteFinder(settings, weather)
    for (const path of ["/weather/oslo/1", "/api/weather/oslo/1"]) {
      const match = find(path)
      expect(match?.params).toEqual({ city: "oslo", day: "1" })
      expect(match?.paidRoute.url).toBe("https://shop.example/api/weather/oslo/1")
      expect(match?.paidRoute.listed.url).toBe("https://shop.example/api/weather/:city/:day")
    }
    expect(find("/x402/search")).toBeUndefined()
  })

  it.each([
    ["/we%61ther/oslo/1", { city: "oslo", day: "1" }],
    ["/%61pi/weather/%6Fslo/1", { city: "oslo", day: "1" }],
    ["/weather/oslo/1/", { city: "oslo", day: "1" }],
    ["/we%61ther/a%2fb/1", { city: "a/b", day: "1" }],
    ["/we%2561ther/oslo/1", undefined],
    ["/weather%2foslo/1", undefined],
    ["/API/Weather/Oslo/1", { city: "Oslo", day: "1" }],
    ["/api//weather/oslo//1//", { city: "oslo", day: "1" }],
    ["/apis/weather/oslo/1", undefined]
  ])("is found by %s as frameworks do: %j", (path, params) => {
    expect(paidRouteFinder(settings, weather)(path)?.params).toEqual(params)
  })
})

describe("a path below the mount", () => {
  it.each([
    ["/api/x402/buy", "/api", "/x402/buy"],
    ["/api", "/api", "/api"],
    ["/apix/x402/buy", "/api", "/apix/x402/buy"],
    ["/x402/buy", "", "/x402/buy"]
  ])("%s with the prefix %j is %s", (path, prefix, expected) => {
    expect(withoutPrefix(path, prefix)).toBe(expected)
  })

  it.each([
    ["/x402", true],
    ["/x402/", true],
    ["/x402/whatever", true],
    ["/api/x402/whatever", true],
    ["/x402x", false],
    ["/openapi.json", true],
    ["/hooks/parcels", true],
    ["/hooks", false],
    ["/weather/oslo/1", true],
    ["/api/weather/oslo/1", true],
    ["/weather/oslo", false],
    ["/prices", true],
    ["/", false]
  ])("%s is the till's: %s", (path, isOurs) => {
    const handles = pathHandler({ ...settings, publicRoutes: new Map([["/hooks/parcels", hook]]) }, [
      "/weather/:city/:day",
      "/prices"
    ])
    expect(handles(path)).toBe(isOurs)
  })
})
