import { chmod, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Chain,
  type LocalFacilitator,
  payingFetch,
  startChain,
  startFacilitator
} from "@till402/sandbox"
import { sampleShop } from "@till402/sandbox/shop"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { stopMillis, type Environment, runExample, start, isUp, beginCall } from "./exampleProcess.ts"

/*
 * Runs an example as its own process, like a reader would, and pays it on a real (local) chain.
 */

/** Public address of the example, as behind a proxy; it listens on another one. */
const baseUrl = "https://shop.example"
const search = "/x402/search?q=headphones"
const searchPrice = 10_000n
const vaultOrder = JSON.stringify({
  slug: sampleShop().vaultItems[0]!.slug,
  walletAddress: "So11111111111111111111111111111111111111112",
  email: "ada@example.com"
})

interface Challenge {
  readonly accepts: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** A database for an example's till. */
export interface ExampleDatabase {
  /** The environment variable that names it, and its value. */
  readonly variable: string
  readonly value: string
  /** Whether the example requires the variable. */
  readonly required: boolean
  readonly stop: () => Promise<void>
}

const sqliteFile = async (): Promise<ExampleDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-example-"))
  return {
    variable: "TILL_DATABASE",
    value: join(folder, "till.sqlite"),
    required: false,
    stop: () => rm(folder, { recursive: true })
  }
}

/** A folder for the files that a program leaves in its `TMPDIR`; deleted after the test. */
const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-example-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // As root, PostgreSQL runs as another user, which must have access to its own folder in here.
  await chmod(folder, 0o755)
  return folder
}

/** A response as the caller sees it, byte for byte. */
const readReply = async (response: Response) => ({
  status: response.status,
  type: response.headers.get("content-type"),
  receipt: response.headers.get("payment-response"),
  body: Buffer.from(await response.arrayBuffer())
})

