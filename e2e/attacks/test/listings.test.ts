import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, buyOf, type Call, calls, downloadOf, jsonOf, vaultBuyOf } from "../src/Calls.ts"
import { type Listing, openCatalogue } from "../src/Catalogue.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { type Challenge, headerOf, type Payment, payer, readHeader, sign } from "../src/Payments.ts"
import { type Server, visit, type Visitor } from "../src/Visitor.ts"

/*
 * Facilitators list services in public catalogues, from the payments that they settle. No signature covers what a payer
 * writes there.
 */

interface Described extends Challenge {
  readonly resource: { readonly url: string; readonly description?: string }
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** What an honest client repeats of a 402. */
const echoOf = ({ extensions, resource }: Described): object => ({ resource, extensions })

const bazaar = {
  info: { input: { type: "http", method: "GET" } },
  schema: { type: "object" },
  routeTemplate: "/evil"
}

const alterations: Readonly<Record<string, (required: Described) => object>> = {
  "another description, name and icon": ({ resource }) => ({
    resource: { ...resource, description: "evil", serviceName: "evil", iconUrl: "https://evil.example/" }
  }),
  "another host": ({ resource }) => ({
    resource: { ...resource, url: resource.url.replace(baseUrl, "https://evil.example") }
  }),
  "foreign discovery data": (required) => ({ ...echoOf(required), extensions: { bazaar } }),
  "an unknown extension": (required) => ({
    ...echoOf(required),
    extensions: { ...required.extensions, evil: { info: {} } }
  }),
  nothing: () => ({ resource: undefined, extensions: undefined })
}

const newAccount = () => privateKeyToAccount(generatePrivateKey())

/** The same payment in version 1, with fields that it doesn't have. */
const inVersion1 = ({ payload }: Payment, around: object): object => ({
  ...around,
  x402Version: 1,
  scheme: "exact",
  network: "base-sepolia",
  payload
})

const pay = async (visitor: Visitor, call: Call, { account = payer, around = echoOf, version = 2 } = {}) => {
  const required = (await visitor.challenge(call)) as Described
  const payment = await sign(required, { account })
  const altered = around(required)
  const sent = version === 1 ? inVersion1(payment, altered) : { ...payment, ...altered }
  const response = await visitor.presentAgain(call, sent)
  expect(response.status, response.text).toBe(200)
  return response
}

attack("a service's public listing rewritten by a payer", {
  on: official,
  lands: async () => {
    for (const around of Object.values(alterations)) {
      const { facilitator, listings } = openCatalogue()
      const visitor = visit(openOfficial(facilitator))
      await pay(visitor, calls.search)
      await pay(visitor, calls.search, { around })
      const [honest, altered] = listings()
      expect(altered).not.toEqual(honest)
    }
  },
  fails: async () => {
    for (const version of [1, 2]) {
      const { facilitator, listings } = openCatalogue()
      const server = await openOurs(facilitator)
      const visitor = visit(server)
      // The first payment makes its payer known.
      await pay(visitor, calls.search, { version })
      for (const around of Object.values(alterations)) {
        await pay(visitor, calls.search, { version, around, account: newAccount() })
        await pay(visitor, calls.search, { version, around })
      }
      // The reconciler settles from the store.
      facilitator.losesNextSettlement(false)
      const required = (await visitor.challenge(calls.search)) as Described
      const altered = { ...(await sign(required)), ...alterations["foreign discovery data"]!(required) }
      const lost = version === 1 ? inVersion1(altered, { extensions: { bazaar } }) : altered
      expect((await visitor.present(calls.search, lost)).status).toBe(503)
      await server.till.reconcile()
      const [honest, ...others] = listings()
      expect(others).toHaveLength(12)
      for (const listing of others) expect(listing).toEqual(honest)
      expect(honest!.extensions).toBeDefined()
      expect(JSON.stringify(honest)).toContain(`"${baseUrl}/x402/search"`)
    }
  }
})

/** A server that tells buyers in its 402 what they buy, and repeats the URL that they requested. */
const describing = (server: Server): Server => ({
  goods: server.goods,
  fetch: async (request) => {
    const response = await server.fetch(request.clone())
    if (response.status !== 402 || request.headers.has("payment-signature")) return response
    const required = readHeader<Described>(response.headers, "payment-required")
    const resource = { url: request.url, description: "Canvas tote bag, 26.64 USD with 1.65 tax" }
    return new Response(null, {
      status: 402,
      headers: { "payment-required": headerOf({ ...required, resource }) }
    })
  }
})

const textOf = (listings: ReadonlyArray<Listing>): string => JSON.stringify(listings)

attack("a purchase published as the description of its route", {
  on: "the official @x402/hono middleware, with descriptions of each purchase",
  lands: async () => {
    const { facilitator, listings } = openCatalogue()
    const visitor = visit(describing(openOfficial(facilitator)))
    await pay(visitor, calls.buy)
    await pay(visitor, calls.track)
    expect(textOf(listings())).toMatch(/tote bag.*1Z999AA10123456784/)
  },
  fails: async () => {
    for (const version of [1, 2]) {
      const { facilitator, listings } = openCatalogue()
      const visitor = visit(await openOurs(facilitator))
      // By a new payer, then by the same one.
      const buyers = [newAccount(), newAccount()].flatMap((account) => [account, account])
      for (const account of buyers) {
        const { accepts } = await visitor.challenge(calls.buy)
        // Buyers see what they pay for.
        expect(accepts[0]!.extra).toMatchObject({ item: "Canvas tote bag", total: "26.64" })
        await pay(visitor, buyOf("B000000001"), { version, account })
        await pay(visitor, { path: "/x402/track?number=EE123456785US" }, { version, account })
        await pay(visitor, calls.search, { version, account })
        const bought = jsonOf(await pay(visitor, vaultBuyOf("launch-plan"), { version, account }))
        const { downloadToken, purchaseId } = bought as Record<string, string>
        await pay(visitor, downloadOf(purchaseId!, downloadToken!), { version, account })
        for (const secret of [purchaseId, downloadToken]) expect(textOf(listings())).not.toContain(secret)
      }
      const published = textOf(listings())
      expect(listings()).toHaveLength(20)
      expect(published).not.toMatch(/tote|26\.64|1\.65|quoteId|Vault item 1|EE123456785US/)
      expect(published).toContain("Purchase of a product, tax and shipping included")
    }
  }
})
