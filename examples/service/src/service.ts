import { Till, type TillOptions } from "@till402/core"
import { till402 } from "@till402/hono"
import { Hono } from "hono"
import { assistantFrom } from "./assistant.ts"
import { type Environment, type Fetch, missing } from "./environment.ts"
import { mailerFrom } from "./mail.ts"
import { moneyFrom, refundWalletFrom } from "./money.ts"
import { ordersFrom } from "./orders.ts"
import { amazonFrom, shopifyFrom } from "./search.ts"
import { sharedMillisOf, sharedSearch } from "./sharedSearch.ts"
import { trackerFrom } from "./tracking.ts"
import { vaultFrom } from "./vault.ts"

/*
 * All seven routes on real upstreams. A port without its variables is left out, with its routes.
 */

/** Options that no variable has. */
export interface ServiceOptions {
  /** Sends requests to upstreams; default: the platform's. */
  readonly fetch?: Fetch
  /** Further options of the till. */
  readonly till?: Partial<TillOptions>
}

const entry = <Name extends string, A>(name: Name, value: A | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: A }

/** @throws ConfigurationError for variables that are missing or unusable; it never contains a key */
export const openService = (environment: Environment, options: ServiceOptions = {}) => {
  const { fetch } = options
  const money = moneyFrom(environment)
  const refundWallet = refundWalletFrom(environment)
  const amazon = amazonFrom(environment, fetch)
  const shopify = shopifyFrom(environment, fetch)
  const tracker = trackerFrom(environment, fetch)
  const vault = vaultFrom(environment)
  const mailer = mailerFrom(environment, fetch)
  const orders = ordersFrom(environment, fetch, async (reference) => {
    await till.orders.processNowByReference(reference)
  })

  const sharedMillis = sharedMillisOf(environment)
  const shared = (marketplace: typeof amazon.port) =>
    marketplace === undefined || sharedMillis === 0 ? marketplace : sharedSearch(marketplace, sharedMillis)
  const marketplaces = {
    ...entry("marketplace_a", shared(amazon.port)),
    ...entry("marketplace_b", shared(shopify.port))
  }

  const hasSearch = Object.keys(marketplaces).length > 0
  const assistant = hasSearch
    ? assistantFrom(environment, fetch)
    : missing("assistant", "the variables of a search", "it has nothing to recommend")

  const till: Till = Till.make({
    ...money,
    ...(hasSearch ? { marketplaces } : {}),
    ...entry("assistant", assistant.port),
    ...entry("fulfilment", orders.port?.fulfilment),
    ...entry("tracker", tracker.port),
    ...entry("vault", vault.port),
    ...entry("mailer", mailer.port),
    ...entry("refundWallet", refundWallet.port),
    publicRoutes: {
      // Shopify fetches this before it responds to a search.
      ...(shopify.port === undefined ? {} : { [shopify.port.profilePath]: shopify.port.profile }),
      // Set these addresses in the upstreams' consoles. Unsigned webhooks are refused.
      ...entry("/webhooks/17track", tracker.port?.webhook),
      ...entry("/webhooks/rye", orders.port?.webhooks["rye"]),
      ...entry("/webhooks/zinc", orders.port?.webhooks["zinc"])
    },
    ...options.till
  })

  const app = new Hono()
  app.use(till402(till))
  app.get("/", (context) => context.text("Agents pay per call under /x402."))
  return {
    app,
    till,
    /** What is there and what is missing, for the operator. */
    report: [amazon, shopify, assistant, orders, tracker, vault, mailer, refundWallet].map(
      ({ line }) => line
    ),
    close: async (): Promise<void> => {
      await till.dispose()
      await orders.port?.close()
    }
  }
}
