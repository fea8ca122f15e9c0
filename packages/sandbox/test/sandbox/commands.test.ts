import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parseArguments } from "../../src/cli/Arguments.ts"
import {
  command,
  commandMillis,
  demo,
  expectStop,
  expectTour,
  hash,
  ready,
  unchanging,
  useCommands,
  wallet
} from "./commandRuns.ts"

/*
 * Both commands, run as a person or a program runs them. commands.deep.test.ts has the rest of what they promise.
 */

useCommands()

describe("the sandbox command", { timeout: commandMillis }, () => {
  it("prints exactly one line of JSON once it is ready, and stops everything at SIGINT", async () => {
    const run = command("cli", ["--json", "--port", "0", "--adapter", "express", "--network", "base-sepolia"])
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
      wallets: [wallet, wallet]
    })
    expect((await fetch(`${announced.baseUrl}/x402/search?q=lamp`)).status).toBe(402)
    await expectStop(run, announced, "SIGINT")
    expect(run.output.stderr).toContain("starting")
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
  it("pays all seven routes on one network, follows two orders, and the balances add up", async () => {
    const { stderr, stdout } = await demo(["--network", "base-sepolia"])
    expect(stdout).not.toContain("\u001b")
    expectTour(stdout, hash)
    // The README shows a picture of it.
    const recorded = readFileSync(new URL("../../../../docs/demo.txt", import.meta.url), "utf8")
    expect(unchanging(stdout)).toBe(unchanging(recorded))
    // Expected events aren't printed as warnings.
    expect(stderr).not.toContain("warning")
  })
})
