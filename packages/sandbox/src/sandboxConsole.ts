import { type Console, tillConsole, type TryOut } from "@till402/console"
import type { Till } from "@till402/core"
import { generatePrivateKey } from "viem/accounts"
import { payingFetch } from "./payingFetch.ts"

/** Makes what pays from a wallet of the sandbox; loaded when it is first needed. */
export type Payer = () => Promise<typeof fetch>

const query = "/x402/search?q=headphones"

const addressee = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}

/** Buys the first product of a search, paying both calls. */
const buyFirst = async (url: string, pay: typeof fetch): Promise<void> => {
  const found = await pay(url + query)
  const { products }: { readonly products: ReadonlyArray<{ readonly asin?: string }> } = await found.json()
  const asin = products.find((product) => product.asin !== undefined)?.asin
  await pay(`${url}/x402/buy`, {
    method: "POST",
    // Each press of the button is meant.
    headers: { "content-type": "application/json", "allow-duplicate-order": "true" },
    body: JSON.stringify({ asin, email: "ada@mail.example", shippingAddress: addressee })
  })
}

const tryOutsOf = (url: string, payer: Payer): ReadonlyArray<TryOut> => [
  { title: "Call without a payment", run: async () => void (await fetch(url + query)) },
  { title: "Pay for a search", run: async () => void (await (await payer())(url + query)) },
  { title: "Buy headphones", run: async () => buyFirst(url, await payer()) },
  {
    title: "Pay from an empty wallet",
    run: async () => void (await payingFetch(generatePrivateKey())(url + query).catch(() => undefined))
  }
]

/**
 * The console at the sandbox's root. Whoever reaches this machine's loopback interface may use it: the money is play.
 *
 * @param payer for calls by a button; without it there are none
 */
export const sandboxConsole = (till: Till, url: string, payer: Payer | undefined): Console =>
  tillConsole({
    till,
    path: "/",
    authorize: () => ({ role: "admin", name: "sandbox" }),
    tryOuts: payer === undefined ? [] : tryOutsOf(url, payer)
  })
