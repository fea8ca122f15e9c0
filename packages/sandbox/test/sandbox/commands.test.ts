import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { startPage } from "../../src/cli/Announcement.ts"
import { parseArguments, usage } from "../../src/cli/Arguments.ts"
import type { AnySandbox } from "../../src/NetworkChoice.ts"
import { trackingNumbers } from "../../src/shop/index.ts"
import { paintFor } from "../../src/Terminal.ts"
import { commandMillis, demo, expectTour, hash, unchanging, useCommands } from "./commandRuns.ts"

/*
 * The demo, run as a person runs it, and what the sandbox says. commands.deep.test.ts runs the sandbox, too.
 */

useCommands()

describe("what people read at the start", () => {
  const solana = {
    network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    rpcUrl: "http://127.0.0.1:40217",
    asset: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
    payTo: "9".repeat(44),
    wallets: [{ address: "8".repeat(44), secretKey: "7".repeat(88), balanceAtomic: 1_000_000_000n }]
  }
  const sandbox = {
    baseUrl: "http://127.0.0.1:65535",
    adapter: "express",
    facilitatorUrl: "http://127.0.0.1:41873",
    chain: {},
    network: "eip155:84532",
    rpcUrl: "http://127.0.0.1:38049",
    asset: `0x${"1".repeat(40)}`,
    payTo: `0x${"2".repeat(40)}`,
    wallets: [
      { address: `0x${"3".repeat(40)}`, privateKey: `0x${"4".repeat(64)}`, balanceAtomic: 1_000_000_000n }
    ],
    solana
  } as unknown as AnySandbox
  const linesOver80 = (text: string) => text.split("\n").filter((line) => line.length > 80)

  it("has lines of at most 80 columns, but for the one secret key that is longer", () => {
    const text = startPage(sandbox, paintFor({}, {}))
    expect(linesOver80(text)).toEqual(["7".repeat(88)])
    expect(linesOver80(usage)).toEqual([])
    const words = text.replaceAll(/\s+/g, " ")
    for (const { number, shows } of trackingNumbers)
      expect(words.split(`${number} `)[1], number).toContain(shows)
    expect(words).toContain("(then add &destinationPostalCode=97201)")
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
    [["--host", "shop.test:80"], /--host must be a name without a port.*got shop.test:80/],
    [["--host", "https://shop.test"], /--host/],
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
