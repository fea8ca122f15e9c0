import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TillOptions } from "@till402/core"
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, vi } from "vitest"
import type { Line } from "../src/doctor/Line.ts"
import {
  payTo,
  type Proxy,
  secret,
  startFacilitator,
  startNode,
  startService,
  till402,
  withHeaders
} from "./world.ts"

/*
 * Set-ups that a doctor examines, with what is broken of them. Outside of a test runner: a till takes more in one.
 */

/** A till's empty database. */
let migrated: Buffer

/** A file of tests calls this once. */
export const useDoctor = (): void => {
  beforeAll(async () => {
    const path = mkdtempSync(join(tmpdir(), "till402-doctor-test-"))
    const file = join(path, "till.sqlite")
    expect((await till402(["migrate", "up", "--database", file])).code).toBe(0)
    migrated = readFileSync(file)
    rmSync(path, { recursive: true })
  })

  beforeEach(() => {
    vi.stubEnv("NODE_ENV", "production")
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })
}

export const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "till402-doctor-test-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

interface Broken {
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly node?: Partial<Awaited<ReturnType<typeof startNode>>>
  readonly facilitatorNetwork?: string
  readonly proxy?: Proxy
  /** Of the till behind the public URL. */
  readonly options?: Partial<TillOptions>
}

/** A whole set-up, with what a test breaks of it. */
export const setUp = async ({
  environment,
  facilitatorNetwork,
  node: facts,
  options,
  proxy
}: Broken = {}) => {
  const node = Object.assign(await startNode(), facts)
  const facilitator = await startFacilitator(facilitatorNetwork)
  const { url } = await startService(options, proxy)
  const database = join(folder(), "till.sqlite")
  writeFileSync(database, migrated)
  return {
    TILL_BASE_URL: url,
    TILL_PAY_TO: payTo,
    TILL_NETWORKS: "base-sepolia",
    TILL_RPC_URL_BASE_SEPOLIA: node.url,
    TILL_FACILITATOR_URL: facilitator,
    TILL_SECRET: secret,
    TILL_DATABASE: database,
    ...environment
  }
}

export const examine = async (
  environment: Readonly<Record<string, string | undefined>>,
  ...args: ReadonlyArray<string>
) => {
  const { code, printed } = await till402(["doctor", "--json", ...args], environment)
  return { code, checks: JSON.parse(printed).checks as ReadonlyArray<Line> }
}

export const faultsOf = (checks: ReadonlyArray<Line>) =>
  checks.filter(({ status }) => status !== "pass").map(({ name, status }) => `${status} ${name}`)

export const without = (name: string): Proxy => ({
  response: (response) => withHeaders(response, (headers) => headers.delete(name))
})

/** What is broken, the lines that aren't passed, and what their problems and cures say. */
export type BrokenSetUp = [string, Broken, ReadonlyArray<string>, RegExp, RegExp]

export const expectNamed = async (...[, broken, faults, problem, cure]: BrokenSetUp): Promise<void> => {
  const { checks, code } = await examine(await setUp(broken))
  expect(faultsOf(checks).toSorted()).toEqual([...faults].toSorted())
  for (const line of checks.filter(({ status }) => status !== "pass")) {
    expect(line.problem).toMatch(problem)
    expect(line.cure).toMatch(cure)
  }
  expect(code).toBe(faults.some((fault) => fault.startsWith("fail")) ? 1 : 0)
  expect(JSON.stringify(checks)).not.toMatch(/hidden|rDq3/)
}

/** Faults that don't hide each other. */
export const independent: ReadonlyArray<BrokenSetUp> = [
  [
    "with a node that lags",
    { node: { ageSeconds: 4_000 } },
    ["warn newest block"],
    /4\d\d\d seconds old/,
    /NTP/
  ],
  [
    "with a node without logs",
    { node: { hasLogs: false } },
    ["warn logs"],
    /refuses to list logs/,
    /eth_getLogs/
  ],
  [
    "with a facilitator of another network",
    { facilitatorNetwork: "eip155:1" },
    ["warn facilitator"],
    /No facilitator lists base-sepolia/,
    /give a facilitator that settles on it/
  ],
  [
    "with the address of another shop behind the URL",
    { options: { payTo: "0x2222222222222222222222222222222222222222" } },
    ["fail payee"],
    /asks for payments to 0x2222222222222222222222222222222222222222/,
    /restart what runs with older settings/
  ],
  [
    "with a proxy that drops payments",
    { proxy: { request: (headers) => headers.delete("payment-signature") } },
    ["fail PAYMENT-SIGNATURE"],
    /gets the same 402/,
    /pass on the request headers/
  ],
  [
    "with a proxy's own error page",
    {
      proxy: {
        response: (response) =>
          response.status === 402
            ? new Response("<h1>402</h1>", { status: 402, headers: response.headers })
            : response
      }
    },
    ["warn 402 body"],
    /a proxy puts its own page there/,
    /proxy_intercept_errors/
  ],
  [
    "with a cache before it",
    { proxy: { response: (response) => withHeaders(response, (headers) => headers.set("age", "30")) } },
    ["fail cache"],
    /came from a cache/,
    /Exclude the till's paths/
  ],
  [
    "with a proxy's own CORS",
    { proxy: without("access-control-expose-headers") },
    ["warn cors"],
    /can't read the price/,
    /Leave CORS of the till's paths to the till/
  ],
  [
    "with a skewed clock",
    {
      proxy: {
        response: (response) =>
          withHeaders(response, (headers) =>
            headers.set("date", new Date(Date.now() - 300_000).toUTCString())
          )
      }
    },
    ["warn date"],
    /(?:299|300|301) seconds behind/,
    /NTP/
  ],
  [
    "whose database isn't there",
    { environment: { TILL_DATABASE: "nowhere/till.sqlite" } },
    ["warn migrations"],
    /doesn't exist/,
    /Correct the path/
  ]
]
