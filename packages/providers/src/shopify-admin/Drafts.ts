import type { OrderPayment } from "@till402/core"
import { Effect } from "effect"
import type { OldQuotes } from "../fulfilment/OldQuotes.ts"
import { ResponseMalformed } from "../upstream/index.ts"
import type { AdminApi } from "./AdminApi.ts"
import {
  type ChangedDraft,
  completeDraft,
  createDraft,
  deleteDraft,
  type DraftDocument,
  findDrafts,
  getDraft,
  updateDraft
} from "./Documents.ts"
import { type AdminFault, DraftNotReady, ShopRefused } from "./Errors.ts"
import type { Fields } from "../listing/Fields.ts"

/*
 * Draft orders: a quote is one, and completing it places the order.
 */

/** The attribute that says which order of the till a draft was paid as. The merchant sees it on the order. */
const orderKey = "x402 order"
const transactionKey = "x402 transaction"
const networkKey = "x402 network"

/** The tag of drafts that are quotes, and of their orders. */
export const quoteTag = "x402"

const listedAtOnce = 20

/** The attributes of a paid draft, which pass on to its order. */
const attributesOf = (orderId: string, payment: OrderPayment | undefined) => [
  { key: orderKey, value: orderId },
  ...(payment === undefined
    ? []
    : [
        { key: transactionKey, value: payment.transaction },
        { key: networkKey, value: payment.network }
      ])
]

/** The till's order that a draft belongs to; `undefined` for a quote. */
export const orderOf = ({ customAttributes }: DraftDocument): string | undefined =>
  customAttributes.find(({ key }) => key === orderKey)?.value ?? undefined

export const isCompleted = ({ status }: DraftDocument): boolean => status === "COMPLETED"

/** Fields of the input in which the shop found errors. */
export class DraftRefused extends ShopRefused {
  readonly fields: ReadonlySet<string>
  constructor(mutation: string, { userErrors }: ChangedDraft) {
    super({ code: mutation })
    this.fields = new Set(userErrors.flatMap(({ field }) => field ?? []))
  }
}

const readsWhilePending = 6
const pendingMillis = 500

export interface Drafts {
  /** Fails with `DraftRefused` if the shop finds errors in the input. Its prices may still be missing: `whenReady`. */
  readonly create: (input: Fields) => Effect.Effect<DraftDocument, AdminFault | DraftRefused>
  readonly get: (id: string) => Effect.Effect<DraftDocument | undefined, AdminFault>
  /** Waits up to three seconds until the shop has computed a draft's prices. */
  readonly whenReady: (draft: DraftDocument) => Effect.Effect<DraftDocument, AdminFault | DraftNotReady>
  /** Writes the till's order and its payment on a draft. */
  readonly claim: (
    id: string,
    orderId: string,
    payment: OrderPayment | undefined
  ) => Effect.Effect<DraftDocument, AdminFault>
  /** Turns a draft into a paid order. Fails with `DraftRefused` if it is one already. */
  readonly complete: (id: string) => Effect.Effect<DraftDocument, AdminFault | DraftRefused>
  /** Deletes a draft that is no order. `isUnwanted` decides by the till's order that is to be placed as it. */
  readonly remove: (
    id: string,
    isUnwanted: (orderId: string | undefined) => boolean
  ) => Effect.Effect<void, AdminFault>
  readonly listOld: (
    createdBeforeMillis: number,
    from: string | undefined
  ) => Effect.Effect<OldQuotes, AdminFault>
}

const changed = (mutation: string, result: ChangedDraft): Effect.Effect<DraftDocument, AdminFault> => {
  const { draftOrder, userErrors } = result
  if (userErrors.length > 0) return Effect.fail(new DraftRefused(mutation, result))
  return draftOrder === undefined || draftOrder === null
    ? Effect.fail(new ResponseMalformed({ upstream: "shopify-admin", detail: `${mutation}.draftOrder` }))
    : Effect.succeed(draftOrder)
}

export const makeDrafts = ({ mutate, query }: AdminApi): Drafts => {
  const get: Drafts["get"] = (id) =>
    Effect.map(query(getDraft, { id }), ({ draftOrder }) => draftOrder ?? undefined)

  const whenReady: Drafts["whenReady"] = Effect.fnUntraced(function* (draft) {
    let current: DraftDocument | undefined = draft
    for (let reads = 0; current !== undefined && !current.ready && reads < readsWhilePending; reads++) {
      yield* Effect.sleep(pendingMillis)
      current = yield* get(draft.id)
    }
    return current?.ready === true ? current : yield* new DraftNotReady()
  })

  return {
    get,
    whenReady,
    create: (input) =>
      Effect.flatMap(mutate(createDraft, { input }), ({ draftOrderCreate }) =>
        changed("draftOrderCreate", draftOrderCreate)
      ),
    claim: (id, orderId, payment) =>
      Effect.flatMap(
        mutate(updateDraft, { id, input: { customAttributes: attributesOf(orderId, payment) } }),
        ({ draftOrderUpdate }) => changed("draftOrderUpdate", draftOrderUpdate)
      ),
    complete: (id) =>
      Effect.flatMap(mutate(completeDraft, { id }), ({ draftOrderComplete }) =>
        changed("draftOrderComplete", draftOrderComplete)
      ),
    remove: (id, isUnwanted) =>
      Effect.flatMap(get(id), (draft) =>
        draft === undefined || isCompleted(draft) || !isUnwanted(orderOf(draft))
          ? Effect.void
          : Effect.asVoid(mutate(deleteDraft, { id }))
      ),
    listOld: Effect.fnUntraced(function* (createdBeforeMillis, from) {
      const createdBefore = new Date(createdBeforeMillis).toISOString()
      const { draftOrders } = yield* query(findDrafts, {
        query: `tag:${quoteTag} status:open created_at:<'${createdBefore}'`,
        first: listedAtOnce,
        after: from ?? null
      })
      const { endCursor, hasNextPage } = draftOrders.pageInfo
      // Shopify ignores filters that it doesn't understand.
      const quotes = draftOrders.nodes.filter(
        ({ createdAt, status, tags }) =>
          tags.includes(quoteTag) && status === "OPEN" && Date.parse(createdAt) < createdBeforeMillis
      )
      return {
        ids: quotes.map(({ id }) => id),
        ...(hasNextPage && typeof endCursor === "string" ? { next: endCursor } : {})
      }
    })
  }
}
