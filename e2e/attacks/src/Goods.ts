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
} from "@till402/core/testing"

/** What a server sells, and the witness of what it gave away. One set for each server under attack. */
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

/** How often something that costs the host was done: a search, an answer, a lookup, an order, an opened archive. */
export const workDone = ({ assistant, files, fulfilment, marketplace, tracker }: Goods): number =>
  marketplace.search.calls.length +
  assistant.ask.calls.length +
  tracker.track.calls.length +
  files.open.calls.length +
  fulfilment.orders.size

/** How long each piece of work takes from now on, in milliseconds: time for another request to come in between. */
export const slowWork = (goods: Goods, millis: number): void => {
  goods.marketplace.search.delays(millis)
  goods.assistant.ask.delays(millis)
  goods.tracker.track.delays(millis)
  goods.fulfilment.place.delays(millis)
}
