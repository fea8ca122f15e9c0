import { expect, onTestFinished } from "vitest"
import { memory } from "../../src/stores/memory.ts"
import type { ShopEvent } from "../../src/shop/ports/ShopEvents.ts"
import type { Caller } from "../../src/http/HttpMessage.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { Till } from "../../src/till/PlainTill.ts"
import {
  fakeAssistant,
  fakeFacilitator,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles
} from "../../../testing/src/index.ts"
import { type Challenged, headerOf, payChallenge, type PayOptions } from "./wallet.ts"

/** A request of the contract, without a payment. */
export interface Call {
  readonly path: string
  /** With it the call is a POST. */
  readonly body?: unknown
}

export const baseUrl = "https://shop.example/api"
export const trackingNumber = "1Z999AA10123456784"
export const email = "ada.lovelace@mail.example"
export const shippingAddress = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}

export const search: Call = { path: "/x402/search?q=tote" }
export const shop: Call = { path: "/x402/shop", body: { message: "a bag for books" } }
export const track: Call = { path: `/x402/track?number=${trackingNumber}` }
export const vaultSearch: Call = { path: "/x402/vault/search" }
export const buy: Call = { path: "/x402/buy", body: { shippingAddress, email, asin: "B000000001" } }
export const vaultBuy: Call = {
  path: "/x402/vault/buy",
  body: { slug: "launch-plan", walletAddress: "So11111111111111111111111111111111111111112", email }
}
export const downloadOf = (purchaseId: string, downloadToken: string): Call => ({
  path: `/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}`
})

export const vaultItem = {
  id: "6f1c2f6e-3a51-4c52-9d53-0c1d2f7a9b10",
  slug: "launch-plan",
  title: "Launch plan",
  productType: "skill",
  cardDescription: "A plan to launch by.",
  price: 5,
  category: "marketing",
  creator: { name: "Grace", type: "human" },
  downloads: 0,
  coverImageUrl: "https://images.example/launch-plan.png"
} as const

/** A response with its body read. */
export interface ReceivedResponse {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

export const readResponse = async (response: Response): Promise<ReceivedResponse> => ({
  status: response.status,
  text: await response.text(),
  headers: response.headers
})

export const jsonOf = ({ text }: ReceivedResponse): Record<string, unknown> => JSON.parse(text)
/** The body of a 402 without its `outputSchema`, which shows an example of the response. */
export const withoutExample = ({ text }: ReceivedResponse): string =>
  JSON.stringify(JSON.parse(text), (key, value: unknown) => (key === "outputSchema" ? undefined : value))
/** The value of `PAYMENT-REQUIRED`. */
export const challengeOf = ({ headers }: ReceivedResponse): Challenged & { readonly error: string } =>
  JSON.parse(Buffer.from(headers.get("payment-required")!, "base64").toString("utf8"))
/** The value of `PAYMENT-RESPONSE`. */
export const receiptOf = ({ headers }: ReceivedResponse): { readonly transaction: string } =>
  JSON.parse(Buffer.from(headers.get("payment-response")!, "base64").toString("utf8"))

/** A client that pays for calls of a till. */
export const clientOf = (fetch: (request: Request, caller?: Caller) => Promise<Response>) => {
  const send = async (
    call: Call,
    headers: Record<string, string> = {},
    clientAddress?: string
  ): Promise<ReceivedResponse> =>
    readResponse(
      await fetch(
        new Request(
          baseUrl + call.path,
          call.body === undefined
            ? { headers }
            : {
                method: "POST",
                headers: { "content-type": "application/json", ...headers },
                body: JSON.stringify(call.body)
              }
        ),
        clientAddress === undefined ? undefined : { clientAddress }
      )
    )

  const challenge = async (call: Call): Promise<Challenged> => {
    const unpaid = await send(call)
    expect(unpaid.status, unpaid.text).toBe(402)
    return challengeOf(unpaid)
  }
  /** Signs a payment for a call: the value of its header. */
  const payFor = async (call: Call, how: PayOptions = {}): Promise<string> =>
    headerOf(await payChallenge(await challenge(call), how))
  const present = (call: Call, payment: string, clientAddress?: string): Promise<ReceivedResponse> =>
    send(call, { "payment-signature": payment }, clientAddress)

  /** Presents a payment for what its payer may have bought before. */
  const presentAgain = (call: Call, payment: string): Promise<ReceivedResponse> =>
    send(call, { "payment-signature": payment, "allow-duplicate-order": "true" })

  return { send, challenge, payFor, present, presentAgain }
}

/** Options that replace those of the fakes. */
export interface OpenOptions extends Partial<TillOptions> {
  /** Options that the till gets none of. */
  readonly without?: ReadonlyArray<
    "assistant" | "fulfilment" | "mailer" | "marketplaces" | "onProviderError" | "tracker" | "vault"
  >
}

/** A till over fakes, with a vault of one item if it has a vault; ends with the test. */
export const openTill = async ({ without = [], ...options }: OpenOptions = {}) => {
  const fakes = {
    facilitator: fakeFacilitator(),
    marketplace: fakeMarketplace(),
    assistant: fakeAssistant(),
    fulfilment: fakeFulfilment(),
    tracker: fakeTracker(),
    files: fakeVaultFiles(),
    mailer: fakeMailer()
  }
  const events: Array<ShopEvent> = []
  const settings: TillOptions = {
    baseUrl,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakes.facilitator,
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    marketplaces: { marketplace_a: fakes.marketplace },
    assistant: fakes.assistant,
    fulfilment: fakes.fulfilment,
    tracker: fakes.tracker,
    vault: fakes.files,
    mailer: fakes.mailer,
    onEvent: (event) => {
      events.push(event)
    },
    onProviderError: () => undefined,
    ...options
  }
  for (const name of without) Reflect.deleteProperty(settings, name)
  const till = Till.make(settings)
  onTestFinished(() => till.dispose())
  await till.ready
  if (settings.vault !== undefined) await till.vault.put(vaultItem)

  return { ...fakes, till, events, ...clientOf(till.fetch) }
}

/** The number of calls of providers so far. */
export const workDone = ({
  assistant,
  files,
  fulfilment,
  marketplace,
  tracker
}: Awaited<ReturnType<typeof openTill>>): number =>
  marketplace.search.calls.length +
  assistant.reply.calls.length +
  tracker.track.calls.length +
  files.open.calls.length +
  fulfilment.place.calls.length

export const expectRefused = (response: ReceivedResponse, code: string): void => {
  expect(response.status, response.text).toBe(402)
  expect(jsonOf(response)["error"]).toMatch(new RegExp(`^${code}: `))
  // The body may go on where the header has no room.
  expect(String(jsonOf(response)["error"]).startsWith(challengeOf(response).error)).toBe(true)
  // The reason, where a receipt would be; a refused proof of a wallet is no payment.
  const settled = response.headers.get("payment-response")
  if (settled !== null) expect(JSON.parse(atob(settled))).toMatchObject({ success: false, errorReason: code })
}

export const expectFailed = (response: ReceivedResponse, status: number, code: string): void => {
  expect([response.status, jsonOf(response)["code"]]).toEqual([status, code])
  expect(response.headers.get("payment-response")).toBeNull()
}
