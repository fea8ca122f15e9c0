import { setTimeout } from "node:timers/promises"
import { type FakeFacilitator, fakeFacilitator } from "@till402/testing"
import type { PrivateKeyAccount } from "viem/accounts"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { freshAccount } from "../src/Attacker.ts"
import { calls, requestOf } from "../src/Calls.ts"
import { signByFreshKeys, startFlood } from "../src/Flood.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { type Challenge, headerOf, type Payment } from "../src/Payments.ts"
import { clientHeader } from "../src/QuoteLimit.ts"
import { limitedInAll } from "../src/TotalLimit.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * Keys are free: a flood of payments without money must not use up the capacity for paying users.
 */

const connections = 90
/** Calls with a payment that either server accepts at a time. */
const inAll = 60
const perUser = 4
/** Pause between two calls of a user. */
const paceMillis = 75

/** Takes 200 ms to verify; only the users have money. */
const facilitatorFor = (users: ReadonlyArray<PrivateKeyAccount>): FakeFacilitator => {
  const facilitator = fakeFacilitator()
  const funded = new Set(users.map(({ address }) => address))
  facilitator.verify.delays(200).returns((payment: Payment) => {
    const { from } = payment.payload.authorization
    return funded.has(from as `0x${string}`)
      ? { isValid: true, payer: from }
      : { isValid: false, invalidReason: "insufficient_funds", payer: from }
  })
  return facilitator
}

let signed: { readonly atMillis: number; readonly payments: Promise<ReadonlyArray<Payment>> } | undefined
/** Payments without money, signed once a minute: what is signed is the same for every server here. */
const strangersTo = async (challenge: Challenge): Promise<ReadonlyArray<Payment>> => {
  if (signed === undefined || Date.now() - signed.atMillis > 60_000)
    signed = { atMillis: Date.now(), payments: signByFreshKeys(challenge, 500) }
  return (await signed.payments).map((payment) => ({ ...payment, accepted: challenge.accepts[0]! }))
}

interface Crowd {
  /** Addresses that the flood comes from. */
  readonly clients: number
  /** Whether the users paid here before the flood. */
  readonly known: boolean
}

/** Returns the statuses that two paying users get during the flood. */
const payDuringFlood = async (
  open: (facilitator: FakeFacilitator) => Promise<Server> | Server,
  { clients, known }: Crowd
): Promise<ReadonlyArray<number>> => {
  const users = [freshAccount(), freshAccount()]
  const server = await open(facilitatorFor(users))
  const visitor = visit(server)
  const challenge = await visitor.challenge(calls.search)
  const strangers = await strangersTo(challenge)
  const pay = async (account: PrivateKeyAccount, index: number): Promise<number> => {
    const header = headerOf(await visitor.payFor(calls.search, { account }))
    const client = `192.0.2.${index + 1}`
    const request = requestOf(calls.search, { "payment-signature": header, [clientHeader]: client })
    return (await server.fetch(request)).status
  }
  if (known) for (const [index, account] of users.entries()) expect(await pay(account, index)).toBe(200)
  const flood = startFlood(server, calls.search, strangers, { connections, clients })
  const paying = users.map(async (account, index) => {
    const statuses: Array<number> = []
    for (let time = 0; time < perUser; time++) {
      statuses.push(await pay(account, index))
      await setTimeout(paceMillis)
    }
    return statuses
  })
  const statuses = (await Promise.all(paying)).flat()
  const sent = await flood.stop()
  const refused = statuses.filter((status) => status !== 200).length
  console.info(`${refused} of ${statuses.length} paying calls refused beside ${sent} without money`)
  return statuses
}

const openNaive = (facilitator: FakeFacilitator): Server => limitedInAll(openOfficial(facilitator), inAll)
const openTill = (facilitator: FakeFacilitator) =>
  openOurs(facilitator, {
    limits: { unsettled: inAll },
    clientAddress: ({ headers }) => headers.get(clientHeader) ?? undefined
  })

const lands = (crowd: Crowd) => async (): Promise<void> => {
  expect(await payDuringFlood(openNaive, crowd)).toContain(429)
}
const fails = (crowd: Crowd) => async (): Promise<void> => {
  const statuses = await payDuringFlood(openTill, crowd)
  expect(statuses).toEqual(statuses.map(() => 200))
}

const paidBefore = { clients: 40, known: true }
attack("a flood of payments by keys without money, beside users who have paid before", {
  on: `${official}, behind a total limit`,
  lands: lands(paidBefore),
  fails: fails(paidBefore)
})

const paysFirst = { clients: 4, known: false }
attack("a flood of payments by keys without money, beside users who pay for the first time", {
  on: `${official}, behind a total limit`,
  lands: lands(paysFirst),
  fails: fails(paysFirst)
})
