import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { memory, Till } from "@till402/core"
import { Buy, VaultBuy, VaultSearch } from "@till402/core/effect"
import { incoming, targetOf, writeResponse } from "@till402/core/node"
import { fakeFacilitator, fakeFulfilment, fakeMailer, fakeVaultFiles } from "@till402/testing"
import { registerExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithSIWx } from "@x402/extensions/sign-in-with-x"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { expect, it, onTestFinished, vi } from "vitest"
import { read, samplesOf } from "./documents.ts"

/*
 * The samples of docs/clients.md, with the official client over a socket.
 */

type KeptPayment = {
  readonly keepingFetch: (file: string) => typeof fetch
  readonly sendKept: (file: string, attempts?: number) => Promise<Response>
}
type SignIn = {
  readonly signIn: (url: string, signer: object, method?: string) => Promise<Response>
}

/** Imports a sample as printed. */
const importSample = async <Sample>(name: string): Promise<{ readonly sample: Sample; folder: string }> => {
  const found = samplesOf(read("docs/clients.md")).find(({ code }) => code.startsWith(`// ${name}\n`))
  if (found === undefined) throw new Error(`docs/clients.md has no sample ${name}`)
  const tmp = join(import.meta.dirname, ".tmp")
  mkdirSync(tmp, { recursive: true })
  const folder = mkdtempSync(join(tmp, "clients-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, name)
  writeFileSync(file, found.code)
  return { sample: (await import(/* @vite-ignore */ file)) as Sample, folder }
}

/** A till behind a server that loses responses to paid requests: as many as `lose` says. */
const openShop = async () => {
  const losing = { count: 0 }
  const server = createServer((request, response) => {
    void till.handle(incoming(request, { url: targetOf(request.url ?? "/")! })).then((result) => {
      const isLost = losing.count > 0 && request.headers["payment-signature"] !== undefined
      if (!isLost) return writeResponse(result, response)
      losing.count--
      request.socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const facilitator = fakeFacilitator()
  const till = Till.make({
    baseUrl,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator,
    trustFacilitator: true,
    secret: "no secret at all, since this is a test",
    storage: memory(),
    fulfilment: fakeFulfilment(),
    vault: fakeVaultFiles(),
    mailer: fakeMailer(),
    onEvent: () => undefined
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await till.dispose()
  })
  await till.ready
  await till.vault.put({ ...VaultSearch.example.output.items[0]!, slug: VaultBuy.example.input.slug })
  const signer = privateKeyToAccount(generatePrivateKey())
  const client = registerExactEvmScheme(new x402Client(), { signer })
  client.setSpendControls({ maxAmountPerPayment: "$200" })
  const post = (body: object): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const buying = [`${baseUrl}/x402/buy`, post(Buy.example.input)] as const
  const buyingItem = [`${baseUrl}/x402/vault/buy`, post(VaultBuy.example.input)] as const
  return { till, baseUrl, facilitator, losing, signer, client, buying, buyingItem }
}

const pageOf = (bought: Response): string =>
  /^<(.*)>; rel="status"$/.exec(bought.headers.get("link") ?? "")?.[1] ?? ""

it("a kept payment buys once, however often its response is lost", async () => {
  const { buying, client, facilitator, losing, till } = await openShop()
  const { folder, sample } = await importSample<KeptPayment>("keptPayment.ts")
  const file = join(folder, "payment.json")
  const pay = wrapFetchWithPayment(sample.keepingFetch(file), client)
  losing.count = 2
  const bought = await pay(...buying)
  expect([bought.status, losing.count]).toEqual([200, 0])
  expect(await bought.json()).toMatchObject({ status: "processing" })
  expect(existsSync(file)).toBe(false)
  expect(facilitator.settled).toHaveLength(1)
  expect(await till.orders.list()).toHaveLength(1)
})

it("a payment that was kept when the program ended is sent by the next one, and never overwritten", async () => {
  const { buying, client, facilitator, losing, till } = await openShop()
  const { folder, sample } = await importSample<KeptPayment>("keptPayment.ts")
  const file = join(folder, "payment.json")
  const pay = wrapFetchWithPayment(sample.keepingFetch(file), client)
  losing.count = 1
  const first = pay(...buying)
  await vi.waitFor(() => expect(losing.count).toBe(0), { timeout: 60_000, interval: 5 })
  // Its program would end here, before it sends the payment again.
  await expect(pay(...buying)).rejects.toThrow(/EEXIST/)
  const kept = readFileSync(file)
  expect((await first).status).toBe(200)
  writeFileSync(file, kept)
  const bought = await sample.sendKept(file)
  expect([bought.status, await bought.json()]).toMatchObject([200, { status: "processing" }])
  expect(facilitator.settled).toHaveLength(1)
  expect(await till.orders.list()).toHaveLength(1)
})

it("without a kept payment, the official client pays anew, and is refused", async () => {
  const { buying, client, facilitator, losing } = await openShop()
  const pay = wrapFetchWithPayment(fetch, client)
  losing.count = 1
  await expect(pay(...buying)).rejects.toThrow()
  expect([(await pay(...buying)).status, facilitator.settled.length]).toEqual([409, 1])
})

it("signs in at the status page, which the official wrapFetchWithSIWx leaves as it is", async () => {
  const { buying, buyingItem, client, signer } = await openShop()
  const { sample } = await importSample<SignIn>("signIn.ts")
  const pay = wrapFetchWithPayment(fetch, client)
  const bought = await pay(...buying)
  expect(bought.status).toBe(200)
  const page = pageOf(bought)
  expect((await wrapFetchWithSIWx(fetch, signer)(page)).status).toBe(401)

  const shown = await sample.signIn(page, signer)
  expect(shown.status, await shown.clone().text()).toBe(200)
  expect(await shown.json()).toMatchObject({ parcels: [], response: { body: await bought.json() } })
  const token = shown.headers.get("status-token")
  expect(token).toBe(bought.headers.get("status-token"))
  expect((await fetch(page, { headers: { "status-token": token! } })).status).toBe(200)
  expect((await sample.signIn(page, privateKeyToAccount(generatePrivateKey()))).status).toBe(404)

  const item = await pay(...buyingItem)
  expect(item.status).toBe(200)
  const { downloadToken } = (await item.json()) as { readonly downloadToken: string }
  const renewed = await sample.signIn(`${pageOf(item)}/token`, signer, "POST")
  const issued = (await renewed.json()) as { readonly downloadToken: string }
  expect([renewed.status, issued.downloadToken]).toEqual([200, expect.stringMatching(/^[\w.-]+$/)])
  expect(issued.downloadToken).not.toBe(downloadToken)
})
