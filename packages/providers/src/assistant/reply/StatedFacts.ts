import type { Product } from "@till402/core"
import type { ComparedClaim, PlacedClaim } from "./Claims.ts"
import type { Mention } from "./Mentions.ts"
import type { StatedNumber } from "./Numbers.ts"

/*
 * Whether numbers and comparisons of a sentence are true of the products that they are about.
 */

/** What a number or claim is about. */
export type Subject =
  | { readonly kind: "one"; readonly owners: ReadonlyArray<Product> }
  | { readonly kind: "all"; readonly owners: ReadonlyArray<Product> }
  | { readonly kind: "unclear" }

const connector =
  /^[\s,;/&+"'“”»«()-]*(?:and|or|und|oder|et|ou|y|o|e|en|of|i|lub|и|или|ve|veya|と|和|与|및)?[\s"'“”«»]*(?:the|der|die|das|le|la|el|il|lo|o|a|de|het|l')?[\s"'“”«»]*$/iu

const overlaps = (left: Mention, right: Mention): boolean =>
  left.owners.some((owner) => right.owners.includes(owner))

/** The last mention before a place, with those that are listed with it: `Foo and Bar cost …`. */
export const mentionsBefore = (
  text: string,
  mentions: ReadonlyArray<Mention>,
  place: number
): ReadonlyArray<Mention> => {
  const before = mentions.filter(({ end }) => end <= place)
  const group: Array<Mention> = []
  for (const mention of before.toReversed()) {
    const next = group.at(-1)
    if (
      next !== undefined &&
      !connector.test(text.slice(mention.end, next.start)) &&
      !overlaps(mention, next)
    )
      break
    group.push(mention)
  }
  return group
}

/** A mention that follows a place directly: `the $45 Foo`. */
const mentionAfter = (text: string, mentions: ReadonlyArray<Mention>, place: number): Mention | undefined =>
  mentions.find(({ start }) => start >= place && /^[\s"'“”«»-]*$/u.test(text.slice(place, start)))

/** Narrows words that several titles share by the more exact mention beside them, or by the product spoken of. */
const narrowed = (mentions: ReadonlyArray<Mention>, spokenOf: Subject): Subject => {
  const exact = mentions.filter((mention) => !mentions.some((other) => isNarrower(other, mention)))
  const [first] = exact
  if (first === undefined) return spokenOf
  if (exact.length === 1) {
    const isVague = spokenOf.kind === "one" && spokenOf.owners.every((owner) => first.owners.includes(owner))
    if (first.owners.length > 1) return isVague ? spokenOf : { kind: "all", owners: first.owners }
    return { kind: "one", owners: first.owners }
  }
  const owners = [...new Set(exact.flatMap((mention) => mention.owners))]
  return { kind: owners.length === 1 ? "one" : "all", owners }
}

const isNarrower = (other: Mention, mention: Mention): boolean =>
  other !== mention &&
  other.owners.every((owner) => mention.owners.includes(owner)) &&
  (other.owners.length < mention.owners.length || other.start < mention.start)

const clauseStart =
  /(?:^|[^\p{L}\p{N}\s']|(?<!\p{L})(?:and|but|while|whereas|und|aber|während|et|mais|y|pero|mientras|e|ma|mentre|mas|enquanto|en|maar|terwijl|i|ale|и|а|но|ve|ama))\s*(?:(?:the|our|my|der|die|das|le|la|les|el|los|las|il|lo|gli|o|a|os|as|de|het)\s+)?$/iu
const pronoun =
  /(?<!\p{L})(?:it|its|it's|this|that|which|same|er|sie|es|dies\p{L}*|elle|ce|cela|celui|este|esta|ese|esa|esso|essa|questo|questa|ele|ela|dit|dat|ono|on|ona|он|она|оно|это|этот|эта|bu|o)(?!\p{L})/iu

/**
 * Whether another product than the one mentioned last may be meant: `The Foo works as a bar and costs …`, or
 * `It works as a bar and costs …` after a sentence about the Foo.
 */
const isDoubtful = (
  text: string,
  before: ReadonlyArray<Mention>,
  mentions: ReadonlyArray<Mention>,
  spokenOf: Subject
): boolean => {
  const start = Math.min(...before.map((mention) => mention.start))
  const lead = text.slice(0, start)
  if (clauseStart.test(lead)) return false
  const names = (mention: Mention) => before.some((last) => overlaps(last, mention))
  if (mentions.some((mention) => mention.end <= start && !names(mention))) return true
  const isSpokenOf =
    spokenOf.kind === "one" &&
    before.some(({ owners }) => spokenOf.owners.every((owner) => owners.includes(owner)))
  return pronoun.test(lead) && !isSpokenOf
}

/** Words before a price that a product's name follows: `For $45, the Foo …`. */
const leadIn =
  /^[\s"“«-]*(?:for|at|with|um|für|mit|pour|à|por|con|per|a|voor|met|za|за|от)?\s*(?:only|just|nur)?\s*$/iu

/** The products that a number is about. */
export const subjectOf = (
  text: string,
  place: { readonly start: number; readonly end: number },
  mentions: ReadonlyArray<Mention>,
  spokenOf: Subject
): Subject => {
  const next = mentionAfter(text, mentions, place.end)
  if (next !== undefined) return narrowed([next], spokenOf)
  const before = mentionsBefore(text, mentions, place.start)
  if (before.length > 0) {
    return isDoubtful(text, before, mentions, spokenOf) ? { kind: "unclear" } : narrowed(before, spokenOf)
  }
  if (mentions.length === 0) return spokenOf
  const owners = new Set(mentions.flatMap((mention) => mention.owners))
  if (owners.size === 1 && leadIn.test(text.slice(0, place.start)))
    return { kind: "one", owners: [...owners] }
  const isSpokenOf = spokenOf.kind === "one" && spokenOf.owners.every((owner) => owners.has(owner))
  return isSpokenOf && owners.size === 1 ? spokenOf : { kind: "unclear" }
}

const factOf = (product: Product, { kind }: StatedNumber): number | null =>
  kind === "price" ? product.price : kind === "rating" ? product.rating : product.reviewCount

/** Whether a number is the product's price, rating or number of reviews. */
export const isFactOf = (product: Product, stated: StatedNumber): boolean => {
  const fact = factOf(product, stated)
  return (
    fact !== null &&
    stated.values.includes(fact) &&
    !stated.otherScale &&
    (stated.kind !== "price" || stated.currencies.includes(product.currency.toUpperCase()))
  )
}

/** Whether a number is true of its subject. A number without a clear subject is not. */
export const isTrueOf = (subject: Subject, stated: StatedNumber): boolean => {
  if (subject.kind === "unclear") return false
  return subject.kind === "all"
    ? subject.owners.every((owner) => isFactOf(owner, stated))
    : subject.owners.some((owner) => isFactOf(owner, stated))
}

const facts: Record<Exclude<ComparedClaim, "high rating">, (product: Product) => number | null> = {
  "lowest price": ({ price }) => (price === null ? null : -price),
  "highest price": ({ price }) => price,
  "highest rating": ({ rating }) => rating,
  "most reviews": ({ reviewCount }) => reviewCount
}

const highRating = 4

/** Whether a product has the lowest price, the best rating, … of all; an equal one may share it. */
const isBest = (product: Product, claim: ComparedClaim, all: ReadonlyArray<Product>): boolean => {
  if (claim === "high rating") return product.rating !== null && product.rating >= highRating
  const own = facts[claim](product)
  return (
    own !== null &&
    all.every((other) => {
      const theirs = facts[claim](other)
      return theirs !== null && theirs <= own && other.currency === product.currency
    })
  )
}

const leadsTo =
  /^[\s,:"'“”«»-]*(?:(?:option|one|pick|choice|model|product|of (?:all|these|them|the \p{L}+))[\s,:"'-]*)*(?:is|are|ist|est|es|è|é|jest|это)?[\s,:"'“”«»-]*(?:the|der|die|das|le|la|el|il|o|a|de|het)?[\s"'“”«»-]*$/iu

/** Whether a claim is true of the product that it is about. */
export const isTrueClaim = (
  text: string,
  { claim, end, start }: PlacedClaim,
  mentions: ReadonlyArray<Mention>,
  context: { readonly spokenOf: Subject; readonly products: ReadonlyArray<Product> }
): boolean => {
  const next = mentions.find(
    (mention) => mention.start >= end && leadsTo.test(text.slice(end, mention.start))
  )
  const subject =
    next === undefined
      ? subjectOf(text, { start, end }, mentions, context.spokenOf)
      : narrowed([next], context.spokenOf)
  return subject.kind !== "unclear" && subject.owners.every((owner) => isBest(owner, claim, context.products))
}
