import { type Effect, Predicate } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Publication } from "../shop/goods/VaultListing.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import { isObject } from "../runtime/isObject.ts"
import type { PayerActivity } from "../ports/Charges.ts"
import type { Redemption, TokenRenewal } from "../shop/ports/VaultPurchases.ts"
import type { StoreName, StorePorts } from "./Stores.ts"

/*
 * Checks the kind of result that each method of a host's store returns: a method that forgot to return must not look
 * like one that lost a race. The contents of records are checked by the stores' tests, not on every call.
 */

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

/** Reads what passes a check. */
const shaped =
  (expected: string, is: (response: unknown) => boolean) =>
  <A>(response: unknown): A => {
    if (!is(response)) throw malformed(expected, response)
    return response as A
  }

/** Lets a method return nothing, which is `null`, too. */
const optional =
  (read: <A>(response: unknown) => A) =>
  <A>(response: unknown): A | undefined =>
    response === undefined || response === null ? undefined : read<A>(response)

const fieldsOf = (response: unknown): Readonly<Record<string, unknown>> =>
  isObject(response) ? response : {}

const flag: ResponseReader<boolean> = shaped("true or false", Predicate.isBoolean)

const isCount = (response: unknown): boolean => Number.isSafeInteger(response) && Number(response) >= 0
const count: ResponseReader<number> = shaped("a count", isCount)
const optionalTime: ResponseReader<number | undefined> = optional(shaped("a count", isCount))

const record = shaped("an object", isObject)
const found = optional(shaped("an object or undefined", isObject))
const list: <A>(response: unknown) => ReadonlyArray<A> = shaped("an array", Array.isArray)

const claim = shaped(
  '{ _tag: "Claimed" }, { _tag: "Existing", charge }, { _tag: "Repeated", first } or { _tag: "Limited", by }',
  (response) => {
    const { _tag: tag, by, charge, first } = fieldsOf(response)
    return (
      tag === "Claimed" ||
      (tag === "Limited" && (by === "charges" || by === "exposure")) ||
      (tag === "Existing" && isObject(charge)) ||
      (tag === "Repeated" && isObject(first))
    )
  }
)

/** Reads one of several records with a tag and nothing else. */
const tagged = <Tag extends string>(...tags: ReadonlyArray<Tag>): ResponseReader<{ readonly _tag: Tag }> =>
  shaped(`{ _tag }, one of ${tags.map((tag) => `"${tag}"`).join(", ")}`, (response) =>
    tags.some((tag) => tag === fieldsOf(response)["_tag"])
  )

/** Reads one of several texts. */
const oneOf = <Text extends string>(...texts: ReadonlyArray<Text>): ResponseReader<Text> =>
  shaped(texts.map((text) => `"${text}"`).join(", "), (response) => texts.some((text) => text === response))

const isDigits = (value: unknown): boolean => typeof value === "string" && /^\d{1,78}$/.test(value)

/** Reads sums, which decide about money: a number would have lost digits, so it is rejected. */
const payerActivity: ResponseReader<PayerActivity> = shaped(
  "{ openAtomic, settledAtomic }, both decimal digits",
  (response) => {
    const { openAtomic, settledAtomic } = fieldsOf(response)
    return isDigits(openAtomic) && isDigits(settledAtomic)
  }
)

const renewal: ResponseReader<TokenRenewal> = shaped(
  '{ _tag: "Renewed", purchase }, { _tag: "Limited", oldestMillis }, { _tag: "Used" } or { _tag: "NotGranted" }',
  (response) => {
    const { _tag: tag, oldestMillis, purchase } = fieldsOf(response)
    return (
      tag === "Used" ||
      tag === "NotGranted" ||
      (tag === "Limited" && typeof oldestMillis === "number") ||
      (tag === "Renewed" && isObject(purchase))
    )
  }
)

const page = optional(
  shaped("{ items, nextCursor } (text or null) or undefined", (response) => {
    const { items, nextCursor } = fieldsOf(response)
    return Array.isArray(items) && (nextCursor === null || typeof nextCursor === "string")
  })
)

const publication: ResponseReader<Publication> = (response) => {
  const { _tag: tag, id, version } = fieldsOf(response) as Partial<Publication>
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
