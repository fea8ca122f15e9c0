import type {
  AssistantOptions,
  FulfilmentOptions,
  Mail,
  MailerOptions,
  MarketplaceOptions,
  TrackerOptions,
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
  /** The clock of quotes, orders and shipments; default: the machine's. */
  readonly now?: () => Date
  /** When orders are shipped and delivered; default: 5 and 10 seconds after they are placed. */
  readonly timetable?: Timetable
  /** Told of every mail that the shop would send. */
  readonly onMail?: (mail: Mail) => void
}

/** The ports of a sample shop, and what tests look at. */
export interface SampleShop {
  readonly marketplaces: {
    readonly marketplace_a: MarketplaceOptions
    readonly marketplace_b: MarketplaceOptions
  }
  readonly assistant: AssistantOptions
  readonly fulfilment: FulfilmentOptions
  readonly tracker: TrackerOptions
  readonly vault: VaultOptions
  readonly mailer: MailerOptions
  /** What to put on the till's shelf; `vault` opens each of them. */
  readonly vaultItems: ReadonlyArray<VaultItem>
  /** The newest 100 mails, newest last; grows as mails are sent. */
  readonly outbox: ReadonlyArray<Mail>
  /** The orders placed, newest last; grows as orders are placed. */
  readonly orders: ReadonlyArray<PlacedOrder>
}

/**
 * A whole shop offline: two marketplaces, an assistant by rules, quotes with tax and shipping, orders that are
 * shipped and delivered, a tracker, a vault and an outbox. Its goods, people and carriers are made up, and it
 * answers the same every time. It keeps its orders in memory: one that starts anew knows none.
 *
 * @example
 * const shop = sampleShop()
 * const till = Till.make({ ...options, ...shop })
 * await till.ready
 * for (const item of shop.vaultItems) await till.vault.put(item)
 */
export const sampleShop = (options: SampleShopOptions = {}): SampleShop => {
  const { now = () => new Date(), onMail, timetable } = options
  const book = orderBook(now, timetable)
  return {
    marketplaces: {
      marketplace_a: marketplace(generalCatalogue),
      marketplace_b: marketplace(storefrontCatalogue)
    },
    assistant: assistant(catalogue),
    fulfilment: fulfilment(catalogue, book, now),
    orders: book.orders,
    tracker: tracker(now, book),
    vault: vault(vaultItems),
    ...mailer(onMail),
    vaultItems
  }
}
