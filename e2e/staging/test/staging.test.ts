import { readFileSync } from "node:fs"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { providers } from "../../../packages/providers/test/amazon/providers.ts"
import { interceptRequests } from "../../../packages/providers/test/interceptRequests.ts"
import { FakeRye } from "../../../packages/providers/test/rye/fakeRye.ts"
import {
  fakeCatalogue,
  productDocument,
  type ToolCall
} from "../../../packages/providers/test/shopify/fakeCatalogue.ts"
import { FakeShopifyAdmin } from "../../../packages/providers/test/shopify-admin/fakeShopifyAdmin.ts"
import { FakeWooCommerce } from "../../../packages/providers/test/woocommerce/fakeWooCommerce.ts"
import { FakeZinc } from "../../../packages/providers/test/zinc/fakeZinc.ts"
import { runCommand } from "../src/Command.ts"
import { sanitized } from "../src/Recording.ts"
import { runScripts } from "../src/Report.ts"
import { scripts } from "../src/scripts/index.ts"
import { expect, type StagingScript } from "../src/StagingScript.ts"

const server = interceptRequests()

const fixture = (path: string): Record<string, unknown> =>
  JSON.parse(
    readFileSync(new URL(`../../../packages/providers/test/${path}`, import.meta.url), "utf8")
  ) as Record<string, unknown>

interface Run {
  readonly environment: Readonly<Record<string, string>>
  readonly mayPlace?: boolean
}

const run = async (only: StagingScript | string, { environment, mayPlace = false }: Run) => {
  const lines: Array<string> = []
  const wanted = typeof only === "string" ? scripts.filter(({ name }) => name === only) : [only]
  const code = await runScripts(wanted, {
    environment,
    mayPlace,
    print: (line) => void lines.push(line),
    stepMillis: 15_000
  })
  const text = lines.join("\n")
  for (const [name, value] of Object.entries(environment)) assert.notInclude(text, value, name)
  assert.notInclude(text, "1 Test St")
  return { code, lines, text }
}

/** The verdict of each step, by its name. */
const stepsIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => {
    const [, what, verdict] = /^[\w-]+: ([^:]+): (ok|failed|skipped)/.exec(line) ?? []
    return what === undefined ? [] : [`${what}: ${verdict}`]
  })

/** The fakes of the providers' own tests, in place of the real staging services. */
class StagedRye extends FakeRye {
  override readonly url = "https://staging.api.rye.com"
}
class StagedZinc extends FakeZinc {
  override readonly url = "https://api.zinc.com"
}
const queried = ["quote: ok", "find an order that does not exist: ok"]
const placed = [...queried, "place: ok", "find: ok", "status: ok"]

