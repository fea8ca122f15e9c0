import { Clock, Context, Effect } from "effect"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { FulfilmentOptions, MailerOptions } from "../../src/ProviderOptions.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/ports/Orders.ts"
import type { BrokenTill, Mutation } from "./Mutations.ts"
import { signatureOf } from "./chain/Calls.ts"
import { walletAddress } from "./RefundWallet.ts"

/*
 * Tills that break a rule of orders, as those of `Mutations.ts` break one of the toll.
 */

type Verbs = Orders["Service"]

const withOrders =
  (change: (orders: Verbs) => Partial<Verbs>): Mutation =>
  (surroundings) => {
    const orders = Context.get(surroundings.stores, Orders)
    return {
      ...surroundings,
      stores: Context.add(surroundings.stores, Orders, { ...orders, ...change(orders) })
    }
  }

const withFulfilment =
  (change: (fulfilment: FulfilmentOptions) => Partial<FulfilmentOptions>): Mutation =>
  (surroundings) => {
    const { fulfilment } = surroundings.ports
    return fulfilment === undefined
      ? surroundings
      : {
          ...surroundings,
          ports: { ...surroundings.ports, fulfilment: { ...fulfilment, ...change(fulfilment) } }
        }
  }

const withMailer =
  (change: (mailer: MailerOptions) => Partial<MailerOptions>): Mutation =>
  (surroundings) => {
    const { mailer } = surroundings.ports
    return mailer === undefined
      ? surroundings
      : { ...surroundings, ports: { ...surroundings.ports, mailer: { ...mailer, ...change(mailer) } } }
  }

const tagged = (tag: string, fields: Readonly<Record<string, unknown>> = {}): Error =>
  Object.assign(new Error(tag), { _tag: tag, ...fields })

const tagOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined

const places =
  (replaced: (error: unknown) => unknown): Mutation =>
  (surroundings) =>
    withFulfilment(({ place }) => ({
      place: async (order, context) => {
        try {
          return await place(order, context)
        } catch (error) {
          throw replaced(error)
        }
      }
    }))(surroundings)

/** That upstream is about to be called is only remembered, and written with what came of it. */
const placingUnwritten = withOrders((orders) => {
  const ahead = new Map<string, number>()
  const seen = (found: Order): Order => {
    ahead.delete(found.id)
    return found
  }
  return {
    find: (id) => Effect.map(orders.find(id), (found) => found && seen(found)),
    take: (nowMillis, untilMillis, limit) =>
      Effect.map(orders.take(nowMillis, untilMillis, limit), (taken) => taken.map(seen)),
    replace: (order) => {
      if (order.status === "placing") {
        ahead.set(order.id, 1)
        return Effect.succeed(true)
      }
      return orders.replace({ ...order, version: order.version - (ahead.get(order.id) ?? 0) })
    }
  }
})

const isCertain = (error: unknown): boolean =>
  ["NotPlaced", "PlacementRefused", "ProductUnavailable"].includes(String(tagOf(error)))

/** What may have been placed is taken for what certainly was not. */
const unclearIsNotPlaced = places((error) => (isCertain(error) ? error : tagged("NotPlaced")))

/** What may have been placed is taken for refused. */
const unclearIsRefused = places((error) =>
  isCertain(error) ? error : tagged("PlacementRefused", { reason: "timeout" })
)

/** What certainly was not placed is taken for unclear. */
const notPlacedIsUnclear = places((error) => (tagOf(error) === "NotPlaced" ? new Error("503") : error))

/** Nobody asks upstream whether it has an order before it is placed again. */
const findSkipped = withFulfilment(({ find }) =>
  find === undefined ? {} : { find: () => Promise.resolve(undefined) }
)

/** An upstream that takes every order is said to take each once. */
const keysAssumed = withFulfilment(() => ({ placesOnce: true }))

/** An upstream that does not say how an order stands has lost it. */
const unknownIsFailed = withFulfilment(({ status }) =>
  status === undefined
    ? {}
    : {
        status: async (reference, context) => {
          try {
            return await status(reference, context)
          } catch {
            return { status: "failed", shipments: [] }
          }
        }
      }
)

/** Whoever writes last wins. */
const versionIgnored = withOrders((orders) => ({
  replace: (order) =>
    Effect.flatMap(orders.find(order.id), (standing) =>
      standing === undefined ? Effect.succeed(false) : orders.replace({ ...order, version: standing.version })
    )
}))

const shortLeaseMillis = 20

/** A worker has an order to itself for no longer than a moment. */
const leaseTooShort = withOrders((orders) => ({
  take: (nowMillis, _untilMillis, limit) => orders.take(nowMillis, nowMillis + shortLeaseMillis, limit),
  replace: (order) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const until = nowMillis + shortLeaseMillis
      return orders.replace(
        order.status === "placing" ? { ...order, stepAtMillis: until, dueAtMillis: until } : order
      )
    })
}))

