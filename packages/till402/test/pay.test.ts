import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { operation } from "@till402/core"
import { describe, expect, it, onTestFinished } from "vitest"
import { judgeOffer, readOffer } from "../src/pay/Offers.ts"
import { listen, payTo, privateKey, startNode, startService, till402, withHeaders } from "./world.ts"

const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "till402-pay-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A service, and a wallet with five dollars. */
const openShop = async (...given: Parameters<typeof startService>) => {
  const node = await startNode()
  const service = await startService(...given)
  const pay = (path: string, ...args: ReadonlyArray<string>) =>
    till402(["pay", `${service.url}${path}`, "--rpc", node.url, ...args], { PRIVATE_KEY: privateKey })
  return { ...service, node, pay }
}

describe("till402 pay", () => {
  it("pays, and prints the response, and beside it price, receipt and balance", async () => {
    const { facilitator, pay, url } = await openShop()
    const { code, noted, printed } = await pay("/x402/search?q=mug")
    expect(JSON.parse(printed)).toMatchObject({ page: 1 })
    const [settled] = facilitator.settled
    expect(facilitator.settled).toMatchObject([{ payer: address, payTo, amountAtomic: "10000" }])
    expect(noted.replaceAll(/\n +/g, " ").split("\n")).toEqual([
      `price      0.01 USDC on base-sepolia, to ${payTo}`,
      `wallet     ${address}, of PRIVATE_KEY`,
      `paid       ${settled!.transaction}`,
      "balance    5.00 on base-sepolia"
    ])
    expect(Math.max(...noted.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(`${printed}${noted}`).not.toContain(privateKey.slice(2))
    expect([code, url.startsWith("http://127.0.0.1")]).toEqual([0, true])
  })

  it("sends a body as JSON with POST, and prints one line of JSON", async () => {
    const echo = operation({
      id: "echo",
      method: "POST",
      path: "/echo",
      description: "Echo",
      price: "0.03",
      input: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } },
      work: (input) => ({ input })
    })
    const { pay } = await openShop({ operations: [echo] })
    const { code, printed } = await pay("/echo", "-d", '{"a":"b"}', "--json")
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toEqual({
      status: 200,
      paid: true,
      amount: "0.03",
      network: "base-sepolia",
      payTo,
      wallet: address,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      balance: "5.00",
      body: { input: { a: "b" } }
    })
  })

  it("reads the key of a file, and saves the response in one", async () => {
    const { pay } = await openShop()
    const path = folder()
    writeFileSync(join(path, "key"), `${privateKey.slice(2)}\n`)
    const saved = join(path, "response.json")
    const { code, printed } = await pay("/x402/search?q=mug", "--key-file", join(path, "key"), "-o", saved)
    expect([code, printed]).toEqual([0, ""])
    expect(JSON.parse(readFileSync(saved, "utf8"))).toMatchObject({ page: 1 })
  })

  it("uses the wallet and the node of a sandbox for a server on this machine", async () => {
    const { facilitator, node, url } = await openShop()
    const sandbox = await listen((request, response) => {
      const document = { rpcUrl: node.url, wallets: [{ privateKey }] }
      response.writeHead(request.url === "/sandbox.json" ? 200 : 404)
      response.end(JSON.stringify(document))
    })
    const { code, noted } = await till402(["pay", `${url}/x402/search?q=mug`, "--sandbox", sandbox])
    expect([code, facilitator.settled.length]).toEqual([0, 1])
    expect(noted).toContain("of the sandbox at")
    expect(noted).toContain("balance    5.00 on base-sepolia")
  })

  it("shows the price without paying: --dry-run", async () => {
    const { facilitator, pay } = await openShop()
    const { code, noted, printed } = await pay("/x402/search?q=mug", "--dry-run")
    expect([code, printed, facilitator.settled]).toEqual([0, "", []])
    expect(noted).toContain("price      0.01 USDC on base-sepolia")
    const json = await pay("/x402/search?q=mug", "--dry-run", "--json")
    expect(JSON.parse(json.printed)).toMatchObject({ status: 402, paid: false, amount: "0.01", body: null })
    expect(facilitator.verify.calls).toEqual([])
  })

  it("sends the same payment again while its outcome isn't known", async () => {
    let failing = 2
    const payments: Array<string | null> = []
    const { facilitator, pay } = await openShop(
      {},
      {
        instead: ({ headers }) => {
          if (!headers.has("payment-signature")) return undefined
          payments.push(headers.get("payment-signature"))
          return failing-- > 0
            ? new Response("", { status: 503, headers: { "retry-after": "7" } })
            : undefined
        }
      }
    )
    const { code, slept } = await pay("/x402/search?q=mug")
    expect([code, slept]).toEqual([0, [7_000, 7_000]])
    expect([payments.length, new Set(payments).size]).toEqual([3, 1])
    expect(facilitator.settled).toHaveLength(1)
  })

  it("gives up after six times, and exits with 1", async () => {
    const { pay } = await openShop(
      {},
      {
        instead: ({ headers }) =>
          headers.has("payment-signature") ? Response.json({ code: "X" }, { status: 500 }) : undefined
      }
    )
    const { code, noted, printed, slept } = await pay("/x402/search?q=mug")
    expect([code, slept.length, printed]).toEqual([1, 5, '{"code":"X"}'])
    expect(noted.replaceAll(/\s+/g, " ")).toContain("look at the wallet's transfers before you pay again")
  })

  it("pays nobody else where a server redirects, or asks for nothing", async () => {
    const moved = await openShop(
      {},
      { instead: () => new Response("", { status: 307, headers: { location: "https://other.example/" } }) }
    )
    const { code, noted } = await moved.pay("/x402/search?q=mug")
    expect([code, noted]).toEqual([1, expect.stringContaining("names https://other.example/: call that")])
    expect(moved.facilitator.settled).toEqual([])
  })
})

