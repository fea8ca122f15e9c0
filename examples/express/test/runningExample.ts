import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import {
  type Chain,
  type LocalFacilitator,
  payingFetch,
  startChain,
  startFacilitator
} from "@till402/sandbox"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"

/*
 * Runs an example as its reader would, as a process of its own, and pays it on a real (local) chain.
 */

/** Public address of the example, as behind a proxy: never the one that it listens on. */
const baseUrl = "https://shop.example"
const searchPrice = 10_000n
/** How long an example may take to end. */
const stopMillis = 5_000

interface Challenge {
  readonly accepts: ReadonlyArray<Readonly<Record<string, unknown>>>
}

interface Running {
  readonly url: string
  readonly child: ChildProcess
  /** Sends a signal and resolves with the exit code; rejects where the process takes longer than it may. */
  readonly stop: (signal?: "SIGTERM" | "SIGINT") => Promise<number | null>
}

const spawnExample = (main: URL, env: Record<string, string>): ChildProcess => {
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source"]
  const child = spawn(process.execPath, [...flags, fileURLToPath(main)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", ...env }
  })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  return child
}

const start = async (main: URL, env: Record<string, string>): Promise<Running> => {
  const child = spawnExample(main, env)
  const said: Array<string> = []
  child.stderr!.on("data", (chunk: Buffer) => said.push(chunk.toString()))
  const listening = (async () => {
    for await (const line of createInterface(child.stdout!)) {
      const url = /http:\S+/.exec(line)?.[0]
      if (url !== undefined) return url
    }
    return undefined
  })()
  const url = await listening
  if (url === undefined) throw new Error(`The example ended before it listened:\n${said.join("")}`)
  return {
    url,
    child,
    stop: async (signal = "SIGTERM") => {
      const exited = once(child, "exit", { signal: AbortSignal.timeout(stopMillis) })
      child.kill(signal)
      const [code] = await exited
      return code as number | null
    }
  }
}

/** The tests of an example, given the folder of its sources. */
export const exampleSuite = (name: string, sources: URL): void => {
  const main = new URL("main.ts", sources)
  describe(`The ${name} example`, () => {
    let chain: Chain
    let facilitator: LocalFacilitator
    let folder: string
    const buyer = () => chain.accounts(2)
    const payTo = () => chain.accounts(3).address
    const environment = (): Record<string, string> => ({
      PORT: "0",
      BASE_URL: baseUrl,
      PAY_TO: payTo(),
      RPC_URL: chain.rpcUrl,
      FACILITATOR_URL: facilitator.url,
      TILL_SECRET: "a secret of the example's own, for this test",
      DATABASE: join(folder, "till.sqlite")
    })

    beforeAll(async () => {
      chain = await startChain()
      facilitator = await startFacilitator({ chain })
      folder = await mkdtemp(join(tmpdir(), "till402-example-"))
    })
    afterAll(async () => {
      await facilitator.stop()
      await chain.stop()
      await rm(folder, { recursive: true })
    })

    it("serves its own routes beside the till's, is paid, and ends when told to", async () => {
      const { stop, url } = await start(main, environment())

      const home = await fetch(url)
      expect(home.status).toBe(200)
      expect(await home.text()).toContain("A shop of my own")
      const health = await fetch(`${url}/health`)
      expect(await health.json()).toEqual({ ok: true })
      expect((await fetch(`${url}/nowhere`)).status).toBe(404)

      const unpaid = await fetch(`${url}/x402/search?q=headphones`)
      expect(unpaid.status).toBe(402)
      const challenge = (await unpaid.json()) as Challenge
      expect(challenge.accepts[0]).toMatchObject({
        network: "base-sepolia",
        maxAmountRequired: String(searchPrice),
        payTo: payTo(),
        resource: `${baseUrl}/x402/search`
      })

      const key = `0x${Buffer.from(buyer().getHdKey().privateKey!).toString("hex")}` as const
      await chain.mint(buyer().address, 1_000_000n)
      const before = [await chain.balanceOf(buyer().address), await chain.balanceOf(payTo())] as const
      const paid = await payingFetch(key)(`${url}/x402/search?q=headphones`)
      expect(paid.status).toBe(200)
      expect(paid.headers.get("payment-response")).toBeTruthy()
      expect(
        ((await paid.json()) as { readonly products: ReadonlyArray<unknown> }).products
      ).not.toHaveLength(0)
      expect(await chain.balanceOf(buyer().address)).toBe(before[0] - searchPrice)
      expect(await chain.balanceOf(payTo())).toBe(before[1] + searchPrice)

      expect(await stop()).toBe(0)
    })

    it("starts again on the same database", async () => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        const { stop, url } = await start(main, environment())
        expect((await fetch(`${url}/x402/vault/search`)).status).toBe(402)
        expect(await stop(signal)).toBe(0)
      }
    })

    it("says which variables are missing", async () => {
      const { FACILITATOR_URL: _url, PAY_TO: _payTo, ...rest } = environment()
      const child = spawnExample(main, rest)
      let said = ""
      child.stderr!.on("data", (chunk: Buffer) => (said += chunk.toString()))
      const [code] = await once(child, "close")
      expect(code).toBe(1)
      expect(said).toContain("Set these in the environment first: PAY_TO, FACILITATOR_URL.")
    })

    it("runs by one command on a chain and a facilitator of its own", async () => {
      const { stop, url } = await start(new URL("sandbox.ts", sources), { PORT: "0", BASE_URL: baseUrl })
      const challenge = (await (await fetch(`${url}/x402/search`)).json()) as Challenge
      expect(challenge.accepts[0]).toMatchObject({ resource: `${baseUrl}/x402/search` })
      expect(await stop()).toBe(0)
    })
  })
}
