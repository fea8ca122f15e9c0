import { Clock, Context, Effect } from "effect"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { FulfilmentOptions } from "../../src/shop/ports/FulfilmentOptions.ts"
import type { MailerOptions } from "../../src/shop/ports/Mailer.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { type Order, Orders } from "../../src/shop/ports/Orders.ts"
import type { DrawnOptions } from "./DrawnOptions.ts"
import type { BrokenTill, Mutation } from "./Mutations.ts"
import { signatureOf } from "./chain/Calls.ts"
import { walletAddresses } from "./RefundWallet.ts"
import { reliable } from "./UpstreamProfile.ts"

/* Tills with one broken rule of orders each, like those of `Mutations.ts`. */

type OrderStore = Orders["Service"]

const withOrders =
  (change: (orders: OrderStore) => Partial<OrderStore>): Mutation =>
  (environment) => {
    const orders = Context.get(environment.stores, Orders)
    return {
      ...environment,
      stores: Context.add(environment.stores, Orders, { ...orders, ...change(orders) })
    }
  }

const withFulfilment =
  (change: (fulfilment: FulfilmentOptions) => Partial<FulfilmentOptions>): Mutation =>
  (environment) => {
    const { fulfilment } = environment.ports
    return fulfilment === undefined
      ? environment
      : {
          ...environment,
          ports: { ...environment.ports, fulfilment: { ...fulfilment, ...change(fulfilment) } }
        }
  }

const withMailer =
  (change: (mailer: MailerOptions) => Partial<MailerOptions>): Mutation =>
  (environment) => {
    const { mailer } = environment.ports
    return mailer === undefined
      ? environment
      : { ...environment, ports: { ...environment.ports, mailer: { ...mailer, ...change(mailer) } } }
  }

const tagged = (tag: string, fields: Readonly<Record<string, unknown>> = {}): Error =>
  Object.assign(new Error(tag), { _tag: tag, ...fields })

const tagOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined

const places =
  (replaced: (error: unknown) => unknown): Mutation =>
  (environment) =>
    withFulfilment(({ place }) => ({
      place: async (order, context) => {
        try {
          return await place(order, context)
        } catch (error) {
          throw replaced(error)
        }
      }
    }))(environment)

/** The `placing` status is kept in memory, and stored only with the outcome. */
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

/** An ambiguous placement counts as not placed. */
const unclearIsNotPlaced = places((error) => (isCertain(error) ? error : tagged("NotPlaced")))

/** An ambiguous placement counts as refused. */
const unclearIsRefused = places((error) =>
  isCertain(error) ? error : tagged("PlacementRefused", { reason: "timeout" })
)

/** A placement that certainly failed counts as ambiguous. */
const notPlacedIsUnclear = places((error) => (tagOf(error) === "NotPlaced" ? new Error("503") : error))

/** Upstream is not queried before an order is placed again. */
const findSkipped = withFulfilment(({ find }) =>
  find === undefined ? {} : { find: () => Promise.resolve(null) }
)

/** An upstream without idempotency keys is treated as if it had them. */
const keysAssumed = withFulfilment(() => ({ placesOnce: true }))

/** An unknown upstream status counts as failed. */
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

/** The last write wins. */
const versionIgnored = withOrders((orders) => ({
  replace: (order) =>
    Effect.flatMap(orders.find(order.id), (standing) =>
      standing === undefined ? Effect.succeed(false) : orders.replace({ ...order, version: standing.version })
    )
}))

const shortLeaseMillis = 20

/** A worker's lease on an order lasts only a moment. */
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

/** Paid orders are not processed. */
const paidForgotten = withOrders((orders) => ({
  replace: (order) =>
    orders.replace(
      order.status === "processing" && order.attempts === 0 ? { ...order, dueAtMillis: undefined } : order
    )
}))

/** A failed order gets no refund. */
const refundKept = withOrders((orders) => ({
  replace: (order) => orders.replace(order.status === "failed" ? { ...order, dueAtMillis: undefined } : order)
}))

/** A due refund is recorded as sent at once. */
const refundEnteredUnsent: Mutation = (environment) => {
  const charges = Context.get(environment.stores, Charges)
  const stores = Context.add(environment.stores, Charges, {
    ...charges,
    markRefundDue: (key, nowMillis, owner) =>
      Effect.tap(charges.markRefundDue(key, nowMillis, owner), () =>
        charges.recordRefund(key, `0x${"12".repeat(32)}`, nowMillis)
      )
  })
  return { ...environment, stores }
}

interface Sent {
  readonly payload: { readonly authorization: Authorization; readonly signature: string }
}

let nonces = 0