describe("the staging scripts of fulfilments", () => {
  it("get a quote from Rye and confirm nothing", async () => {
    const upstream = new StagedRye()
    server.use(upstream.handler())
    const { code, lines } = await run("rye", { environment: { RYE_API_KEY: "RYE/staging-secret" } })
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, ...queried, "place: skipped"])
    assert.strictEqual(upstream.goods.length, 0)
  })

  it("place an order at Rye's staging", async () => {
    const upstream = new StagedRye()
    server.use(upstream.handler())
    const environment = { RYE_API_KEY: "RYE/staging-secret" }
    const { code, lines } = await run("rye", { environment, mayPlace: true })
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, ...placed])
    assert.strictEqual(upstream.goods.length, 1)
  })

  it("get a quote from Zinc, and place orders only with a test key", async () => {
    for (const [apiKey, mayPlace, orders] of [
      ["zn_test_secret", false, 0],
      ["zn_test_secret", true, 1],
      ["zn_live_secret", true, 0]
    ] as const) {
      const upstream = new StagedZinc()
      server.use(upstream.handler())
      const { code, lines } = await run("zinc", { environment: { ZINC_API_KEY: apiKey }, mayPlace })
      assert.deepStrictEqual(
        [code, ...stepsIn(lines)],
        [0, ...(orders === 1 ? placed : [...queried, "place: skipped"])]
      )
      assert.strictEqual(upstream.orders.size, orders)
    }
  })

  it("get a quote from a WooCommerce shop and pay nothing", async () => {
    const upstream = new FakeWooCommerce()
    server.use(upstream.handler())
    const environment = {
      WOOCOMMERCE_STORE_URL: upstream.store,
      WOOCOMMERCE_CONSUMER_KEY: "ck_secret",
      WOOCOMMERCE_CONSUMER_SECRET: "cs_secret",
      WOOCOMMERCE_PRODUCT: "71"
    }
    upstream.put(71, { name: "Tote" })
    const lines: Array<string> = []
    const code = await runScripts(
      scripts.filter(({ name }) => name === "woocommerce"),
      { environment, mayPlace: true, print: (line) => void lines.push(line) }
    )
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, ...queried, "place: skipped"])
    assert.strictEqual(upstream.orders.get(500)?.status, "pending")
  })

  it("get a quote from a Shopify shop and pay nothing", async () => {
    const upstream = new FakeShopifyAdmin()
    server.use(upstream.handler())
    const environment = {
      SHOPIFY_ADMIN_SHOP: upstream.shop,
      SHOPIFY_ADMIN_CLIENT_ID: "app",
      SHOPIFY_ADMIN_CLIENT_SECRET: "shpss_secret",
      SHOPIFY_ADMIN_VARIANT: "71"
    }
    const lines: Array<string> = []
    const code = await runScripts(
      scripts.filter(({ name }) => name === "shopify-admin"),
      { environment, mayPlace: true, print: (line) => void lines.push(line) }
    )
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, ...queried, "place: skipped"])
    assert.strictEqual(upstream.orders.size, 0)
  })

  it("ask the assistant of the whole service, get a quote by its route, and confirm nothing", async () => {
    const upstream = new StagedRye()
    const chat = "https://model.example/v1/chat/completions"
    const turns = [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_0",
            type: "function",
            function: { name: "search_products", arguments: JSON.stringify({ query: "phone case" }) }
          }
        ]
      },
      {
        role: "assistant",
        content: JSON.stringify({
          summary: "This one is light.",
          picks: [{ id: "B0TEST0001", why: "" }],
          note: ""
        })
      }
    ]
    server.use(
      upstream.handler(),
      http.get("https://rest.canopyapi.co/api/amazon/search", () =>
        HttpResponse.json(fixture("fixtures/canopy-search.json"))
      ),
      http.post(chat, () => HttpResponse.json({ choices: [{ message: turns.shift() }] }))
    )
    const environment = {
      CANOPY_API_KEY: "canopy-secret",
      MODEL_BASE_URL: "https://model.example/v1",
      MODEL_NAME: "scripted",
      RYE_API_KEY: "RYE/staging-secret"
    }
    const { code, lines } = await run("service", { environment })
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, "ask the assistant: ok", "quote: ok"])
    assert.strictEqual(upstream.goods.length, 0)
  })

  it("place nothing at an address that is not staging", async () => {
    class Production extends FakeRye {
      override readonly url = "https://api.rye.com"
    }
    const upstream = new Production()
    server.use(upstream.handler())
    const environment = { RYE_API_KEY: "RYE/staging-secret", RYE_BASE_URL: upstream.url }
    const { code, lines, text } = await run("rye", { environment, mayPlace: true })
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, ...queried, "place: skipped"])
    assert.include(text, "RYE_BASE_URL is not staging")
    assert.strictEqual(upstream.goods.length, 0)
  })
})

const searched = (hasMore: boolean) => [
  "search: ok",
  ...(hasMore ? ["second page: ok", "price filter: ok"] : ["second page: skipped"])
]

