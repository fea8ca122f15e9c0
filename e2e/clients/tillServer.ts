import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { memory, Till, type TillOptions } from "@till402/core"
import { Buy, Search, Shop, Track, VaultBuy, VaultDownload, VaultSearch } from "@till402/core/effect"
import { incoming, targetOf, writeResponse } from "@till402/core/node"
import {
  fakeAssistant,
  fakeFacilitator,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles
} from "@till402/testing"

/*
 * A till with all seven routes behind a plain server of Node, and the bytes that it sends.
 */

const asText = (values: Readonly<Record<string, unknown>>): string =>
  String(new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])))

const post = (path: string, body: object): WireCall => ({ method: "POST", path, body: JSON.stringify(body) })

/** A request, as it is written to a socket. */
export interface WireCall {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

const { downloadToken, purchaseId } = VaultDownload.example.input

/** Each route's published example. */
export const exampleCalls: Readonly<Record<string, WireCall>> = {
  search: { method: "GET", path: `/x402/search?${asText(Search.example.input)}` },
  shop: post("/x402/shop", Shop.example.input),
  buy: post("/x402/buy", Buy.example.input),
  track: { method: "GET", path: `/x402/track?${asText(Track.example.input)}` },
  vaultSearch: { method: "GET", path: `/x402/vault/search?${asText(VaultSearch.example.input)}` },
  vaultBuy: post("/x402/vault/buy", VaultBuy.example.input),
  vaultDownload: {
    method: "GET",
    path: `/x402/vault/download/${purchaseId}?${asText({ downloadToken })}`
  }
}

export const openTill = async (options: Partial<TillOptions> = {}) => {
  const till = Till.make({
    baseUrl: "https://commerce.shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    allowPlayMoney: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    marketplaces: { marketplace_a: fakeMarketplace(), marketplace_b: fakeMarketplace("marketplace_b") },
    assistant: fakeAssistant(),
    fulfilment: fakeFulfilment(),
    tracker: fakeTracker(),
    vault: fakeVaultFiles(),
    mailer: fakeMailer(),
    onEvent: () => undefined,
    ...options
  })
  await till.ready
  const [item] = VaultSearch.example.output.items
  await till.vault.put({ ...item!, slug: VaultBuy.example.input.slug })
  return till
}

/** Serves a till, as the adapters for Node do. */
export const serve = async (
  till: Pick<Till, "handle">
): Promise<{ readonly port: number; close: () => void }> => {
  const server = createServer((request, response) => {
    void till
      .handle(incoming(request, { url: targetOf(request.url ?? "/")! }), {
        clientAddress: request.socket.remoteAddress
      })
      .then((result) => writeResponse(result, response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** The head of a response as it was sent: its status line and headers, with the empty line that ends them. */
export const headOf = async (port: number, call: WireCall): Promise<string> => {
  const { body = "", headers = {}, method, path } = call
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: commerce.shop.example",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === "" ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`])
  ]
  const socket = connect(port, "127.0.0.1")
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`)
  let received = ""
  for await (const chunk of socket.setEncoding("latin1")) {
    received += chunk
    const end = received.indexOf("\r\n\r\n")
    if (end >= 0) {
      socket.destroy()
      return received.slice(0, end + 4)
    }
  }
  throw new Error(`the connection ended within the head: ${received}`)
}
