import { readFileSync } from "node:fs"
import { ConfigurationError } from "@till402/core"
import { generatePrivateKey } from "viem/accounts"
import { assert, describe, it, onTestFinished } from "vitest"
import type { Environment } from "../src/environment.ts"
import { openService } from "../src/service.ts"
import { fakeUpstreams, keys } from "./fakeUpstreams.ts"

/*
 * What the variables make of the service, without a chain.
 */

const money = {
  BASE_URL: "https://shop.example",
  PAY_TO: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  RPC_URL: "http://127.0.0.1:1",
  FACILITATOR_URL: "http://127.0.0.1:1",
  TILL_SECRET: "a secret of the example's own, for this test",
  TILL_DATABASE: ":memory:",
  MODEL_BASE_URL: "http://127.0.0.1:1/v1",
  TILL_FILES: "/srv/vault",
  REFUND_KEY: generatePrivateKey()
}
const full: Environment = { ...money, ...keys }

const open = (environment: Environment) => {
  const service = openService(environment, {
    fetch: fakeUpstreams().fetch,
    till: { onEvent: () => undefined }
  })
  onTestFinished(() => service.close())
  return service
}

const without = (environment: Environment, ...names: ReadonlyArray<string>): Environment => ({
  ...environment,
  ...Object.fromEntries(names.map((name) => [name, ""]))
})

const pathsOf = async ({ app, till }: ReturnType<typeof openService>): Promise<ReadonlyArray<string>> => {
  await till.ready.catch(() => undefined)
  const response = await app.fetch(new Request("https://shop.example/openapi.json"))
  const { paths } = (await response.json()) as { paths: object }
  // The others are free.
  return Object.keys(paths).filter((path) => path.startsWith("/x402/"))
}

const missingIn = ({ report }: ReturnType<typeof openService>) =>
  report.filter((line) => line.includes("missing"))