describe("the staging scripts of searches", () => {
  it.each(providers)("search $name, page by page", async ({ document, endpoint, name, write }) => {
    const sample = (page: number, at: number) =>
      write({
        asin: `B0PAGE${page}${String(at).padStart(3, "0")}`,
        title: `Phone case ${at}`,
        price: { value: 5 + at, currency: "USD" },
        imageUrl: "https://m.media-amazon.com/images/I/1.jpg"
      })
    server.use(
      http.get(endpoint, ({ request }) => {
        const page = Number(new URL(request.url).searchParams.get("page") ?? "1")
        const samples = Array.from({ length: 20 }, (_, at) => sample(page, at))
        return HttpResponse.json(document(samples, { page, totalPages: 2 }) as object)
      })
    )
    const environment = { [`${name.toUpperCase()}_API_KEY`]: `${name}-secret` }
    const { code, lines, text } = await run(name, { environment })
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, ...searched(true)], text)
    assert.include(text, "price filter: ok")
  })

  it.each([
    ["canopy", "https://rest.canopyapi.co/api/amazon/search"],
    ["rainforest", "https://api.rainforestapi.com/request"]
  ])("read the documented response of %s", async (name, endpoint) => {
    server.use(http.get(endpoint, () => HttpResponse.json(fixture(`fixtures/${name}-search.json`))))
    const environment = { [`${name.toUpperCase()}_API_KEY`]: `${name}-secret` }
    const { lines, text } = await run(name, { environment })
    assert.include(stepsIn(lines), "search: ok", text)
  })

  it("search Shopify, page by page", async () => {
    const products = Array.from({ length: 60 }, (_, at) =>
      productDocument(at, {}, { price: { amount: 500 + 25 * at, currency: "USD" } })
    )
    const catalogue = fakeCatalogue(products)
    server.use(
      http.post("https://catalog.shopify.com/api/ucp/mcp", async ({ request }) =>
        HttpResponse.json(catalogue.respond((await request.json()) as ToolCall) as object)
      )
    )
    const environment = { SHOPIFY_PROFILE_URL: "https://shop.example.com/.well-known/ucp-agent.json" }
    const { code, lines, text } = await run("shopify", { environment })
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, ...searched(true)], text)
  })
})

describe("the staging script of 17TRACK", () => {
  it("looks a shipment up, then returns it from the cache", async () => {
    const number = "1ZA1234E0205271688"
    server.use(
      http.post("https://api.17track.net/track/v2.4/gettrackinfo", () =>
        HttpResponse.json(fixture("17track/fixtures/gettrackinfo-intransit.json"))
      )
    )
    const environment = { SEVENTEENTRACK_API_KEY: "17track-secret", SEVENTEENTRACK_NUMBER: number }
    const { code, lines, text } = await run("17track", { environment })
    assert.deepStrictEqual([code, ...stepsIn(lines)], [0, "track: ok", "track again, cached: ok"], text)
    assert.include(text, "InTransit")
  })
})

describe("a staging script", () => {
  const scripted = (work: StagingScript["run"]): StagingScript => ({
    name: "shop",
    required: [{ name: "SHOP_KEY", what: "a key" }],
    optional: [],
    run: work
  })
  const environment = { SHOP_KEY: "very-secret-key" }

  it.each<[string, StagingScript["run"], string]>([
    [
      "is not as it should be",
      (steps) => steps.take("look", async () => expect(false, "nothing is there")),
      "shop: look: failed in"
    ],
    [
      "hides its key in an error",
      (steps, { of }) =>
        steps.take("look", async () => {
          throw Object.assign(new Error(`no key ${of("SHOP_KEY")}`), { _tag: "Rejected", code: "HTTP_401" })
        }),
      "Rejected HTTP_401: no key [hidden]"
    ],
    [
      "hides messages of unknown errors",
      () => Promise.reject(new RangeError("the words of somebody else, an address among them")),
      "shop: RangeError"
    ]
  ])("fails where an upstream %s", async (_what, work, expected) => {
    const { code, text } = await run(scripted(work), { environment })
    assert.strictEqual(code, 1)
    assert.include(text, expected)
    assert.include(text, "shop: failed")
    assert.notInclude(text, "somebody else")
  })

  it("ends when an upstream never responds", async () => {
    const lines: Array<string> = []
    const code = await runScripts([scripted((steps) => steps.take("look", () => new Promise(() => {})))], {
      environment,
      mayPlace: false,
      print: (line) => void lines.push(line),
      stepMillis: 50
    })
    assert.strictEqual(code, 1)
    assert.match(lines.join("\n"), /look: failed in \d+ ms: TimeoutError: not done within 50 ms/)
  })

  it("is skipped if a variable is empty, and lets the others run", async () => {
    const lines: Array<string> = []
    const code = await runScripts([scripted(async () => {}), { ...scripted(async () => {}), required: [] }], {
      environment: { SHOP_KEY: "  " },
      mayPlace: false,
      print: (line) => void lines.push(line)
    })
    assert.strictEqual(code, 0)
    assert.include(lines, "shop: skipped: SHOP_KEY is not set")
    assert.strictEqual(lines.at(-1), "1 passed, 0 failed, 1 skipped")
  })
})