/** Where the configuration of an example differs: names of its variables, and its errors. */
export interface ExampleSettings {
  /** Names that replace `BASE_URL`, `PAY_TO`, `RPC_URL` and `FACILITATOR_URL`. */
  readonly names: Readonly<Record<string, string>>
  /** Variables that the example needs in addition. */
  readonly more: Environment
  /** Variables that a test omits, and the resulting error texts. */
  readonly missing: ReadonlyArray<string>
  readonly missingTexts: (variables: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The name of `baseUrl` in errors. */
  readonly baseUrl: string
}

const plainSettings: ExampleSettings = {
  names: {},
  more: {},
  missing: ["PAY_TO", "FACILITATOR_URL"],
  missingTexts: (variables) => [`Set these in the environment first: ${variables.join(", ")}.`],
  baseUrl: "baseUrl"
}

const renaming = ({ names }: ExampleSettings) => {
  const named = (variable: string): string => names[variable] ?? variable
  const renamed = (env: Environment): Environment =>
    Object.fromEntries(Object.entries(env).map(([variable, value]) => [named(variable), value]))
  return { named, renamed }
}

const secret = "a secret of the example's own, for this test"

/** The tests of an example's server, given the folder of its sources and how its database is started. */
export const exampleSuite = (
  name: string,
  sources: URL,
  startDatabase = sqliteFile,
  settings = plainSettings
): void => {
  const { renamed } = renaming(settings)
  const main = new URL("main.ts", sources)
  describe(`The ${name} example`, { timeout: 180_000 }, () => {
    let chain: Chain
    let facilitator: LocalFacilitator
    let database: ExampleDatabase
    const buyer = () => chain.accounts(2)
    const payTo = () => chain.accounts(3).address
    const environment = (): Environment => ({
      ...settings.more,
      ...renamed({
        PORT: "0",
        BASE_URL: baseUrl,
        PAY_TO: payTo(),
        RPC_URL: chain.rpcUrl,
        FACILITATOR_URL: facilitator.url,
        TILL_SECRET: secret,
        [database.variable]: database.value
      })
    })

    beforeAll(async () => {
      const startPaying = async () => {
        chain = await startChain()
        facilitator = await startFacilitator({ chain })
      }
      const startStoring = async () => {
        database = await startDatabase()
      }
      await Promise.all([startPaying(), startStoring()])
    })
    afterAll(async () => {
      await database?.stop()
      await facilitator?.stop()
      await chain?.stop()
    })
    /** A fetch that pays on the chain, and the payment that it sent last. */
    const paying = () => {
      let payment = ""
      const noting: typeof fetch = (input, init) => {
        const sent = new Request(input, init)
        payment = sent.headers.get("payment-signature") ?? payment
        return fetch(sent)
      }
      const key = `0x${Buffer.from(buyer().getHdKey().privateKey!).toString("hex")}` as const
      return { pay: payingFetch(key, 1, noting), payment: () => payment }
    }

    it("serves its own routes and the till's, is paid, and recognizes the payment after a restart", async () => {
      const { stop, url } = await start(main, environment())

      const home = await fetch(url)
      expect(home.status).toBe(200)
      expect(await home.text()).toContain("A shop of my own")
      const health = await fetch(`${url}/health`)
      expect(await health.json()).toEqual({ ok: true })
      expect((await fetch(`${url}/nowhere`)).status).toBe(404)

      const unpaid = await fetch(url + search)
      expect(unpaid.status).toBe(402)
      const challenge = (await unpaid.json()) as Challenge
      expect(challenge.accepts[0]).toMatchObject({
        network: "base-sepolia",
        maxAmountRequired: String(searchPrice),
        payTo: payTo(),
        resource: baseUrl + search
      })

      await chain.mint(buyer().address, 1_000_000n)
      const before = [await chain.balanceOf(buyer().address), await chain.balanceOf(payTo())] as const
      const { pay, payment } = paying()
      const paid = await pay(url + search)
      expect(paid.status).toBe(200)
      expect(paid.headers.get("payment-response")).toBeTruthy()
      const first = await readReply(paid)
      const { products } = JSON.parse(first.body.toString()) as { readonly products: ReadonlyArray<unknown> }
      expect(products).not.toHaveLength(0)
      expect(await stop("SIGINT")).toBe(0)

      const restarted = await start(main, environment())
      const again = await fetch(restarted.url + search, { headers: { "PAYMENT-SIGNATURE": payment() } })
      expect(await readReply(again)).toEqual(first)
      expect(await chain.balanceOf(buyer().address)).toBe(before[0] - searchPrice)
      expect(await chain.balanceOf(payTo())).toBe(before[1] + searchPrice)
      expect(await restarted.stop()).toBe(0)
    })

    it("names the missing variables", async () => {
      const missing = [...settings.missing, ...(database.required ? [database.variable] : [])]
      const rest = Object.entries(environment()).filter(([variable]) => !missing.includes(variable))
      const { code, output } = await runExample(main, Object.fromEntries(rest))
      expect(code).toBe(1)
      for (const text of settings.missingTexts(missing)) expect(output).toContain(text)
    })
  })
}

/** How an example's `sandbox.ts` ends: by a signal, where a database is given or not, or because it can't start. */
type SandboxEnd = "SIGINT" | "SIGTERM with a database" | "failure"

/** The tests of an example's `sandbox.ts`, each of which takes a process with a chain. */
export const sandboxSuite = (
  ends: ReadonlyArray<SandboxEnd>,
  name: string,
  sources: URL,
  startDatabase = sqliteFile,
  settings = plainSettings
): void => {
  const { named, renamed } = renaming(settings)
  const sandbox = new URL("sandbox.ts", sources)
  describe(`The ${name} example`, { timeout: 180_000 }, () => {
    let database: ExampleDatabase
    beforeAll(async () => {
      database = await startDatabase()
    })
    afterAll(() => database?.stop())

    const stopped = async (signal: "SIGINT" | "SIGTERM", given: Environment = {}) => {
      const folder = await temporaryFolder()
      const { stop, url } = await start(sandbox, {
        ...given,
        ...renamed({ PORT: "0", BASE_URL: baseUrl, TMPDIR: folder })
      })
      const challenge = (await (await fetch(`${url}/x402/search`)).json()) as Challenge
      expect(challenge.accepts[0]).toMatchObject({ resource: `${baseUrl}/x402/search` })
      // If a database is given, no other one is started.
      if (database.variable in given) {
        const others = (await readdir(folder)).filter((name) => !name.startsWith("till402-chain-"))
        expect(others).toEqual([])
      }
      // A call that is still running when the signal arrives, and still needs the database for a price.
      const finish = await beginCall(`${url}/x402/vault/buy`, vaultOrder)
      const code = stop(signal)
      await expect.poll(() => isUp(url), { timeout: stopMillis }).toBe(false)
      expect(await finish()).toBe(402)
      expect(await code).toBe(0)
      expect(await readdir(folder)).toEqual([])
    }
    const failed = async () => {
      const folder = await temporaryFolder()
      const { code, output } = await runExample(
        sandbox,
        renamed({ PORT: "0", BASE_URL: "nowhere", TMPDIR: folder })
      )
      expect(output).toContain(`${settings.baseUrl} must be`)
      expect(code).toBe(1)
      expect(await readdir(folder)).toEqual([])
    }
    const run: Readonly<Record<SandboxEnd, () => Promise<void>>> = {
      SIGINT: () => stopped("SIGINT"),
      "SIGTERM with a database": () =>
        stopped("SIGTERM", { [database.variable]: database.value, [named("TILL_SECRET")]: secret }),
      failure: failed
    }
    it.each(ends)("runs with one command on its own services, and removes them at %s", (end) => run[end]())
  })
}
