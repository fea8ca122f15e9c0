import type { Product, SearchProduct } from "@till402/core"
import type { ReplyContext } from "../../../src/assistant/reply/ReplyCheck.ts"
import { checkSentences } from "../../../src/assistant/reply/ReplyCheck.ts"
import { sentencesOf } from "../../../src/assistant/reply/Sentences.ts"
import { anker, sony } from "../goods.ts"

/*
 * What the tests of replies share.
 */

export const toProduct = (found: SearchProduct): Product => {
  const { isExpedited: _, ...product } = found
  return product
}

/** A reply about two headphones, for a shopper with a limit of 50 dollars. */
export const context = (fields: Partial<ReplyContext> = {}): ReplyContext => ({
  products: [anker, sony].map(toProduct),
  limits: [{ bound: "max", value: 50, strict: true, currencies: ["USD"] }],
  hasSearched: true,
  hasFound: fields.products === undefined || fields.products.length > 0,
  request: "wireless headphones under $50 with a 40 hour battery",
  ...fields
})

/** The faults of a reply. */
export const faults = (reply: string, fields: Partial<ReplyContext> = {}): ReadonlyArray<string> =>
  checkSentences(sentencesOf(reply), context(fields)).flatMap(({ fault }) => fault ?? [])
