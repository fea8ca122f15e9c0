import { memory, TemporarilyUnavailable, Till } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { Hono } from "hono"
import { logger } from "hono/logger"
import { expect, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { address, baseUrl, type Call, calls, downloadOf, jsonOf, payTo, vaultItems } from "../src/Calls.ts"
import { openFlakyRpc } from "../src/FlakyRpc.ts"
import { openGoods } from "../src/Goods.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs, type Ours } from "../src/Ours.ts"
import { headerOf, type Payment, payer } from "../src/Payments.ts"
import { type Server, visit, type Visitor } from "../src/Visitor.ts"

const local = localChainOfFile()

const hostSecret = "a text that nobody can guess, of 32 characters or more"
const email = "ada@mail.example"

/** Captures everything written to the console, standard output and standard error during a test. */
const overhear = (): (() => string) => {
  const printed: Array<string> = []
  const note = (...parts: ReadonlyArray<unknown>): void => {
    printed.push(parts.map((part) => (part instanceof Error ? String(part.stack) : String(part))).join(" "))
  }
  for (const method of ["debug", "error", "info", "log", "warn"] as const)
    vi.spyOn(console, method).mockImplementation(note)
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      note(chunk)
      return true
    })
  // In development, runtimes also print what providers throw.
  vi.stubEnv("NODE_ENV", "production")
  onTestFinished(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })
  return () => printed.join("\n")
}

/** Parts of a payment that log readers must never see, in the forms in which they travel. */
const secretsOf = (payment: Payment): ReadonlyArray<string> => [
  headerOf(payment),
  // A part of it reveals as much as the whole.
  headerOf(payment).slice(200, 280),
  payment.payload.signature,
  payment.payload.signature.slice(2, 40)
]
const standing = [email, address.name, address.line1, address.postalCode, hostSecret]

const buyAndLink = async (visitor: Visitor): Promise<{ readonly token: string; readonly link: Call }> => {
  const bought = jsonOf(await visitor.present(calls.vaultBuy, await visitor.payFor(calls.vaultBuy)))
  const token = String(bought["downloadToken"])
  return { token, link: downloadOf(String(bought["purchaseId"]), token) }
}

/** An error as a careless provider throws it, with all the data of the request. */
const indiscreet = (payment?: Payment): Error => {
  const text = `failed for ${email}, ${address.name}, ${address.line1}, ${address.postalCode}, ${hostSecret}`
  const error = new Error(payment === undefined ? text : `${text}, ${secretsOf(payment).join(", ")}`)
  return Object.assign(error, { cause: new Error(text), request: text })
}

/** Presents a payment to each route while every provider fails with an error that quotes the request. */
const failEverywhere = async (server: Server, secrets: Array<string>): Promise<void> => {
  const visitor = visit(server)
  const { assistant, files, fulfilment, mailer, marketplace, tracker } = server.goods
  const { link, token } = await buyAndLink(visitor)
  secrets.push(token)
  mailer.send.failsWith(indiscreet())
  for (const call of [...Object.values(calls), link]) {
    const payment = await visitor.payFor(call)
    secrets.push(...secretsOf(payment))
    for (const provider of [assistant.reply, files.open, marketplace.search, tracker.track])
      provider.failsOnceWith(indiscreet(payment))
    await visitor.presentAgain(call, payment)
    await visitor.presentAgain(call, payment)
    for (const provider of [assistant.reply, files.open, marketplace.search, tracker.track]) provider.reset()
    await visitor.present(call, { ...payment, payload: { ...payment.payload, signature: "0x" } })
    await visitor.present(call, `${headerOf(payment)}!`)
    await visitor.send({ ...call, path: `${call.path}%` }, { "payment-signature": headerOf(payment) })
  }
  // An order that can't be placed, and a quote that fails.
  fulfilment.place.failsWith(indiscreet())
  await visitor.presentAgain(calls.buy, await visitor.payFor(calls.buy))
  await vi.waitFor(() => expect(fulfilment.place.calls.length).toBeGreaterThan(1))
  for (const thrown of [indiscreet(), new TemporarilyUnavailable({ message: indiscreet().message })]) {
    fulfilment.quote.failsWith(thrown)
    await visitor.send({ ...calls.buy, body: { ...(calls.buy.body as object), asin: "B000000002" } })
  }
}

