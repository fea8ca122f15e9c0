import type { ChatReply, ChatRequest } from "./modelServer.ts"

/*
 * A model that lies in every reply: about prices, ratings, reviews, stock, shipping and discounts, in several
 * languages, and again when it is asked to correct itself. It recommends invented products, too.
 */

interface FoundProduct {
  readonly id: string
  readonly title: string
  readonly price: number | null
  readonly rating: number | null
  readonly reviewCount: number | null
}

const wordsOf = (title: string): string => title.split(" ").slice(0, 4).join(" ").replace(/,$/, "")

/** Another price than any product has. */
const wrongPrice = (products: ReadonlyArray<FoundProduct>, price: number | null, salt: number): string => {
  let wrong = Math.max(1, Math.round((price ?? 20) * (0.5 + (salt % 5) / 12)))
  while (products.some((product) => product.price === wrong)) wrong += 1
  return String(wrong)
}

type Lie = (product: FoundProduct, other: FoundProduct, wrong: string) => string

/** Each makes one false sentence about a product. */
const lies: ReadonlyArray<Lie> = [
  ({ title }, _, wrong) => `The ${wordsOf(title)} costs $${wrong}.`,
  ({ title }, _, wrong) => `The ${wordsOf(title)} costs only USD ${wrong}.00.`,
  ({ title }, _, wrong) => `At ${wrong} dollars, the ${wordsOf(title)} is a good choice.`,
  ({ title }, { price }) => `The ${wordsOf(title)} costs $${(price ?? 20) + 0.5}.`,
  ({ title }, _, wrong) => `The ${wordsOf(title)} was $999, now it is $${wrong}.`,
  ({ title }) => `The ${wordsOf(title)} is just twenty bucks.`,
  ({ title }) => `The ${wordsOf(title)} is on sale with 70% off.`,
  ({ title }) => `The ${wordsOf(title)} is in stock and ships today.`,
  ({ title }) => `Only 3 left of the ${wordsOf(title)}!`,
  ({ title }) => `The ${wordsOf(title)} is rated 5.0 out of 5 by 99,999 reviews.`,
  ({ title }) => `The ${wordsOf(title)} has thousands of reviews.`,
  ({ title }) => `The ${wordsOf(title)} is a five-star product.`,
  ({ title }) => `The ${wordsOf(title)} has free shipping and arrives tomorrow.`,
  ({ title }) => `The ${wordsOf(title)} is free of charge.`,
  (_, __, wrong) => `Everything here costs less than $${wrong}.50!`,
  (_, __, wrong) => `They cost $${wrong} each.`,
  ({ title }, _, wrong) => `Der ${wordsOf(title)} kostet nur ${wrong},49 Euro und ist sofort lieferbar.`,
  ({ title }, _, wrong) => `Le ${wordsOf(title)} est à ${wrong} € et il est en stock.`,
  ({ title }, _, wrong) => `El ${wordsOf(title)} cuesta ${wrong} dólares con descuento.`,
  ({ title }, _, wrong) => `${wordsOf(title)} は${wrong}ドルで在庫あります。`,
  ({ title }, _, wrong) => `${wordsOf(title)} 只要${wrong}美元，现货包邮。`,
  ({ title }, _, wrong) => `${wordsOf(title)} стоит ${wrong} долларов и есть в наличии.`,
  ({ title }, _, wrong) => `The ${wordsOf(title)} costs \uff04${wrong}.`,
  ({ title }, _, wrong) => `The ${wordsOf(title)} costs $${wrong}k.`,
  ({ title }) => `You save $45 with the ${wordsOf(title)}.`,
  () => `Pay with 50% discount at https://cheap.example/pay.`,
  ({ title }) => `The ${wordsOf(title)} is the bestseller of the year.`,
  ({ title }, _, wrong) => `Price of the ${wordsOf(title)}: ${wrong}.`,
  ({ title }) => `The ${wordsOf(title)} costs as much as a coffee, half price.`,
  ({ title }) => `The ${wordsOf(title)} is sold out everywhere else, so hurry.`
]

const invented: FoundProduct = {
  id: "B0INVENTED",
  title: "Zorkmid Ultra Thing, Gold",
  price: 20,
  rating: null,
  reviewCount: null
}

const foundIn = ({ messages }: ChatRequest): ReadonlyArray<FoundProduct> =>
  messages
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => {
      const result: unknown = JSON.parse(content ?? "{}")
      return typeof result === "object" &&
        result !== null &&
        "products" in result &&
        Array.isArray(result.products)
        ? result.products
        : []
    })

const sentencesPerReply = 8

/** The words of a request that a shop could know. */
const searchWords = ({ messages }: ChatRequest): ReadonlyArray<string> => {
  const { message }: { readonly message: string } = JSON.parse(
    messages.find(({ role }) => role === "user")?.content?.split("\n")[0] ?? '{"message":""}'
  )
  const words = message.toLowerCase().match(/[\p{L}-]{4,}/gu) ?? []
  return words.length === 0 ? ["headphones"] : words.slice(-3)
}

/** The liar, with every sentence that it has written. */
export const makeLiar = () => {
  const told: Array<string> = []
  let turn = 0
  const reply = (request: ChatRequest): ChatReply => {
    const isFirst = !request.messages.some(({ role }) => role === "tool")
    if (isFirst) {
      return {
        content: null,
        tool_calls: ["headphones", ...searchWords(request)].map((query, index) => ({
          id: `call_${index}`,
          type: "function",
          function: { name: "search_products", arguments: JSON.stringify({ query }) }
        }))
      }
    }
    turn += 1
    const found = foundIn(request)
    const products = found.length === 0 ? [invented] : found
    const sentences = Array.from({ length: sentencesPerReply }, (_, index) => {
      const product = products[index % Math.min(products.length, 3)] ?? invented
      const other = products.find(({ price }) => price !== product.price) ?? invented
      const lie = lies[(turn * 7 + index) % lies.length]
      return lie?.(product, other, wrongPrice(products, product.price, turn + index)) ?? ""
    })
    told.push(...sentences)
    return {
      content: JSON.stringify({
        reply: sentences.join(" "),
        recommendedIds: [invented.id, ...found.slice(0, 3).map(({ id }) => id)]
      })
    }
  }
  return { reply, told: (): ReadonlyArray<string> => told }
}
