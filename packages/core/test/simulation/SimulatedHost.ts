import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { sampleArchive } from "../../../testing/src/archive.ts"
import { sampleProduct } from "../../../testing/src/samples.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Link } from "./Link.ts"
import type { SimulatedMailer } from "./SimulatedMailer.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"

/** The only vault item; everything in the simulated shop costs the same. */
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

/** The price of everything, in dollars: payments differ only by the request they are bound to. */
export const price = "5"

const archive = sampleArchive({ "README.md": "A plan to launch by." })

/** The ports that a process gets of its host. */
export type Ports = Pick<
  TillOptions,
  "fulfilment" | "mailer" | "marketplaces" | "refundWallet" | "solanaRefunds" | "vault"
>

type WalletOf = (link: Link) => Pick<Ports, "refundWallet" | "solanaRefunds">

/**
 * The host's external systems, which outlive every process: a marketplace with a new response each time, a
 * mail service, a wallet, and the upstream for orders.
 */
export class SimulatedHost {
  errorChance: number
  private readonly random: SeededRandom
  private readonly now: () => number
  private readonly quoteMillis: number
  private readonly upstream: SimulatedUpstream
  private readonly mailer: SimulatedMailer
  private readonly walletOf: WalletOf
  private readonly searched: (query: string) => void
  private searches = 0
  private quotes = 0

  constructor(options: {
    readonly random: SeededRandom
    readonly now: () => number
    readonly errorChance: number
    readonly quoteMillis: number
    readonly upstream: SimulatedUpstream
    readonly mailer: SimulatedMailer
    /** The wallet of a process; none: an operator sends refunds by hand. */
    readonly walletOf: WalletOf
    /** Called for each search of the marketplace. */
    readonly searched: (query: string) => void
  }) {
    this.random = options.random
    this.now = options.now
    this.errorChance = options.errorChance
    this.upstream = options.upstream
    this.mailer = options.mailer
    this.walletOf = options.walletOf
    this.searched = options.searched
    this.quoteMillis = options.quoteMillis
  }

  /** The ports of one process. */
  portsOf(link: Link): Ports {
    const { call } = link
    return {
      marketplaces: { marketplace_a: { search: ({ q }) => call("host.search", () => this.search(q)) } },
      fulfilment: {
        quote: () => call("host.quote", () => this.quote()),
        ...this.upstream.portOf(link)
      },
      // With its digest: making one takes time that isn't simulated.
      vault: { open: () => call("host.open", () => ({ body: archive, digest: "launch-plan-1" })) },
      mailer: { send: (mail) => call("host.mail", () => this.mailer.send(mail)).then(() => undefined) },
      ...this.walletOf(link)
    }
  }

  private search(query: string) {
    this.searched(query)
    if (this.random.chance(this.errorChance)) throw new Error("502 Bad Gateway")
    const products = [sampleProduct({ title: `Canvas tote bag, as of search ${++this.searches}` })]
    return { products, totalResults: 1, hasMore: false }
  }

  private quote() {
    if (this.random.chance(this.errorChance)) throw new Error("502 Bad Gateway")
    return {
      product: { title: "Canvas tote bag", price: "4.00" },
      subtotal: "4.00",
      tax: "0.25",
      shipping: "0.75",
      total: "5.00",
      currency: "USD",
      reference: `upstream-quote-${++this.quotes}`,
      expiresAt: new Date(this.now() + this.quoteMillis)
    }
  }
}
