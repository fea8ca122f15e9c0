import { encodeHeader } from "../../../src/toll/request/PaymentHeader.ts"
import { nextNonce, otherPayer, payer } from "../wallet.ts"
import { afterEach, expect, it, vi } from "vitest"
import { type Call, challengeOf, openTill, search } from "../openTill.ts"

afterEach(() => void vi.useRealTimers())

type Shop = Awaited<ReturnType<typeof openTill>>

const stranger = "0x857b06519E91e3A54538791bDbb0E22373e36b66"

/** A payment in the name of an address, with a signature that only a facilitator can judge. */
const paymentsNaming = async (shop: Shop, call: Call) => {
  const { accepts, resource } = challengeOf(await shop.send(call))
  const [accepted] = accepts
  const nowSeconds = Math.floor(Date.now() / 1000)
  return (from: string, signature = `0x${"ab".repeat(100)}`): string =>
    encodeHeader({
      x402Version: 2,
      resource,
      accepted,
      payload: {
        signature,
        authorization: {
          from,
          to: accepted!.payTo,
          value: accepted!.amount,
          validAfter: String(nowSeconds - 60),
          validBefore: String(nowSeconds + 100),
          nonce: nextNonce()
        }
      }
    })
}

const statusesOf = (responses: ReadonlyArray<Promise<{ readonly status: number }>>) =>
  Promise.all(responses.map(async (response) => (await response).status))

/** A till where strangers of one address wait for as many verifications as can wait: one runs, 2,000 are queued. */
const openCrowded = async () => {
  const shop = await openTill({ limits: { unverified: 1, failedPayerMillis: 0 } })
  expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
  const naming = await paymentsNaming(shop, search)
  const held = Promise.withResolvers<void>()
  shop.facilitator.verify.returns(async (payment) => {
    const { from } = (payment as { payload: { authorization: { from: string } } }).payload.authorization
    if (from === stranger) await held.promise
    return from === stranger ? { isValid: false, invalidReason: "no" } : { isValid: true, payer: from }
  })
  // No wait ends on a slow machine.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
  const crowd = Array.from({ length: 2_001 }, () => shop.present(search, naming(stranger), "192.0.2.1"))
  // A malformed signature gets a 402 while there is room.
  const probe = () => shop.present(search, naming(stranger, `0x${"00".repeat(65)}`), "192.0.2.1")
  await vi.waitFor(async () => expect((await probe()).status).toBe(429), { timeout: 60_000 })
  return { shop, naming, crowd, disperse: held.resolve }
}

it("while as many strangers wait as can wait, a payer is served, and only one from elsewhere waits", async () => {
  const { crowd, disperse, naming, shop } = await openCrowded()
  // Malformed signatures, which get a 402 when there is room: another stranger is refused before anything is checked.
  const refused = [stranger, otherPayer.address].map((from) =>
    shop.present(search, naming(from, `0x${"00".repeat(65)}`), "192.0.2.1")
  )
  expect(await statusesOf(refused)).toEqual([429, 429])
  const forged = shop.present(search, naming(payer.address, `0x${"00".repeat(65)}`), "192.0.2.1")
  const known = shop.present(search, await shop.payFor(search), "192.0.2.1")
  expect(await statusesOf([forged, known])).toEqual([402, 200])
  // A stranger from elsewhere waits in the place of one of the crowd.
  const elsewhere = shop.present(search, await shop.payFor(search, { account: otherPayer }), "192.0.2.2")
  expect((await Promise.race(crowd)).status).toBe(429)
  disperse()
  expect(await statusesOf([elsewhere])).toEqual([200])
  const statuses = await statusesOf(crowd)
  expect(new Set(statuses)).toEqual(new Set([402, 429]))
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  const later = shop.present(search, naming(stranger, `0x${"00".repeat(65)}`), "192.0.2.1")
  expect(await statusesOf([later])).toEqual([402])
})
