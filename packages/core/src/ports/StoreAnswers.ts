import type { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Charges, PayerStanding } from "./Charges.ts"
import { MalformedAnswer } from "./HostAnswer.ts"
import type { Orders } from "./Orders.ts"
import type { Quotes } from "./Quotes.ts"
import type { VaultItems } from "./VaultItems.ts"
import type { VaultPurchases } from "./VaultPurchases.ts"

/*
 * Which kind of answer each verb of a host's own store gives. Only the kind is looked at on every call: a verb that
 * forgot to answer must not pass for one that lost a race. What stands in a record is for the stores' tests to check.
 */

/** The stores by the names under which a host gives them. */
export interface StorePorts {
  readonly charges: Charges["Service"]
  readonly quotes: Quotes["Service"]
  readonly orders: Orders["Service"]
  readonly vaultItems: VaultItems["Service"]
  readonly vaultPurchases: VaultPurchases["Service"]
}

export type StoreName = keyof StorePorts

/** Gives an answer on, or throws `MalformedAnswer`. */
type Kind<Answer> = (answer: unknown) => Answer

type Kinds<Port> = {
  readonly [Verb in keyof Port]: Port[Verb] extends (
    ...input: never
  ) => Effect.Effect<infer Answer, StoreError>
    ? Kind<Answer>
    : never
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`

const otherThan = (expected: string, answer: unknown): MalformedAnswer =>
  new MalformedAnswer({ message: `must answer ${expected}, not ${kindOf(answer)}` })

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const nothing: Kind<void> = () => undefined

const flag: Kind<boolean> = (answer) => {
  if (typeof answer !== "boolean") throw otherThan("true or false", answer)
  return answer
}

const count: Kind<number> = (answer) => {
  if (!Number.isSafeInteger(answer) || (answer as number) < 0) throw otherThan("a count", answer)
  return answer as number
}

const record = <A>(answer: unknown): A => {
  if (!isRecord(answer)) throw otherThan("an object", answer)
  return answer as A
}

const found = <A>(answer: unknown): A | undefined => {
  if (answer === undefined || answer === null) return undefined
  if (!isRecord(answer)) throw otherThan("an object or undefined", answer)
  return answer as A
}

const list = <A>(answer: unknown): ReadonlyArray<A> => {
  if (!Array.isArray(answer)) throw otherThan("an array", answer)
  return answer as ReadonlyArray<A>
}

const claim = <A>(answer: unknown): A => {
  const { _tag: tag, by, charge } = (isRecord(answer) ? answer : {}) as Readonly<Record<string, unknown>>
  const isClaim =
    tag === "Claimed" ||
    (tag === "Limited" && (by === "charges" || by === "exposure")) ||
    (tag === "Existing" && isRecord(charge))
  if (isClaim) return answer as A
  throw otherThan('{ _tag: "Claimed" }, { _tag: "Existing", charge } or { _tag: "Limited", by }', answer)
}

/** One of several records that have a tag and nothing else. */
const tagged =
  <Tag extends string>(...tags: ReadonlyArray<Tag>): Kind<{ readonly _tag: Tag }> =>
  (answer) => {
    if (isRecord(answer) && "_tag" in answer && tags.includes(answer._tag as Tag))
      return answer as { readonly _tag: Tag }
    throw otherThan(`{ _tag }, one of ${tags.map((tag) => `"${tag}"`).join(", ")}`, answer)
  }

const isDigits = (value: unknown): boolean => typeof value === "string" && /^\d{1,78}$/.test(value)

/** Sums decide about money: a number, which has lost digits, is not taken for one. */
const standing: Kind<PayerStanding> = (answer) => {
  const { openAtomic, settledAtomic } = (isRecord(answer) ? answer : {}) as Partial<PayerStanding>
  if (isDigits(openAtomic) && isDigits(settledAtomic)) return answer as PayerStanding
  throw otherThan("{ openAtomic, settledAtomic }, both decimal digits", answer)
}

const page = <A>(answer: unknown): A | undefined => {
  if (answer === undefined || answer === null) return undefined
  const { items, nextCursor } = (isRecord(answer) ? answer : {}) as Readonly<Record<string, unknown>>
  if (Array.isArray(items) && (nextCursor === null || typeof nextCursor === "string")) return answer as A
  throw otherThan("{ items, nextCursor } (text or null) or undefined", answer)
}

/** Every verb of every store. */
export const storeAnswers: { readonly [Name in StoreName]: Kinds<StorePorts[Name]> } = {
  charges: {
    find: found,
    claim,
    payerStanding: standing,
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
    expire: count,
    oweRefund: flag,
    startRefund: tagged("Started", "NotDue", "OverLimit", "ExceedsReceived"),
    recordRefund: flag,
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
    expire: count
  },
  orders: {
    create: nothing,
    find: found,
    findByReference: found,
    replace: flag,
    take: list,
    list,
    forget: count
  },
  vaultItems: { put: nothing, findBySlug: found, search: page, countDownload: nothing },
  vaultPurchases: {
    reserve: nothing,
    grant: flag,
    cancel: nothing,
    find: found,
    take: list,
    reschedule: flag,
    forget: count
  }
}
