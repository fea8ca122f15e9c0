import type {
  AssistantOptions,
  FulfilmentOptions,
  Mail,
  MailerOptions,
  MarketplaceOptions,
  ProductPage,
  TrackerOptions,
  TrackResult,
  VaultItem,
  VaultOptions
} from "@till402/core"
import { assistant } from "./Assistant.ts"
import { catalogue, generalCatalogue, storefrontCatalogue } from "./Catalogue.ts"
import { fulfilment } from "./Fulfilment.ts"
import { marketplace } from "./Marketplace.ts"
import { orderBook, type PlacedOrder, type Timetable } from "./OrderBook.ts"
import { mailer } from "./Outbox.ts"
import { tracker } from "./Tracker.ts"
import { vault } from "./Vault.ts"
import { vaultItems } from "./VaultShelf.ts"

export interface SampleShopOptions {
  /** Clock of quotes, orders and shipments; default: the system clock. */
  readonly now?: () => Date
  /** When orders are shipped and delivered; default: 5 and 10 seconds after placement. */
  readonly timetable?: Timetable
  /** Called for every mail that the shop would send. */
  readonly onMail?: (mail: Mail) => void
}

/** The ports of a sample shop. */
export interface SampleShopPorts {
  readonly marketplaces: {
    readonly marketplace_a: MarketplaceOptions<ProductPage>
    readonly marketplace_b: MarketplaceOptions<ProductPage>
  }
  readonly assistant: AssistantOptions
  readonly fulfilment: FulfilmentOptions
  readonly tracker: TrackerOptions<TrackResult>
  readonly vault: VaultOptions
  readonly mailer: MailerOptions
}

/** A sample shop: its ports, its vault items, and records for tests. */
export interface SampleShop extends SampleShopPorts {
  /** All ports, to spread into the options of `Till.make`. */
  readonly ports: SampleShopPorts
  /** Items for the till's vault; `vault` opens each of them. */
  readonly vaultItems: ReadonlyArray<VaultItem>
  /** The newest 100 mails, newest last. */
  readonly outbox: ReadonlyArray<Mail>
  /** All placed orders, newest last. */
  readonly orders: ReadonlyArray<PlacedOrder>
}

/** Marks functions that make their results up: a till takes no real money with them. */
const standIn = <Port extends object>(port: Port): Port => {
  for (const member of Object.values(port))
    if (typeof member === "function") Object.assign(member, { [Symbol.for("@till402/standIn")]: true })
  return port
}

/**
 * Creates a complete shop that works offline: two marketplaces, an assistant, quotes with tax and shipping,
 * orders, a tracker, a vault and an outbox.
 *
 * All products, people and carriers are fictional, and results are deterministic. Orders are kept in memory
 * only. A till that takes real money doesn't start with it.
 *
 * @example
 * const shop = sampleShop()
 * const till = Till.make({ ...options, ...shop.ports })
 * await till.ready
 * for (const item of shop.vaultItems) await till.vault.put(item)
 */
export const sampleShop = (options: SampleShopOptions = {}): SampleShop => {
  const { now = () => new Date(), onMail, timetable } = options
  const book = orderBook(now, timetable)
  const { mailer: mailerPort, outbox } = mailer(onMail)
  const ports: SampleShopPorts = {
    marketplaces: {
      marketplace_a: standIn(marketplace(generalCatalogue)),
      marketplace_b: standIn(marketplace(storefrontCatalogue))
    },
    assistant: standIn(assistant(catalogue)),
    fulfilment: standIn(fulfilment(catalogue, book, now)),
    tracker: standIn(tracker(now, book)),
    vault: standIn(vault(vaultItems)),
    mailer: standIn(mailerPort)
  }
  return { ...ports, ports, orders: book.orders, outbox, vaultItems }
}
