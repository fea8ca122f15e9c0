import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { parseArguments } from "../../src/cli/Arguments.ts"
import {
  command,
  commandMillis,
  demo,
  expectStopAt,
  expectTour,
  hash,
  ready,
  signature,
  solana,
  useCommands,
  wallet
} from "./commandRuns.ts"

/*
 * Both commands, run as a person or a program runs them.
 */

useCommands()

describe("the sandbox command", { timeout: commandMillis }, () => {
  it("prints exactly one line of JSON once it is ready", async () => {
    const run = command("cli", ["--json", "--port", "0", "--adapter", "express"])
    const announced = await ready(run)
    expect(run.output.stdout.split("\n")).toHaveLength(2)
    expect(announced).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      adapter: "express",
      chainId: 84532,
      network: "eip155:84532",
      rpcUrl: expect.stringMatching(/^http:/),
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      facilitatorUrl: expect.stringMatching(/^http:/),
      wallets: [wallet, wallet],
      solana
    })
    expect((await fetch(`${announced.baseUrl}/x402/search?q=lamp`)).status).toBe(402)
    run.child.kill("SIGTERM")
    await run.closed
    expect(run.output.stderr).toContain("starting")
  })

  it("stops everything at SIGINT", () => expectStopAt("SIGINT"))

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

  it("refuses wrong arguments with exit code 2, and explains itself with 0", async () => {
    const wrong = command("cli", ["--adapter", "fastify"])
    expect(await wrong.closed).toBe(2)
    expect(wrong.output.stdout).toBe("")
    expect(wrong.output.stderr).toContain("--adapter must be hono, express or koa: got fastify")
    const help = command("cli", ["--help"])
    expect(await help.closed).toBe(0)
    expect(help.output.stdout).toContain("--port N")
  })
})

describe("parseArguments", () => {
  it("has defaults", () => {
    expect(parseArguments([])).toEqual({
      _tag: "Run",
      options: { port: 4021, adapter: "hono", network: "both", json: false }
    })
  })

  it.each([
    [["--port", "65536"], /--port must be 0 to 65535: got 65536/],
    [["--port", "-1"], /--port/],
    [["--port", "80a"], /got 80a/],
    [["--port", ""], /--port must be/],
    [["--port"], /--port/],
    [["--adapter", "toString"], /got toString/],
    [["--network", "polygon"], /--network must be both, base-sepolia or solana: got polygon/],
    [["--jsno"], /--jsno/],
    [["extra"], /extra/]
  ])("refuses %j", (args, message) => {
    expect(parseArguments(args)).toEqual({ _tag: "Wrong", message: expect.stringMatching(message) })
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
})