describe("till402 pay says why a client would refuse:", () => {
  it("a price above --max", async () => {
    const { facilitator, pay } = await openShop()
    const { code, noted } = await pay("/x402/track?number=EE123456785US", "--max", "0.10")
    expect([code, facilitator.settled]).toEqual([1, []])
    expect(noted).toContain(
      "0.52 USDC on base-sepolia: the price is above --max 0.10; to pay it, add --max 0.52"
    )
    expect((await pay("/x402/track?number=EE123456785US", "--max", "0.52")).code).toBe(0)
  })

  it("no balance", async () => {
    const { facilitator, node, pay } = await openShop()
    node.balanceAtomic = 9_999n
    const { code, noted } = await pay("/x402/search?q=mug")
    expect([code, facilitator.settled]).toEqual([1, []])
    expect(noted).toContain(`0.01 USDC on base-sepolia: the wallet ${address} has 0.009999 of it`)
  })

  it("but pays where the balance can't be read, and says so", async () => {
    const { facilitator, node, pay } = await openShop()
    node.chainId = 1
    const { code, noted } = await pay("/x402/search?q=mug")
    expect([code, facilitator.settled.length]).toEqual([0, 1])
    expect(noted).toContain("balance    not known: the node is on chain 1; --rpc gives another node")
  })

  it("a 402 whose header a proxy has dropped", async () => {
    const { pay } = await openShop(
      {},
      {
        response: (response) =>
          response.status === 402 ? new Response("<h1>Payment required</h1>", { status: 402 }) : response
      }
    )
    const { code, noted } = await pay("/x402/search?q=mug")
    expect([code, noted]).toEqual([1, expect.stringContaining("a proxy may have dropped it")])
  })

  it("no wallet", async () => {
    const { url } = await startService()
    const nobody = await listen((_request, response) => response.writeHead(404).end())
    const { code, noted } = await till402(["pay", `${url}/x402/search?q=mug`, "--sandbox", nobody])
    expect([code, noted]).toEqual([1, expect.stringContaining("there is no wallet, and no sandbox runs")])
  })

  it("a payment that the server refuses, in its words", async () => {
    const { facilitator, pay } = await openShop()
    facilitator.rejectsVerification("insufficient_funds")
    const { code, noted } = await pay("/x402/search?q=mug")
    expect([code, noted]).toEqual([
      1,
      expect.stringMatching(/the server refused the payment: .*insufficient_funds.*Nothing was charged/)
    ])
  })

  it.each([
    ["nothing", {}],
    ["nonsense", { accepts: [null, { network: 1, asset: {}, amount: "1" }] }],
    ["control characters", { accepts: [{ scheme: "\u001b[2J", network: "x" }] }]
  ])("a 402 that offers %s, without a stack trace", async (_, challenge) => {
    const header = Buffer.from(JSON.stringify({ x402Version: 2, ...challenge })).toString("base64")
    const url = await listen((_request, response) =>
      response.writeHead(402, { "payment-required": header }).end()
    )
    const { code, noted } = await till402(["pay", url], { PRIVATE_KEY: privateKey })
    expect([code, noted]).toEqual([1, expect.stringMatching(/^Nothing was paid|^the server returned 402/)])
    expect(noted).not.toContain("\u001b")
    expect(noted).not.toMatch(/TypeError|undefined|^ +at /m)
  })

  it("a server that isn't there", async () => {
    const { code, noted } = await till402(["pay", "http://127.0.0.1:1/x402"])
    expect([code, noted]).toEqual([1, expect.stringContaining("can't be reached")])
  })

  const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
  const base = { scheme: "exact", network: "eip155:84532", asset: usdc, payTo, amount: "10000" }
  it.each([
    [{}, undefined],
    [{ network: "base-sepolia", amount: undefined, maxAmountRequired: "10000" }, undefined],
    [{ scheme: "upto" }, "the scheme upto isn't known"],
    [{ network: "eip155:999" }, "the network eip155:999 isn't known here"],
    [{ network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" }, "it is paid by a Solana wallet"],
    [{ asset: payTo }, `it asks for the token ${payTo}, which isn't USDC`],
    [{ amount: "1.5" }, "an amount that is no whole number"],
    [{ amount: "1000001" }, "the price is above --max 1.00; to pay it, add --max 1.000001"]
  ])("the offer %j: %s", (changes, reason) => {
    const offer = readOffer({ ...base, ...changes } as never)
    const verdict = judgeOffer(offer, { families: ["evm"], maxAtomic: 1_000_000n, tokens: [] })
    if (reason === undefined) expect(verdict).toMatchObject({ _tag: "Payable", amountAtomic: 10_000n })
    else expect(verdict).toMatchObject({ _tag: "Refused", reason: expect.stringContaining(reason) })
  })

  it.each([
    [
      ["evm"] as const,
      "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
      "it is paid by a Solana wallet, and the key is of an EVM wallet"
    ],
    [["solana"] as const, "eip155:8453", "it is paid by an EVM wallet, and the key is of a Solana wallet"]
  ])("a wallet of %j for %s", (families, network, reason) => {
    const verdict = judgeOffer(readOffer({ ...base, network }), { families, maxAtomic: 1n, tokens: [] })
    expect(verdict).toMatchObject({ _tag: "Refused", reason })
  })

  it("a token is paid that the caller trusts", () => {
    const offer = readOffer({ ...base, asset: payTo })
    expect(judgeOffer(offer, { families: ["evm"], maxAtomic: 1_000_000n, tokens: [payTo] })._tag).toBe(
      "Payable"
    )
  })

  it("and never more than --max, whatever the 402 says the second time", async () => {
    const { facilitator, pay } = await openShop(
      {},
      {
        // The price of the header is raised on the way.
        response: (response) => {
          const header = response.headers.get("payment-required")
          if (header === null) return response
          const challenge = JSON.parse(Buffer.from(header, "base64").toString())
          challenge.accepts[0].amount = "5000000"
          return withHeaders(response, (headers) =>
            headers.set("payment-required", Buffer.from(JSON.stringify(challenge)).toString("base64"))
          )
        }
      }
    )
    const { code, noted } = await pay("/x402/search?q=mug")
    expect([code, facilitator.verify.calls]).toEqual([1, []])
    expect(noted).toContain("5.00 USDC on base-sepolia: the price is above --max 1.00")
  })
})

it.each([
  [["pay", "ftp://shop.example"], "URL must be an address"],
  [["pay", "x.example", "-d", "{}", "-X", "GET"], "GET has no body"],
  [["pay", "x.example", "--max", "-1"], "--max"],
  [["pay", "x.example", "--max", "all"], "--max must be US dollars above 0, such as 1.00: got all"],
  [["pay", "x.example", "-H", "nonsense"], '--header must be "Name: value": got nonsense'],
  [["pay", "x.example", "-H", "na me: x"], "--header"],
  [["pay", "x.example", "--rpc", "x"], "--rpc must be an address"]
])("%j is a wrong command line", async (args, text) => {
  const { code, noted } = await till402(args)
  expect([code, noted]).toEqual([2, expect.stringContaining(text)])
})

it("a key that is none is never shown", async () => {
  const { url } = await startService()
  const { code, noted } = await till402(["pay", `${url}/x402/search?q=mug`], { PRIVATE_KEY: "0x1234abcd" })
  expect([code, noted]).toEqual([
    1,
    "the key of PRIVATE_KEY must be 64 hexadecimal digits, as of an EVM wallet, or a key pair of Solana"
  ])
})
