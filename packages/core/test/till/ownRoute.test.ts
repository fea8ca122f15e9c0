import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { challengeOf, jsonOf, openTill, type ReceivedResponse } from "../toll/openTill.ts"
import { schema } from "../operations/standardSchema.ts"

/** Words of the shop, which a till without the shop has no use for. */
const shopWords = /order|vault|parcel|marketplace|carrier|purchas|download/i

const weather = { path: "/weather?city=oslo" }

/** A till with one route of the host, and nothing else. */
const openWeather = async () => {
  const work = { celsius: 21, isBroken: false }
  const till = await openTill({
    without: ["assistant", "fulfilment", "mailer", "marketplaces", "tracker", "vault"],
    operations: [
      {
        id: "weather",
        method: "GET",
        path: "/weather",
        description: "Weather of a city, now",
        price: "0.02",
        example: { input: { city: "oslo" }, output: { celsius: 21 } },
        input: schema((value) => ("city" in value ? value : undefined)),
        work: () => {
          if (work.isBroken) throw new Error("the thermometer fell down")
          return { celsius: work.celsius }
        }
      }
    ]
  })
  return { ...till, work }
}

/** Everything that a caller reads of a response. */
const wordsOf = (response: ReceivedResponse): string => {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const challenge = response.headers.has("payment-required") ? JSON.stringify(challengeOf(response)) : ""
  return [...headers, challenge, response.text].join("\n")
}

describe("a till with one route of the host", () => {
  it("publishes documents and a 402 about that route alone", async () => {
    const { send } = await openWeather()
    const document = await send({ path: "/openapi.json" })
    expect(Object.keys(jsonOf(document)["paths"] as object)).toEqual(["/weather"])
    const listing = await send({ path: "/.well-known/x402" })
    expect(jsonOf(listing)).toMatchObject({ version: 1, resources: ["GET /weather"] })
    const unpaid = await send(weather)
    expect([unpaid.status, challengeOf(unpaid).resource.url]).toEqual([
      402,
      "https://shop.example/api/weather"
    ])
    const others = [await send({ path: "/llms.txt" }), await send({ path: "/.well-known/x402.json" })]
    for (const response of [document, listing, unpaid, ...others])
      expect(wordsOf(response)).not.toMatch(shopWords)
  })

  it("has errors about that route alone", async () => {
    const shop = await openWeather()
    const errors: Array<ReceivedResponse> = []
    const expectError = (response: ReceivedResponse, status: number, code: string) => {
      expect([response.status, response.text]).toEqual([status, expect.stringContaining(code)])
      errors.push(response)
    }
    expectError(await shop.send({ path: "/x402/buy" }), 404, "NOT_FOUND")
    expectError(await shop.send({ path: "/weather", body: {} }), 405, "METHOD_NOT_ALLOWED")
    expectError(await shop.present(weather, "no payment"), 402, "invalid_payload")
    const paid = await shop.payFor(weather)
    expectError(await shop.present({ path: "/weather" }, paid), 400, "VALIDATION_ERROR")
    expect((await shop.present(weather, paid)).status).toBe(200)
    expectError(await shop.present({ path: "/weather?city=rome" }, paid), 402, "payment_already_used")
    shop.work.isBroken = true
    expectError(await shop.present(weather, await shop.payFor(weather)), 500, "INTERNAL_ERROR")
    shop.work.isBroken = false
    shop.facilitator.losesNextSettlement(false)
    expectError(await shop.present(weather, await shop.payFor(weather)), 503, "SETTLEMENT_PENDING")
    shop.facilitator.verify.returns(() => {
      throw new Error("no connection")
    })
    expectError(await shop.present(weather, await shop.payFor(weather)), 503, "FACILITATOR_UNAVAILABLE")
    await shop.till.dispose()
    expectError(await shop.send(weather), 503, "STORAGE_UNAVAILABLE")
    for (const error of errors) expect(wordsOf(error)).not.toMatch(shopWords)
  })
})

const source = join(import.meta.dirname, "../../src")
/** The folders beside the engine's. */
const others = ["shop", "stores", "till"]

/** The texts in a source file, without comments, imports and what is put into templates. */
const textsIn = (code: string): ReadonlyArray<string> =>
  code
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/(?:^|\s)\/\/.*/gm, "")
    .replaceAll(/(?:from |import\()"[^"]*"/g, "")
    .replaceAll(/\$\{[^}]*\}/g, "")
    .match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []

it("no text of the engine has a word of the shop", () => {
  const engine = readdirSync(source, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !others.includes(entry.name)
  )
  expect(engine.map(({ name }) => name)).toContain("toll")
  const texts = engine
    .flatMap(({ name }) => readdirSync(join(source, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .flatMap(({ name, parentPath }) => textsIn(readFileSync(join(parentPath, name), "utf8")))
  expect(texts).toContain('"SETTLEMENT_PENDING"')
  expect(texts.filter((text) => shopWords.test(text))).toEqual([])
})