/** Orders that are paid are left to whoever was paid for them. */
const paidForgotten = withOrders((orders) => ({
  replace: (order) =>
    orders.replace(
      order.status === "processing" && order.attempts === 0 ? { ...order, dueAtMillis: undefined } : order
    )
}))

/** A failed order keeps its money. */
const refundKept = withOrders((orders) => ({
  replace: (order) => orders.replace(order.status === "failed" ? { ...order, dueAtMillis: undefined } : order)
}))

/** What is owed is entered as sent at once. */
const refundEnteredUnsent: Mutation = (surroundings) => {
  const charges = Context.get(surroundings.stores, Charges)
  const stores = Context.add(surroundings.stores, Charges, {
    ...charges,
    oweRefund: (key, nowMillis) =>
      Effect.tap(charges.oweRefund(key, nowMillis), () =>
        charges.recordRefund(key, `0x${"12".repeat(32)}`, nowMillis)
      )
  })
  return { ...surroundings, stores }
}

interface Sent {
  readonly payload: { readonly authorization: Authorization; readonly signature: string }
}

let nonces = 0

/** Each attempt at a refund has a nonce of its own. */
const nonceAnew: Mutation = (surroundings) => {
  const { settle } = surroundings.facilitator
  return {
    ...surroundings,
    facilitator: {
      ...surroundings.facilitator,
      settle: (payment: Sent, requirements: unknown) => {
        const { authorization } = payment.payload
        if (authorization.from.toLowerCase() !== walletAddress) return settle(payment, requirements)
        const anew = { ...authorization, nonce: `0x${(++nonces).toString(16).padStart(64, "7")}` }
        const payload = { authorization: anew, signature: signatureOf(anew) }
        return settle({ ...payment, payload }, requirements)
      }
    }
  }
}

/** The key of a mail is made anew for each attempt. */
const mailKeyAnew = withMailer(({ send }) => {
  let attempts = 0
  return {
    send: (mail, context) =>
      send({ ...mail, idempotencyKey: `${mail.idempotencyKey}:${++attempts}` }, context)
  }
})

/** Of several mails about parcels only the first has a key that is its own. */
const parcelsUntold = withMailer(({ send }) => ({
  send: (mail, context) =>
    send(
      { ...mail, idempotencyKey: mail.idempotencyKey.replace(/^(order-shipped:[^:]+):.*$/, "$1") },
      context
    )
}))

/** A mail is tried once. */
const mailTriedOnce = withOrders((orders) => ({
  replace: (order) =>
    orders.replace({ ...order, mails: order.mails.filter(({ attempts }) => attempts === 0) })
}))

/** Each broken till by its name. */
export const orderMutations: Readonly<Record<string, BrokenTill>> = {
  placingUnwritten: { mutation: placingUnwritten, symptom: /was placed \d times upstream/ },
  unclearIsNotPlaced: { mutation: unclearIsNotPlaced, symptom: /was placed \d times upstream/ },
  unclearIsRefused: { mutation: unclearIsRefused, symptom: /is refunded, and \w+ upstream/ },
  notPlacedIsUnclear: {
    firstSeed: 395,
    mutation: notPlacedIsUnclear,
    symptom: /nothing about it was unclear/
  },
  findSkipped: { mutation: findSkipped, symptom: /was placed \d times upstream/ },
  keysAssumed: { mutation: keysAssumed, symptom: /was placed \d times upstream/ },
  unknownIsFailed: { mutation: unknownIsFailed, symptom: /is refunded, and \w+ upstream/ },
  versionIgnored: {
    firstSeed: 130,
    mutation: versionIgnored,
    symptom: /was placed \d times upstream|given up/
  },
  leaseTooShort: { firstSeed: 60, mutation: leaseTooShort, symptom: /was placed \d times upstream/ },
  paidForgotten: { mutation: paidForgotten, symptom: /is paid, and is processing/ },
  refundKept: { mutation: refundKept, symptom: /is paid, and is failed/ },
  refundEnteredUnsent: { mutation: refundEnteredUnsent, symptom: /is entered, and nothing went back/ },
  nonceAnew: { mutation: nonceAnew, symptom: /went back, and the ledger has 0 entries/ },
  mailKeyAnew: { mutation: mailKeyAnew, symptom: /one mail goes out under two keys/ },
  parcelsUntold: { mutation: parcelsUntold, symptom: /two mails go out under one key/ },
  mailTriedOnce: { firstSeed: 20, mutation: mailTriedOnce, symptom: /nobody was told/ }
}
