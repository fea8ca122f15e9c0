import type { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Publication } from "../shop/goods/VaultListing.ts"
import type { Charges, PayerActivity } from "../ports/Charges.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import { isObject } from "../runtime/isObject.ts"
import type { Orders } from "../shop/ports/Orders.ts"
import type { Quotes } from "../shop/ports/Quotes.ts"
import type { VaultItems } from "../shop/ports/VaultItems.ts"
import type { Redemption, TokenRenewal, VaultPurchases } from "../shop/ports/VaultPurchases.ts"

/*
 * Checks the kind of result that each method of a host's store returns: a method that forgot to return must not look
 * like one that lost a race. The contents of records are checked by the stores' tests, not on every call.
 */

/** The stores by their names in `HostStores`. */
export interface StorePorts {
  readonly charges: Charges["Service"]
  readonly quotes: Quotes["Service"]
  readonly orders: Orders["Service"]
  readonly vaultItems: VaultItems["Service"]
  readonly vaultPurchases: VaultPurchases["Service"]
}

export type StoreName = keyof StorePorts

/** Returns a result as its type, or throws `MalformedResponse`. */
type ResponseReader<Result> = (response: unknown) => Result

type ResponseReaders<Port> = {
  readonly [Verb in keyof Port]: Port[Verb] extends (
    ...input: never
  ) => Effect.Effect<infer Result, StoreError>
    ? ResponseReader<Result>
    : never
}

const typeNameOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`

const malformed = (expected: string, response: unknown): MalformedResponse =>
  new MalformedResponse({ message: `must return ${expected}, not ${typeNameOf(response)}` })

const nothing: ResponseReader<void> = () => undefined

const flag: ResponseReader<boolean> = (response) => {
  if (typeof response !== "boolean") throw malformed("true or false", response)
  return response
}

const count: ResponseReader<number> = (response) => {
  if (!Number.isSafeInteger(response) || (response as number) < 0) throw malformed("a count", response)
  return response as number
}

const optionalTime: ResponseReader<number | undefined> = (response) =>
  response === undefined || response === null ? undefined : count(response)

const record = <A>(response: unknown): A => {
  if (!isObject(response)) throw malformed("an object", response)
  return response as A
}

const found = <A>(response: unknown): A | undefined => {
  if (response === undefined || response === null) return undefined
  if (!isObject(response)) throw malformed("an object or undefined", response)
  return response as A
}

const list = <A>(response: unknown): ReadonlyArray<A> => {
  if (!Array.isArray(response)) throw malformed("an array", response)
  return response as ReadonlyArray<A>
}

const claim = <A>(response: unknown): A => {
  const {
    _tag: tag,
    by,
    charge,
    first
  } = (isObject(response) ? response : {}) as Readonly<Record<string, unknown>>
  const isClaim =
    tag === "Claimed" ||
    (tag === "Limited" && (by === "charges" || by === "exposure")) ||
    (tag === "Existing" && isObject(charge)) ||
    (tag === "Repeated" && isObject(first))
  if (isClaim) return response as A
  throw malformed(
    '{ _tag: "Claimed" }, { _tag: "Existing", charge }, { _tag: "Repeated", first } or { _tag: "Limited", by }',
    response
  )
}

/** Reads one of several records with a tag and nothing else. */
const tagged =
  <Tag extends string>(...tags: ReadonlyArray<Tag>): ResponseReader<{ readonly _tag: Tag }> =>
  (response) => {
    if (isObject(response) && "_tag" in response && tags.includes(response._tag as Tag))
      return response as { readonly _tag: Tag }
    throw malformed(`{ _tag }, one of ${tags.map((tag) => `"${tag}"`).join(", ")}`, response)
  }

/** Reads one of several texts. */
const oneOf =
  <Text extends string>(...texts: ReadonlyArray<Text>): ResponseReader<Text> =>
  (response) => {
    const known = texts.find((text) => text === response)
    if (known === undefined) throw malformed(texts.map((text) => `"${text}"`).join(", "), response)
    return known
  }

const isDigits = (value: unknown): boolean => typeof value === "string" && /^\d{1,78}$/.test(value)

/** Reads sums, which decide about money: a number would have lost digits, so it is rejected. */
const payerActivity: ResponseReader<PayerActivity> = (response) => {
  const { openAtomic, settledAtomic } = (isObject(response) ? response : {}) as Partial<PayerActivity>
  if (isDigits(openAtomic) && isDigits(settledAtomic)) return response as PayerActivity
  throw malformed("{ openAtomic, settledAtomic }, both decimal digits", response)
}

const renewal: ResponseReader<TokenRenewal> = (response) => {
  const {
    _tag: tag,
    oldestMillis,
    purchase
  } = (isObject(response) ? response : {}) as Readonly<Record<string, unknown>>
  const isRenewal =
    tag === "Used" ||
    tag === "NotGranted" ||
    (tag === "Limited" && typeof oldestMillis === "number") ||
    (tag === "Renewed" && isObject(purchase))
  if (isRenewal) return response as TokenRenewal
  throw malformed(
    '{ _tag: "Renewed", purchase }, { _tag: "Limited", oldestMillis }, { _tag: "Used" } or { _tag: "NotGranted" }',
    response
  )
}

const page = <A>(response: unknown): A | undefined => {
  if (response === undefined || response === null) return undefined
  const { items, nextCursor } = (isObject(response) ? response : {}) as Readonly<Record<string, unknown>>
  if (Array.isArray(items) && (nextCursor === null || typeof nextCursor === "string")) return response as A
  throw malformed("{ items, nextCursor } (text or null) or undefined", response)
}

const publication: ResponseReader<Publication> = (response) => {
  const { _tag: tag, id, version } = (isObject(response) ? response : {}) as Partial<Publication>
  const isKnown = tag === "Added" || tag === "Changed" || tag === "Unchanged"
  if (isKnown && typeof id === "string" && Number.isSafeInteger(version))
    return { _tag: tag, id, version: version! }
  throw malformed('{ _tag: "Added", "Changed" or "Unchanged", id, version }', response)
}

/** A reader for every method of every store. */
export const storeResponseReaders: { readonly [Name in StoreName]: ResponseReaders<StorePorts[Name]> } = {
  charges: {
    find: found,
    claim,
    findRepeated: found,
    payerActivity,
    advance: flag,
    complete: tagged("Completed", "NotOpen", "TransferTaken"),
    deliver: flag,
    finalize: flag,
    reopen: flag,
    markApplied: flag,
    void: flag,
    release: flag,
    voidedDue: list,
    releaseVoided: count,
    takeOver: flag,
    yieldLease: nothing,
    defer: nothing,
    unfinished: list,
    list,
    listSettled: list,
    expire: count,
    countUnderKey: count,
    markRefundDue: flag,
    startRefund: tagged("Started", "NotDue", "OverLimit", "ExceedsReceived"),
    recordRefund: flag,
    recordManualRefund: flag,
    recordFurtherRefund: flag,
    recordRefundAttempt: flag,
    endRefundAttempt: flag,
    refundAttempts: list,
    refundStop: found,
    stopRefunds: flag,
    resumeRefunds: flag,
    entries: list,
    totals: list
  },
  quotes: {
    put: record,
    findLive: found,
    findConsumed: found,
    consume: flag,
    restore: nothing,
    expire: count,
    countUnderKey: count
  },
  orders: {
    create: nothing,
    find: found,
    findByReference: found,
    replace: flag,
    take: list,
    earliestDue: optionalTime,
    list,
    forget: count
  },
  vaultItems: {
    put: nothing,
    publish: publication,
    versions: list,
    unlist: flag,
    findBySlug: found,
    search: page,
    countDownload: nothing
  },
  vaultPurchases: {
    reserve: nothing,
    grant: flag,
    cancel: nothing,
    countSales: count,
    countDownload: flag,
    releaseDownload: nothing,
    redeem: oneOf<Redemption>("Redeemed", "Used", "Spent"),
    renewToken: renewal,
    list,
    find: found,
    take: list,
    earliestDue: optionalTime,
    reschedule: flag,
    forget: count,
    countUnderKey: count
  }
}
