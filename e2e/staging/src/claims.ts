/*
 * What the providers assume about their upstreams, and which step of a script proves it. The table of
 * docs/upstreams/evidence.md has their evidence so far.
 */

export interface Claim {
  readonly claim: string
  /** The step that proves it; `undefined`: no script can. */
  readonly provenBy: string | undefined
}

const amazon: ReadonlyArray<Claim> = [
  { claim: "the fields of a result", provenBy: "search" },
  { claim: "the fields of paging", provenBy: "second page" },
  { claim: "prices are in the shop's currency", provenBy: "price filter" }
]

const orders: ReadonlyArray<Claim> = [
  { claim: "the fields of an order", provenBy: "place" },
  { claim: "a placed order is found again", provenBy: "find" },
  { claim: "the statuses of an order", provenBy: "status" },
  { claim: "what a lost response leaves behind", provenBy: undefined },
  { claim: "cancellation by the upstream", provenBy: undefined }
]

/** By the name of the script. */
export const claims: Readonly<Record<string, ReadonlyArray<Claim>>> = {
  canopy: amazon,
  rainforest: amazon,
  serpapi: amazon,
  shopify: [
    { claim: "the fields of a product", provenBy: "search" },
    { claim: "cursors of every tier", provenBy: "second page" },
    { claim: "how an expired cursor is refused", provenBy: undefined }
  ],
  "17track": [
    { claim: "the fields of a shipment", provenBy: "track" },
    { claim: "the format of a ship date", provenBy: undefined },
    { claim: "that a tag is returned unchanged", provenBy: undefined },
    { claim: "retrack and changecarrier", provenBy: undefined }
  ],
  rye: [
    { claim: "the balance, the fields of an offer, and the format of a phone number", provenBy: "quote" },
    ...orders
  ],
  zinc: [
    { claim: "the wallet, its fee, and the fields of a listed product", provenBy: "quote" },
    { claim: "the filter of orders by metadata", provenBy: "find an order that does not exist" },
    ...orders
  ],
  "shopify-admin": [
    { claim: "the exchange of credentials, and the tax and shipping of a draft order", provenBy: "quote" },
    ...orders
  ],
  service: [
    { claim: "the model searches, and recommends what it found", provenBy: "ask the assistant" },
    { claim: "a quote by its route", provenBy: "quote" }
  ],
  woocommerce: [
    { claim: "the fields of products and orders, and the tax of an unpaid order", provenBy: "quote" },
    ...orders
  ]
}
