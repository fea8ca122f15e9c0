import {
  fakeAssistant,
  type FakeAssistant,
  fakeFulfilment,
  type FakeFulfilment,
  fakeMailer,
  type FakeMailer,
  fakeMarketplace,
  type FakeMarketplace,
  fakeTracker,
  type FakeTracker,
  fakeVaultFiles,
  type FakeVaultFiles
} from "@till402/testing"

/** The goods a server sells, with a record of everything it delivered. One set per attacked server. */
export interface Goods {
  readonly marketplace: FakeMarketplace
  readonly assistant: FakeAssistant
  readonly fulfilment: FakeFulfilment
  readonly tracker: FakeTracker
  readonly files: FakeVaultFiles
  readonly mailer: FakeMailer
}

export const openGoods = (): Goods => ({
  marketplace: fakeMarketplace(),
  assistant: fakeAssistant(),
  fulfilment: fakeFulfilment(),
  tracker: fakeTracker(),
  files: fakeVaultFiles(),
  mailer: fakeMailer()
})

/** How often expensive work was done: searches, replies, lookups, orders, opened archives. */
export const workDone = ({ assistant, files, fulfilment, marketplace, tracker }: Goods): number =>
  marketplace.search.calls.length +
  assistant.reply.calls.length +
  tracker.track.calls.length +
  files.open.calls.length +
  fulfilment.orders.size

/** Delays each piece of work by this many milliseconds, so that other requests can arrive in between. */
export const slowWork = (goods: Goods, millis: number): void => {
  goods.marketplace.search.delays(millis)
  goods.assistant.reply.delays(millis)
  goods.tracker.track.delays(millis)
  goods.fulfilment.place.delays(millis)
}