/** Settlements of unknown outcome, with a chain that can't be read. */
const failToSettle = async (secrets: Array<string>): Promise<Ours> => {
  const rpc = await openFlakyRpc(local().chain.rpcUrl)
  const facilitator = fakeFacilitator()
  const server = await openOurs(facilitator, {
    networks: [{ network: "base-sepolia", rpcUrl: `${rpc.url}/${hostSecret.replaceAll(" ", "-")}` }],
    trustFacilitator: false
  })
  const visitor = visit(server)
  // A till whose node has shown no block yet takes no payment: one that is refused has it read.
  facilitator.verify.returnsOnce({ isValid: false, invalidReason: "invalid_payment" })
  expect((await visitor.present(calls.track, await visitor.payFor(calls.track))).status).toBe(402)
  rpc.cutOff()
  for (const call of [calls.track, calls.buy, calls.vaultBuy]) {
    const payment = await visitor.payFor(call)
    secrets.push(...secretsOf(payment))
    facilitator.settle.failsWith(indiscreet(payment))
    expect((await visitor.present(call, payment)).status).toBe(503)
    const reason = payment.payload.signature
    facilitator.settle.returns({ success: false, transaction: "", errorReason: reason })
    expect((await visitor.present(call, payment)).status).toBe(503)
  }
  await server.till.reconcile()
  return server
}

attack("secrets read in the logs", {
  on: `${official} behind Hono's logger`,
  lands: async () => {
    const server = openOfficial(fakeFacilitator())
    const lines: Array<string> = []
    const app = new Hono()
      .use(logger((...parts) => lines.push(parts.join(" "))))
      .all("*", ({ req }) => server.fetch(req.raw))
    const visitor = visit({ fetch: async (request) => app.fetch(request) })
    const { link, token } = await buyAndLink(visitor)
    await visitor.present(link, await visitor.payFor(link))
    expect(lines.join("\n")).toContain(token)
  },
  fails: async () => {
    const printed = overhear()
    const secrets: Array<string> = [...standing, hostSecret.replaceAll(" ", "-")]
    const failing = await openOurs(fakeFacilitator())
    await failEverywhere(failing, secrets)
    const unsettled = await failToSettle(secrets)
    const events = [...failing.events, ...unsettled.events]
    const messages = new Set(events.map(({ message }) => message))
    // The operator is notified of all of it, without secrets.
    for (const message of [
      "A provider failed",
      "A purchase confirmation could not be sent",
      "The outcome of a settlement is unknown"
    ])
      expect(messages).toContain(message)
    expect([...messages].some((text) => text.startsWith("The chain could not be read"))).toBe(true)
    const log = JSON.stringify(events) + printed()
    for (const secret of secrets) expect(log.includes(secret), secret).toBe(false)
    // The key of a charge names its payer's wallet and nonce, as the chain does; nothing else does.
    const others = JSON.stringify(events.map((event) => ({ ...event, chargeKey: undefined })))
    expect(others.toLowerCase()).not.toContain(payer.address.toLowerCase())
    expect(printed()).toBe("")
  }
})

attack("secrets in the default log", {
  on: "a hand-rolled server that prints failed requests",
  lands: async () => {
    const printed = overhear()
    const app = new Hono()
      .onError((error, { req, text }) => {
        console.error(req.method, req.url, JSON.stringify(req.header()), error)
        return text("Internal Server Error", 500)
      })
      .get("/x402/track", () => {
        throw indiscreet()
      })
    const payment = await visit(openOfficial(fakeFacilitator())).payFor(calls.track)
    await app.fetch(
      new Request(baseUrl + calls.track.path, { headers: { "payment-signature": headerOf(payment) } })
    )
    for (const secret of [headerOf(payment), email]) expect(printed()).toContain(secret)
  },
  fails: async () => {
    const printed = overhear()
    const secrets: Array<string> = [...standing]
    // The log of a host that configures none: lines on standard error.
    const goods = openGoods()
    const { marketplace, files, ...ports } = goods
    const till = Till.make({
      baseUrl,
      payTo,
      networks: ["base-sepolia"],
      facilitator: fakeFacilitator(),
      trustFacilitator: true,
      secret: hostSecret,
      storage: memory(),
      marketplaces: { marketplace_a: marketplace },
      vault: files,
      ...ports
    })
    onTestFinished(() => till.dispose())
    await till.ready
    for (const item of vaultItems) await till.vault.put(item)
    await failEverywhere({ goods, fetch: (request) => till.fetch(request) }, secrets)
    expect(printed()).toContain('"message":"A provider failed"')
    for (const secret of secrets) expect(printed().includes(secret), secret).toBe(false)
    expect(printed().toLowerCase()).not.toContain(payTo.toLowerCase())
  }
})
