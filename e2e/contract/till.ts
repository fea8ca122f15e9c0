import { memory, Till, type TillOptions, type VaultItem } from "@till402/core"
import { onTestFinished } from "vitest"
import {
  delivered,
  emptyZip,
  productA,
  productB,
  quotedTotal,
  vaultItem,
  withoutExpedited
} from "./samples.ts"

/*
 * The till under test: in-memory storage, providers scripted by tests, and a facilitator in the same process that
 * accepts and settles every payment. It uses none of the service's schemas.
 */

/** Public address; requests are never sent to it. */
export const baseUrl = "https://shop.example"
export const internalOrigin = "http://10.0.0.7:8080"
export const payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
export const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"

type Marketplace = NonNullable<NonNullable<TillOptions["marketplaces"]>["marketplace_a"]>
type Port<Name extends keyof TillOptions> = NonNullable<TillOptions[Name]>

/** What each provider function does; tests replace what they need. */
export interface Script {
  searchA: Marketplace["search"]
  searchB: Marketplace["search"]
  reply: Port<"assistant">["reply"]
  quote: Port<"fulfilment">["quote"]
  place: Port<"fulfilment">["place"]
  track: Port<"tracker">["track"]
  open: Port<"vault">["open"]
  send: Port<"mailer">["send"]
}

/** The input of every call to a provider, in order. */
export type Calls = { readonly [Name in keyof Script]: Array<Parameters<Script[Name]>[0]> }

const defaultScript = (): Script => ({
  searchA: async () => ({ products: [productA], totalResults: 1, hasMore: false }),
  searchB: async () => ({ products: [productB], totalResults: 1, hasMore: false }),
  reply: async () => ({ reply: "Have a look at this lamp.", products: [withoutExpedited(productA)] }),
  quote: async () => ({
    product: { title: "Walnut desk lamp", imageUrl: "https://images.example/lamp.jpg", price: "69.99" },
    subtotal: "69.99",
    tax: "6.39",
    shipping: "7.99",
    total: quotedTotal,
    currency: "USD",
    reference: "upstream-quote-1",
    expiresAt: new Date(Date.now() + 15 * 60_000)
  }),
  place: async () => ({ reference: "upstream-order-1" }),
  track: async ({ number }) => ({ ...delivered, number }),
  open: async () => ({ body: emptyZip, size: emptyZip.length }),
  send: async () => undefined
})

/** One settlement requested from the facilitator. */
export interface Settlement {
  readonly amount: string
  readonly transaction: string
}

/** Accepts every payment and gives each settlement its own transaction hash. */
const obligingFacilitator = (settlements: Array<Settlement>): TillOptions["facilitator"] => ({
  verify: async (payment: WirePayment) => ({ isValid: true, payer: payment.payload.authorization.from }),
  settle: async (payment: WirePayment) => {
    const transaction = `0x${(settlements.length + 1).toString(16).padStart(64, "0")}`
    settlements.push({ amount: payment.payload.authorization.value, transaction })
    return {
      success: true,
      transaction,
      network: "eip155:84532",
      payer: payment.payload.authorization.from
    }
  }
})

interface WirePayment {
  readonly payload: { readonly authorization: { readonly from: string; readonly value: string } }
}

/** A call as a client sees it: `body` is sent as JSON unless it is bytes or text. */
export interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const requestOf = (call: Call, headers: Readonly<Record<string, string>> = {}): Request => {
  const { body, method = "GET", path } = call
  const raw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream
  return new Request(`${internalOrigin}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
      ...headers
    },
    ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body), duplex: "half" })
  } as RequestInit)
}

export type PortName = "marketplaces" | "assistant" | "fulfilment" | "tracker" | "vault" | "mailer"

export interface Shop {
  readonly till: ReturnType<typeof Till.make>
  readonly script: Script
  readonly calls: Calls
  readonly settlements: ReadonlyArray<Settlement>
  /** Sends a call without payment, unless its headers contain one. */
  readonly send: (call: Call) => Promise<Response>
}

/** Opens a till for one test and closes it with the test. */
export const openShop = async (
  settings: {
    readonly script?: Partial<Script>
    readonly options?: Partial<TillOptions>
    readonly without?: ReadonlyArray<PortName>
    /** Default: one item. */
    readonly items?: ReadonlyArray<VaultItem>
  } = {}
): Promise<Shop> => {
  const shop = await keepShop(settings)
  onTestFinished(() => shop.till.dispose())
  return shop
}

/** The same for a whole file; the caller disposes of it. */
export const keepShop = async (settings: Parameters<typeof openShop>[0] = {}): Promise<Shop> => {
  const script: Script = { ...defaultScript(), ...settings.script }
  const calls: Calls = {
    searchA: [],
    searchB: [],
    reply: [],
    quote: [],
    place: [],
    track: [],
    open: [],
    send: []
  }
  const settlements: Array<Settlement> = []
  const options: Record<string, unknown> & TillOptions = {
    baseUrl,
    payTo,
    networks: ["base-sepolia"],
    facilitator: obligingFacilitator(settlements),
    trustFacilitator: true,
    secret: "a contract test's own secret, known to everybody",
    storage: memory(),
    onEvent: () => undefined,
    onProviderError: () => undefined,
    ...providers(script, calls),
    ...settings.options
  }
  for (const port of settings.without ?? []) delete options[port]
  const till = await mounted(Till.make(options))
  await till.ready
  for (const item of settings.items ?? [vaultItem]) await till.vault.put(item)
  return { till, script, calls, settlements, send: (call) => till.fetch(requestOf(call)) }
}

const framework = process.env["TILL402_CONTRACT_FRAMEWORK"]

/** Whether calls reach the till without a server between, so that a test sees both sides at once. */
export const isInProcess = framework === undefined

/** The till, or its server in the framework that `e2e/adapters/contract.deep.test.ts` names. */
const mounted = async (till: ReturnType<typeof Till.make>): Promise<typeof till> => {
  if (framework === undefined) return till
  const { mountIn } = await import("../adapters/contractServer.ts")
  return mountIn(framework, till)
}

const providers = (script: Script, calls: Calls) => ({
  marketplaces: {
    marketplace_a: {
      search: (query, context) => {
        calls.searchA.push(query)
        return script.searchA(query, context)
      }
    },
    marketplace_b: {
      search: (query, context) => {
        calls.searchB.push(query)
        return script.searchB(query, context)
      }
    }
  } satisfies Port<"marketplaces">,
  assistant: {
    reply: (request, context) => {
      calls.reply.push(request)
      return script.reply(request, context)
    }
  } satisfies Port<"assistant">,
  fulfilment: {
    quote: (request, context) => {
      calls.quote.push(request)
      return script.quote(request, context)
    },
    place: (order, context) => {
      calls.place.push(order)
      return script.place(order, context)
    }
  } satisfies Port<"fulfilment">,
  tracker: {
    track: (query, context) => {
      calls.track.push(query)
      return script.track(query, context)
    }
  } satisfies Port<"tracker">,
  vault: {
    open: (item, context) => {
      calls.open.push(item)
      return script.open(item, context)
    }
  } satisfies Port<"vault">,
  mailer: {
    send: (mail, context) => {
      calls.send.push(mail)
      return script.send(mail, context)
    }
  } satisfies Port<"mailer">
})
