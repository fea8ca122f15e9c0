import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { operation } from "@till402/core"
import { sqliteClient } from "@till402/core/sqlite"
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  type BrokenSetUp,
  examine,
  expectNamed,
  faultsOf,
  folder,
  independent,
  setUp,
  useDoctor,
  without
} from "./brokenSetUps.ts"
import { keepThreads } from "../../core/test/stores/sqlite/keptThreads.ts"
import { listen, payTo, secret, till402 } from "./world.ts"

/*
 * The doctor on a healthy set-up, and on broken ones: a fault of each kind. doctor.deep.test.ts has more of them, and
 * alone those that are together here.
 */

useDoctor()
keepThreads()

describe("a healthy set-up", () => {
  it("passes in every check, with exit code 0", async () => {
    const { checks, code } = await examine(await setUp())
    expect(faultsOf(checks)).toEqual([])
    expect(code).toBe(0)
    expect(checks.map(({ name }) => name)).toEqual([
      "options",
      "start",
      "clock",
      "real money",
      "facilitator",
      "node",
      "chain id",
      "newest block",
      "logs",
      "payTo",
      "payTo balance",
      "migrations",
      "public url",
      "402",
      "PAYMENT-REQUIRED",
      "402 body",
      "address",
      "payee",
      "PAYMENT-SIGNATURE",
      "cache",
      "cors",
      "date",
      "402"
    ])
  })

  it("behind a prefix, without CORS and without a listing, is healthy too", async () => {
    const environment = await setUp({
      options: { cors: false, discoveryPath: false },
      environment: { TILL_CORS: "false", TILL_DISCOVERY_PATH: "false" }
    })
    const { checks } = await examine(environment)
    expect(faultsOf(checks)).toEqual([])
  })

  it("with a route of its own alone is healthy too, in a document or named", async () => {
    const weather = operation({
      id: "weather",
      method: "GET",
      path: "/weather/:city",
      description: "Weather of a city, now",
      price: "0.02",
      work: ({ city }) => ({ city })
    })
    const others: object = { marketplaces: undefined, tracker: undefined }
    const own = { ...others, operations: [weather] }
    const unlisted = await setUp({
      options: { ...own, discoveryPath: false },
      environment: { TILL_DISCOVERY_PATH: "false" }
    })
    expect(faultsOf((await examine(unlisted)).checks)).toEqual([])
    const silent = await setUp({
      options: { ...own, discoveryPath: false, openapiPath: false },
      environment: { TILL_DISCOVERY_PATH: "false", TILL_OPENAPI_PATH: "false" }
    })
    const unnamed = await examine(silent)
    expect([unnamed.code, faultsOf(unnamed.checks)]).toEqual([0, ["warn 402"]])
    expect(faultsOf((await examine(silent, "--route", "GET /weather/oslo")).checks)).toEqual([])
  })

  it("is read of a file, and printed for people in 80 columns", async () => {
    const { TILL_SECRET: _, ...environment } = await setUp()
    const file = join(folder(), ".env")
    writeFileSync(file, `TILL_SECRET="${secret}"\n`)
    const { code, printed } = await till402(["doctor", "--env", file], environment)
    expect(code).toBe(0)
    expect(printed).toMatch(/^PASS {2}options\n/)
    expect(printed).toMatch(/\n23 passed, 0 to look at, 0 failed$/)
    expect(printed).not.toContain(secret)
    const failing = await till402(["doctor"], {})
    expect(failing.printed.split("\n").filter((line) => line.length > 80)).toEqual([])
  })

  it("may have variables of the host's own, which are counted", async () => {
    const { checks, code } = await examine({ ...(await setUp()), TILL_ADMIN_PASSWORD: "x" })
    expect([code, faultsOf(checks)]).toEqual([0, ["warn options"]])
    expect(checks.find(({ status }) => status === "warn")?.problem).toContain("TILL_ADMIN_PASSWORD")
  })

  it("isn't looked for where a file of variables is missing", async () => {
    for (const option of ["--env", "--env-file"]) {
      const { code, noted } = await till402(["doctor", option, "/nowhere/.env"])
      expect([code, noted]).toEqual([2, expect.stringContaining("--env /nowhere/.env can't be read")])
    }
  })

  it("leaves the host's database as it is", async () => {
    const { TILL_DATABASE, ...environment } = await setUp()
    const rows = () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(sqliteClient({ filename: TILL_DATABASE! }), (sql) =>
            Effect.all([
              sql.unsafe("SELECT * FROM sqlite_master ORDER BY name"),
              sql.unsafe("SELECT * FROM till_migrations")
            ])
          )
        )
      )
    const before = await rows()
    await examine({ ...environment, TILL_DATABASE })
    expect(await rows()).toEqual(before)
  })

  it("of a module passes, with its options or its running till", async () => {
    const environment = await setUp()
    const file = join(folder(), "till.mjs")
    const options = {
      baseUrl: environment.TILL_BASE_URL,
      payTo,
      networks: [{ network: "base-sepolia", rpcUrl: environment.TILL_RPC_URL_BASE_SEPOLIA }],
      facilitator: { url: environment.TILL_FACILITATOR_URL },
      secret
    }
    writeFileSync(file, `export const options = async () => (${JSON.stringify(options)})`)
    const given = ["--config", file, "--database", environment.TILL_DATABASE!]
    const { checks, code } = await examine({}, ...given)
    expect([code, faultsOf(checks)]).toEqual([0, []])
    const running = join(folder(), "running.mjs")
    writeFileSync(
      running,
      `let disposed = false
       export const till = {
         fetch: () => undefined,
         check: async () => [{ name: "node", subject: "base", status: "warn", problem: "P", cure: "C" }],
         dispose: async () => { disposed = true }
       }
       export const wasDisposed = () => disposed`
    )
    const own = await examine({}, "--config", running, "--local")
    expect([own.code, own.checks]).toEqual([
      0,
      [
        { name: "options", status: "pass" },
        { name: "node", subject: "base", status: "warn", problem: "P", cure: "C" }
      ]
    ])
    const { wasDisposed } = (await import(running)) as { readonly wasDisposed: () => boolean }
    expect(wasDisposed()).toBe(true)
  })
})

