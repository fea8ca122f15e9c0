import { memory, Till } from "@till402/core"
import { VaultSearch } from "@till402/core/effect"
import { payingFetch } from "@till402/sandbox"
import {
  fakeAssistant,
  fakeFacilitator,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles
} from "@till402/testing"
import { randomBytes } from "node:crypto"

export const baseUrl = "https://shop.example"

/** A till with all routes, and a client of it that pays. */
export const openShop = async () => {
  const facilitator = fakeFacilitator()
  const till = Till.make({
    baseUrl,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator,
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    marketplaces: { marketplace_a: fakeMarketplace(), marketplace_b: fakeMarketplace("marketplace_b") },
    assistant: fakeAssistant(),
    fulfilment: fakeFulfilment(),
    tracker: fakeTracker(),
    vault: fakeVaultFiles(),
    mailer: fakeMailer(),
    support: "help@shop.example",
    onEvent: () => undefined
  })
  await till.ready
  await till.vault.put(VaultSearch.example.output.items[0]!)
  const pay = payingFetch(`0x${randomBytes(32).toString("hex")}`, 1_000, (input, init) =>
    till.fetch(new Request(input, init))
  )
  return { till, pay, settlements: () => facilitator.settle.calls.length }
}
