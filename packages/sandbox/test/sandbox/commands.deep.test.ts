import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { payingFetch, sellsOutAsin } from "@till402/sandbox"
import { describe, expect, it } from "vitest"
import {
  command,
  commandMillis,
  databaseFolders,
  demo,
  expectStop,
  expectStopAt,
  expectTour,
  hash,
  isUp,
  ready,
  signature,
  solana,
  startMillis,
  useCommands,
  wallet
} from "./commandRuns.ts"

/*
 * Both commands, run as a person or a program runs them.
 */

useCommands()

/** What the sandbox announces of its EVM network. */
const onBaseSepolia = {
  chainId: 84532,
  network: "eip155:84532",
  rpcUrl: expect.stringMatching(/^http:/),
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  facilitatorUrl: expect.stringMatching(/^http:/),
  wallets: [wallet, wallet]
}

describe("the sandbox command", { timeout: commandMillis }, () => {
  it("prints exactly one line of JSON once it is ready, and stops everything at SIGINT", async () => {
    const run = command("cli", ["--json", "--port", "0", "--adapter", "express", "--network", "base-sepolia"])
    const announced = await ready(run)
    expect(run.output.stdout.split("\n")).toHaveLength(2)
    expect(announced).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      adapter: "express",
      ...onBaseSepolia
    })
    expect((await fetch(`${announced.baseUrl}/x402/search?q=lamp`)).status).toBe(402)
    await expectStop(run, announced, "SIGINT")
    expect(run.output.stderr).toContain("starting")
    // Its database is new each time: that isn't news.
    expect(run.output.stderr).not.toContain("storage_created")
  })

  it("offers one network with --network", async () => {
    const runs = ["solana", "base-sepolia"].map((network) =>
      command("cli", ["--json", "--port=0", "--network", network])
    )
    const [onSolana, onEvm] = await Promise.all(runs.map(ready))
    expect(onSolana).toEqual({
      baseUrl: expect.stringMatching(/^http:/),
      adapter: "hono",
      facilitatorUrl: expect.stringMatching(/^http:/),
      solana
    })
    expect(Object.keys(onEvm!)).not.toContain("solana")
    expect(onEvm).toMatchObject({ network: "eip155:84532", wallets: [wallet, wallet] })
    for (const { child } of runs) child.kill("SIGTERM")
    await Promise.all(runs.map(({ closed }) => closed))
  })

  it("offers both networks", async () => {
    const run = command("cli", ["--json", "--port=0"])
    expect(await ready(run)).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      adapter: "hono",
      ...onBaseSepolia,
      solana
    })
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(0)
  })

  it.each(["SIGTERM", "SIGHUP"] as const)("stops everything at %s", expectStopAt)

  it("reports that its port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const run = command("cli", ["--json", "--port", String(port)])
    expect(await run.closed).toBe(1)
    expect(run.output.stdout).toBe("")
    expect(run.output.stderr.trim()).toBe(
      `Port ${port} is in use; choose another with --port, or 0 for a free one.`
    )
    other.close()
  })

  it("refuses wrong arguments with exit code 2", async () => {
    const wrong = command("cli", ["--adapter", "fastify"])
    expect(await wrong.closed).toBe(2)
    expect(wrong.output.stdout).toBe("")
    expect(wrong.output.stderr).toContain("--adapter must be hono, express or koa: got fastify")
  })

  it("explains itself", async () => {
    const help = command("cli", ["--help"])
    expect(await help.closed).toBe(0)
    expect(help.output.stdout).toContain("--port N")
  })

  it("stops when the process that started it is gone", async () => {
    const run = command("cli", ["--json", "--port=0"])
    const { rpcUrl } = await ready(run)
    // Node emits no `close` for a child whose channel was closed from this side.
    const exited = once(run.child, "exit")
    run.child.disconnect()
    expect(await exited).toEqual([0, null])
    expect(await isUp(rpcUrl)).toBe(false)
  })

  it("shows addresses and commands to try", async () => {
    const run = command("cli", ["--port=0", "--adapter=koa"])
    await expect.poll(() => run.output.stdout, { timeout: startMillis }).toContain("Ctrl-C")
    for (const words of [
      "koa",
      "curl",
      "private key 0x",
      "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
      "secret key\n",
      "TILL-DELIVERED",
      "CARRIER_NOT_DETECTED",
      sellsOutAsin
    ]) {
      expect(run.output.stdout).toContain(words)
    }
    // Piped output has no colors.
    expect(run.output.stdout).not.toContain("\u001b")
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(0)
  })

  it("prints each step of an order on standard error, one line each", async () => {
    const run = command("cli", ["--json", "--port=0"])
    const { baseUrl, wallets } = await ready(run)
    const response = await payingFetch(wallets[0]!.privateKey)(`${baseUrl}/x402/buy`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        asin: sellsOutAsin,
        email: "ada@example.com",
        shippingAddress: {
          name: "Ada Lovelace",
          line1: "12 Analytical Way",
          city: "San Francisco",
          state: "CA",
          postalCode: "94105",
          country: "US"
        }
      })
    })
    expect(response.status).toBe(200)
    const { orderId } = (await response.json()) as { readonly orderId: string }
    const steps = () => run.output.stderr.split("\n").filter((line) => line.startsWith("order "))
    await expect
      .poll(steps, { timeout: startMillis })
      .toEqual([
        `order ${orderId}  awaiting_payment → processing`,
        `order ${orderId}  processing → placing`,
        `order ${orderId}  placing → failed  out_of_stock`,
        `order ${orderId}  failed → refund_due  out_of_stock`,
        `order ${orderId}  refund_due → refunded  out_of_stock`
      ])
    expect(run.output.stdout.split("\n")).toHaveLength(2)
    expect(run.output.stderr).not.toMatch(/Ada|Analytical|ada@/)
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(0)
  })
})

describe("the demo command", { timeout: commandMillis }, () => {
  it("pays all seven routes on each network, follows two orders, and the balances add up", async () => {
    const { stderr, stdout } = await demo([])
    expect(stdout).not.toContain("\u001b")
    const [onEvm, onSolana, ...others] = stdout.split(/^(?=Till402 at )/m)
    expect(others).toEqual([])
    expectTour(onEvm ?? "", hash)
    expectTour(onSolana ?? "", signature)
    // Expected events aren't printed as warnings.
    expect(stderr).not.toContain("warning")
  })

  it("pays on Solana alone with --network", async () => {
    const { stdout } = await demo(["--network", "solana"])
    expect(stdout).not.toMatch(/0x[0-9a-f]{6}/)
    expectTour(stdout, signature)
  })

  it("refuses another network with exit code 2", async () => {
    const run = command("demo", ["--network", "polygon"])
    expect(await run.closed).toBe(2)
    expect(run.output.stderr).toContain("--network must be both, base-sepolia or solana: got polygon")
  })

  it("stops everything when it is interrupted", async () => {
    const run = command("demo", [])
    await expect.poll(() => run.output.stderr, { timeout: startMillis }).toContain("starting")
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(143)
    expect(databaseFolders()).toEqual([])
  })
})