describe("the service of an environment", () => {
  it("has all routes with all variables", async () => {
    const service = open(full)
    assert.deepStrictEqual(missingIn(service), [])
    assert.strictEqual((await pathsOf(service)).length, 7)
  })

  it.each([
    ["CANOPY_API_KEY", "search of Amazon: missing. Set CANOPY_API_KEY;", undefined],
    ["MODEL_NAME", "assistant: missing. Set MODEL_BASE_URL and MODEL_NAME;", "/x402/shop"],
    ["SEVENTEENTRACK_API_KEY", "tracking: missing. Set SEVENTEENTRACK_API_KEY;", "/x402/track"],
    ["TILL_FILES", "vault: missing. Set TILL_FILES;", "/x402/vault/search"],
    ["MAIL_FROM", "mail: missing. Set MAIL_FROM with RESEND_API_KEY or SMTP_HOST;", undefined],
    ["REFUND_KEY", "refunds: missing. Set REFUND_KEY;", undefined]
  ])("leaves out what has no %s, and says so", async (name, line, path) => {
    const service = open(without(full, name))
    const [missing = "", ...more] = missingIn(service)
    assert.deepStrictEqual(more, [])
    assert.isTrue(missing.startsWith(line), missing)
    const paths = await pathsOf(service)
    assert.strictEqual(paths.length, path === undefined ? 7 : path.includes("vault") ? 4 : 6)
    if (path !== undefined) assert.notInclude(paths, path)
  })

  it("orders by the one upstream that it has, and by none without keys", async () => {
    const [onlyRye, onlyZinc] = [open(without(full, "ZINC_API_KEY")), open(without(full, "RYE_API_KEY"))]
    const orders = ({ report }: typeof onlyRye) => report.find((line) => line.startsWith("orders"))
    assert.match(orders(onlyRye) ?? "", /^orders: Rye, in the United States\. Set ZINC_API_KEY, /)
    assert.match(orders(onlyZinc) ?? "", /^orders: Zinc, of Amazon's products\. Set RYE_API_KEY;/)
    const neither = open(without(full, "RYE_API_KEY", "ZINC_ALLOWANCE_SHIPPING_CENTS"))
    assert.match(orders(neither) ?? "", /^orders: missing\. Set RYE_API_KEY, or ZINC_API_KEY, /)
    assert.notInclude(await pathsOf(neither), "/x402/buy")
  })

  it("has no search where Shopify can't fetch the profile, and no assistant without a search", async () => {
    const service = open(without({ ...full, BASE_URL: "http://localhost:3000" }, "CANOPY_API_KEY"))
    assert.match(missingIn(service)[1] ?? "", /^search of Shopify: missing\. Set BASE_URL to a public https/)
    assert.match(missingIn(service)[2] ?? "", /^assistant: missing\. Set the variables of a search;/)
    const paths = await pathsOf(service)
    assert.notInclude(paths, "/x402/search")
    assert.notInclude(paths, "/x402/shop")
  })

  it("stores archives in a bucket only with its keys", () => {
    const bucket = { ...full, TILL_FILES: "https://s3.eu-central-1.amazonaws.com/my-bucket" }
    assert.match(missingIn(open(bucket))[0] ?? "", /^vault: missing\. Set AWS_ACCESS_KEY_ID and/)
    const { report } = open({ ...bucket, AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" })
    assert.include(report, "vault: files in a bucket.")
  })

  it("sends mail by SMTP without a key of Resend", () => {
    const { report } = open({ ...without(full, "RESEND_API_KEY"), SMTP_HOST: "smtp.shop.example" })
    assert.include(report, "mail: SMTP.")
  })

  it("is refused without the variables that money needs, and with keys that can't be one", () => {
    assert.throws(
      () => openService(without(full, "PAY_TO", "RPC_URL")),
      ConfigurationError,
      "Set these in the environment first: PAY_TO, RPC_URL."
    )
    for (const [name, value] of [
      ["REFUND_KEY", "pasted with spaces"],
      ["CANOPY_API_KEY", "pasted with spaces"],
      ["ZINC_ALLOWANCE_SHIPPING_CENTS", "pasted with spaces"],
      ["MARGIN_BASIS_POINTS", "pasted with spaces"],
      ["SEARCH_SHARED_SECONDS", "pasted with spaces"]
    ] as const) {
      const thrown = ((): unknown => {
        try {
          return openService({ ...full, [name]: value })
        } catch (error) {
          return error
        }
      })()
      assert.instanceOf(thrown, ConfigurationError, name)
      assert.notInclude(String((thrown as Error).message), "pasted")
    }
  })
})

describe(".env.example", () => {
  const text = readFileSync(new URL("../.env.example", import.meta.url), "utf8")
  const listed = Array.from(text.matchAll(/^([A-Z0-9_]+)=/gm), ([, name]) => name!)

  /** The variables that the service reads of an environment. */
  const readOf = (environment: Environment): ReadonlySet<string> => {
    const names = new Set<string>()
    open(
      new Proxy(environment, {
        get: (target, name) => {
          names.add(String(name))
          return target[String(name)]
        }
      })
    )
    return names
  }

  it("lists each variable that the service reads, once, and no other", () => {
    const withSmtp = { ...without(full, "RESEND_API_KEY"), SMTP_HOST: "smtp.shop.example" }
    const main = readFileSync(new URL("../src/main.ts", import.meta.url), "utf8")
    const read = new Set([
      ...readOf(full),
      ...readOf(withSmtp),
      ...Array.from(main.matchAll(/process\.env\["(\w+)"\]/g), ([, name]) => name!)
    ])
    assert.deepStrictEqual(listed.toSorted(), [...read].toSorted())
  })

  it("has no value of a key", () => {
    const secret = /_(?:KEY|SECRET|PASSWORD|KEY_ID)=(.*)$/gm
    assert.deepStrictEqual(
      Array.from(text.matchAll(secret), ([, value]) => value).filter((value) => value !== ""),
      []
    )
  })
})