/** A module whose options are of variables, as that of an app that `till402 init` makes. */
const moduleOfVariables = (): string => {
  const file = join(folder(), "till.config.mjs")
  writeFileSync(
    file,
    `const { APP_URL, APP_NODE, APP_FACILITATOR, APP_SECRET } = process.env
     if (APP_SECRET === undefined) throw new Error("Set these in the environment first: APP_SECRET.")
     export default {
       baseUrl: APP_URL,
       payTo: "${payTo}",
       networks: [{ network: "base-sepolia", rpcUrl: APP_NODE }],
       facilitator: { url: APP_FACILITATOR },
       secret: APP_SECRET
     }`
  )
  return file
}

describe("a module whose options are of variables", () => {
  it("reads those of the file", async () => {
    const environment = await setUp()
    const file = join(folder(), ".env")
    const variables = {
      APP_URL: environment.TILL_BASE_URL,
      APP_NODE: environment.TILL_RPC_URL_BASE_SEPOLIA,
      APP_FACILITATOR: environment.TILL_FACILITATOR_URL,
      APP_SECRET: secret,
      TILL_DATABASE: environment.TILL_DATABASE
    }
    writeFileSync(
      file,
      Object.entries(variables)
        .map(([name, value]) => `${name}=${value}\n`)
        .join("")
    )
    onTestFinished(() => {
      for (const name of Object.keys(variables)) delete process.env[name]
    })
    const { checks, code } = await examine({}, "--config", moduleOfVariables(), "--env", file)
    expect([code, faultsOf(checks)]).toEqual([0, []])
  })

  it("fails in a line of its own where it throws", async () => {
    const { checks, code } = await examine({}, "--config", moduleOfVariables(), "--local")
    expect([code, faultsOf(checks)]).toEqual([1, ["fail options", "warn migrations"]])
    expect(checks[0]).toMatchObject({
      problem: expect.stringContaining("Set these in the environment first: APP_SECRET"),
      cure: expect.stringContaining("--env FILE")
    })
  })
})