describe("claims", () => {
  it("are printed as proved or not, for each step that passed", async () => {
    const upstream = new StagedRye()
    server.use(upstream.handler())
    const { lines } = await run("rye", { environment: { RYE_API_KEY: "RYE/staging-secret" } })
    assert.include(
      lines,
      "rye: proved: the balance, the fields of an offer, and the format of a phone number"
    )
    assert.include(lines, "rye: not proved: the fields of an order")
    assert.include(lines, "rye: not provable here: cancellation by the upstream")
  })

  it("are printed for each upstream that is skipped", async () => {
    for (const { name } of scripts) {
      const { text } = await run(name, { environment: {} })
      assert.match(text, /: not proved: /, name)
      assert.notMatch(text, /: proved: /, name)
    }
  })
})

describe("recorded responses", () => {
  it("have the structure of the responses, and no text of theirs", async () => {
    const upstream = new StagedRye()
    server.use(upstream.handler())
    const recorded: Array<{ readonly name: string; readonly document: unknown }> = []
    await runScripts(
      scripts.filter(({ name }) => name === "rye"),
      {
        environment: { RYE_API_KEY: "RYE/staging-secret" },
        mayPlace: false,
        print: () => undefined,
        record: (each) => void recorded.push(each)
      }
    )
    const intent = recorded.find(({ name }) => name.endsWith("POST-checkout-intents-201"))
    assert.deepInclude(intent?.document as object, {
      state: "awaiting_confirmation",
      id: "text",
      quantity: 1
    })
    const text = JSON.stringify(recorded)
    assert.include(text, '"amountSubunits":9735')
    for (const secret of [
      "1 Test St",
      "Test Buyer",
      "buyer@example.com",
      "ci_1",
      "555",
      "RYE/staging-secret"
    ]) {
      assert.notInclude(text, secret)
    }
  })

  it("keep amounts, and hide numbers and addresses of every kind", () => {
    assert.deepStrictEqual(
      sanitized({
        status: "order_placed",
        postal_code: "27701",
        totalPrice: { amount: "97.35", currency: "usdc" },
        txId: "0xabcdef",
        page: "https://shop.example/orders/7",
        createdAt: "2026-11-20T10:00:00.000Z",
        names: ["Ada", null, 7, true],
        code: "free text of somebody"
      }),
      {
        status: "order_placed",
        postal_code: "1",
        totalPrice: { amount: "97.35", currency: "usdc" },
        txId: "0x000000",
        page: "https://example.com/",
        createdAt: "2026-01-01T00:00:00Z",
        names: ["text", null, 7, true],
        code: "text"
      }
    )
  })
})

describe("the command", () => {
  /** In this process; staging.deep.test.ts runs it as a program. */
  const runHere = async (args: ReadonlyArray<string>) => {
    let output = ""
    const write = (text: string) => void (output += text)
    const code = await runCommand(args, { environment: {}, print: write, complain: write })
    return { code, output }
  }

  it("runs the named ones, and rejects unknown names", async () => {
    const { code, output } = await runHere(["rye", "--place"])
    assert.deepStrictEqual([code, /^(?!rye|0 passed)/m.test(output.trim())], [0, false])
    const unknown = await runHere(["ebay"])
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.output, "there is no script ebay")
  })
})