/** Every attempt at a refund uses a new nonce. */
const freshRefundNonce: Mutation = (environment) => {
  const { settle } = environment.facilitator
  return {
    ...environment,
    facilitator: {
      ...environment.facilitator,
      settle: (payment: Sent, requirements: unknown) => {
        const { authorization } = payment.payload
        if (!walletAddresses.includes(authorization.from.toLowerCase())) return settle(payment, requirements)
        const anew = { ...authorization, nonce: `0x${(++nonces).toString(16).padStart(64, "7")}` }
        const payload = { authorization: anew, signature: signatureOf(anew) }
        return settle({ ...payment, payload }, requirements)
      }
    }
  }
}

/** A wallet knows a refund by its own nonce alone: the attempts of other wallets are not recorded. */
const walletsUnrecorded: Mutation = (environment) => {
  const charges = Context.get(environment.stores, Charges)
  const stores = Context.add(environment.stores, Charges, {
    ...charges,
    refundAttempts: () => Effect.succeed([]),
    recordRefundAttempt: () => Effect.succeed(true),
    endRefundAttempt: () => Effect.succeed(true)
  })
  return { ...environment, stores }
}

/** Every attempt at a mail uses a new key. */
const freshMailKey = withMailer(({ send }) => {
  let attempts = 0
  return {
    send: (mail, context) =>
      send({ ...mail, idempotencyKey: `${mail.idempotencyKey}:${++attempts}` }, context)
  }
})

/** All parcel mails of an order share one key. */
const parcelMailsShareKey = withMailer(({ send }) => ({
  send: (mail, context) =>
    send(
      { ...mail, idempotencyKey: mail.idempotencyKey.replace(/^(order-shipped:[^:]+):.*$/, "$1") },
      context
    )
}))

/** A mail is attempted only once. */
const mailTriedOnce = withOrders((orders) => ({
  replace: (order) =>
    orders.replace({ ...order, mails: order.mails.filter(({ attempts }) => attempts === 0) })
}))

/** An upstream that mostly places nothing, and says so; it can't be asked. */
const placesNothing = ({ faultPlan, upstream, ...drawn }: DrawnOptions): DrawnOptions => ({
  ...drawn,
  faultPlan: {
    ...faultPlan,
    hasBuyer: true,
    crashes: 0,
    orderCrashes: 0,
    storeErrorChance: 0,
    upstream: { place: { ...reliable.place, clean: 0.1, notPlaced: 1 }, lookupFailureChance: 0 }
  },
  upstream: { ...upstream, canFind: false, honorsKeys: false, refusalChance: 0 }
})

/** Every broken till, by name. */
export const orderMutations: Readonly<Record<string, BrokenTill>> = {
  placingUnwritten: { mutation: placingUnwritten, symptom: /was placed \d times upstream/ },
  unclearIsNotPlaced: {
    firstSeed: 365,
    mutation: unclearIsNotPlaced,
    symptom: /was placed \d times upstream/
  },
  unclearIsRefused: { firstSeed: 365, mutation: unclearIsRefused, symptom: /is refunded, but \w+ upstream/ },
  notPlacedIsUnclear: {
    mutation: notPlacedIsUnclear,
    symptom: /its placement was not ambiguous/,
    world: placesNothing
  },
  findSkipped: { mutation: findSkipped, symptom: /was placed \d times upstream/ },
  keysAssumed: { mutation: keysAssumed, symptom: /was placed \d times upstream/ },
  unknownIsFailed: { mutation: unknownIsFailed, symptom: /is refunded, but \w+ upstream/ },
  versionIgnored: {
    firstSeed: 130,
    mutation: versionIgnored,
    symptom: /was placed \d times upstream|operator canceled/
  },
  leaseTooShort: { firstSeed: 65, mutation: leaseTooShort, symptom: /was placed \d times upstream/ },
  paidForgotten: { mutation: paidForgotten, symptom: /is paid, but is processing/ },
  refundKept: { mutation: refundKept, symptom: /is paid, but is failed/ },
  refundEnteredUnsent: {
    mutation: refundEnteredUnsent,
    symptom: /the ledger records a refund of .*, but nothing was sent/
  },
  walletsUnrecorded: {
    firstSeed: 189,
    mutation: walletsUnrecorded,
    symptom: /money: 0x\w+ paid \d+, and got .* back/
  },
  freshRefundNonce: { mutation: freshRefundNonce, symptom: /was refunded, but the ledger has 0 entries/ },
  freshMailKey: { mutation: freshMailKey, symptom: /one mail goes out under two keys/ },
  parcelMailsShareKey: { mutation: parcelMailsShareKey, symptom: /two mails go out under one key/ },
  mailTriedOnce: { mutation: mailTriedOnce, symptom: /no .*mail.* was sent/ }
}