describe("a broken set-up", () => {
  it("of a module, with an empty refund wallet, and one with a fault", async () => {
    const environment = await setUp({ node: { balanceAtomic: 0n } })
    const moduleOf = (refundWallet: string): string => {
      const file = join(folder(), "till.mjs")
      writeFileSync(
        file,
        `export const options = {
          baseUrl: "${environment.TILL_BASE_URL}",
          payTo: "${payTo}",
          networks: [{ network: "base-sepolia", rpcUrl: "${environment.TILL_RPC_URL_BASE_SEPOLIA}" }],
          facilitator: { url: "${environment.TILL_FACILITATOR_URL}" },
          secret: "${secret}",
          refundWallet: ${refundWallet}
        }`
      )
      return file
    }
    const given = ["--local", "--database", environment.TILL_DATABASE!]
    const wallet = `{ address: "0x2222222222222222222222222222222222222222", signTypedData: async () => "0x" }`
    const empty = await examine({}, "--config", moduleOf(wallet), ...given)
    expect([empty.code, faultsOf(empty.checks)]).toEqual([0, ["warn refund wallet"]])
    expect(empty.checks.find(({ name }) => name === "refund wallet")!.subject).toBe("base-sepolia: 0.00")
    const wrong = await examine({}, "--config", moduleOf(`{ address: "0x22" }`), ...given)
    expect([wrong.code, faultsOf(wrong.checks)]).toEqual([1, ["fail start"]])
    expect(wrong.checks.find(({ name }) => name === "start")!.problem).toContain("refundWallet")
  })

  it.each<BrokenSetUp>([
    [
      "with a misspelt variable",
      { environment: { TILL_PAY_TO: undefined, TILL_PAYTO: payTo } },
      ["fail options", "fail options"],
      /TILL_PAY_TO must be|TILL_PAYTO: did you mean TILL_PAY_TO/,
      /environment\.md of @till402\/core/
    ],
    [
      "with a node of another chain",
      { node: { chainId: 1 } },
      ["fail start"],
      /its node is on eip155:1/,
      /address of a node of base-sepolia/
    ],
    [
      "with another baseUrl behind the URL",
      { options: { baseUrl: "http://localhost:3000" } },
      ["fail address"],
      /the 402 is for http:\/\/localhost:3000/,
      /same baseUrl/
    ],
    [
      "with a proxy that drops the price",
      { proxy: without("payment-required") },
      ["fail PAYMENT-REQUIRED"],
      /no PAYMENT-REQUIRED header/,
      /proxy_buffer_size/
    ],
    [
      "with another route before the price of a handler",
      {
        proxy: {
          instead: ({ url }) =>
            new URL(url).pathname === "/x402/track" ? Response.json({ status: "delivered" }) : undefined
        }
      },
      ["fail 402"],
      /x402\/track returned 200 instead of 402: what is sold there is given away/,
      /or before the price of the handler: put these first/
    ],
    [
      "without pages that the framework doesn't leave to the till",
      {
        proxy: {
          instead: ({ url }) =>
            /well-known|x402-status/.test(url) ? new Response("Not Found", { status: 404 }) : undefined
        }
      },
      ["warn pages", "warn pages"],
      /(?:x402|x402-status\/orders\/doctor) returned 404, and not by the till/,
      /leave this path to the till/
    ],
    [
      "that isn't up",
      { environment: { TILL_BASE_URL: "http://127.0.0.1:1" } },
      ["fail public url"],
      /can't be reached/,
      /Start the server/
    ],
    [
      "with the password of nobody in its database",
      { environment: { TILL_DATABASE: "postgres://till:hidden@127.0.0.1:1/till" } },
      ["fail migrations"],
      /127\.0\.0\.1:1\/till can't be read/,
      /Correct its address, user and rights/
    ]
  ])("%s is named with its cure, and nothing else is", expectNamed)

  it("of many faults that don't hide each other has a line with its cure for each", async () => {
    const all = independent.map(([, broken]) => broken)
    const proxies = all.flatMap(({ proxy }) => (proxy === undefined ? [] : [proxy]))
    const { checks, code } = await examine(
      await setUp({
        ...Object.assign({}, ...all),
        node: Object.assign({}, ...all.map(({ node }) => node)),
        proxy: {
          request: (headers) => proxies.forEach(({ request }) => request?.(headers)),
          response: async (first, request) => {
            let response = first
            for (const proxy of proxies) response = (await proxy.response?.(response, request)) ?? response
            return response
          }
        }
      })
    )
    expect(code).toBe(1)
    expect(faultsOf(checks).toSorted()).toEqual(independent.flatMap(([, , faults]) => faults).toSorted())
    for (const [, , faults, problem, cure] of independent) {
      const line = checks.find(({ name, status }) => faults.includes(`${status} ${name}`))
      expect([line?.problem, line?.cure]).toEqual([
        expect.stringMatching(problem),
        expect.stringMatching(cure)
      ])
    }
  })

  it("whose database a newer version has migrated is named", async () => {
    const environment = await setUp()
    await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(sqliteClient({ filename: environment.TILL_DATABASE! }), (sql) =>
          sql.unsafe("INSERT INTO till_migrations (migration_id, name) VALUES (99, 'later')")
        )
      )
    )
    const { checks, code } = await examine(environment, "--local")
    expect([code, faultsOf(checks)]).toEqual([1, ["fail migrations"]])
    expect(checks.at(-1)!.problem).toContain("99_later")
  })

  it("whose server speaks no TLS is named", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { checks } = await examine(await setUp(), "--url", url)
    expect(faultsOf(checks)).toEqual(["fail tls"])
  })

  it("whose module can't be read is one line, without a stack trace", async () => {
    const file = join(folder(), "till.mjs")
    writeFileSync(file, "throw new Error('no such thing')")
    const { checks } = await examine({}, "--config", file, "--local")
    expect(checks[0]!.problem).toBe(`the module ${file} can't be loaded: no such thing`)
    const other = join(folder(), "other.mjs")
    writeFileSync(other, "export const nothing = 1")
    const { checks: others } = await examine({}, "--config", other, "--local")
    expect(others[0]!.problem).toContain("exports neither a till nor its options")
    expect((await till402(["doctor", "--env-file", "/nowhere/.env"])).noted).toContain("can't be read")
  })
})

it("a server that isn't a till at all gets one fault, and no alarm of settings", async () => {
  const url = await listen((_request, response) => response.writeHead(200).end("hello"))
  const { checks } = await examine(await setUp(), "--url", url)
  expect(faultsOf(checks)).toEqual(["fail 402"])
})
