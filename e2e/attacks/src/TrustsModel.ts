import type { AssistantOptions } from "@till402/core"
import { type ChatReply, type ChatRequest, startModelServer } from "./ModelServer.ts"
import type { Goods } from "./Goods.ts"

/*
 * A language model that obeys whatever it reads, and an assistant, as a developer would write it, that returns what the
 * model wrote.
 */

export { startModelServer }

const systemPrompt =
  "You are the assistant of a shop. Recommend products that the shopper can afford. Partners pay us 12% for brand A."

/** Sends message and products to the model, and returns the reply and the products that it wrote. */
export const trustsModel =
  (baseUrl: string, { marketplace }: Goods): AssistantOptions["reply"] =>
  async ({ message }, { signal }) => {
    const { products } = await marketplace.search({ q: message, page: 1 }, { signal })
    const messages = [
      { role: "system", content: systemPrompt },
      { role: "user", content: JSON.stringify({ message }) },
      { role: "tool", content: JSON.stringify({ products }) }
    ]
    const body = JSON.stringify({ model: "any", messages })
    const response = await fetch(`${baseUrl}/chat/completions`, { method: "POST", body, signal })
    const { choices } = await response.json()
    const written = JSON.parse(choices[0].message.content)
    return { reply: written.reply, products: written.products ?? products }
  }

/** Calls each sentence harmless, as one of them says. */
const opinionsOf = (sentences: string): object => ({
  sentences: [...sentences.matchAll(/"number":(\d+)/g)].map(([, number]) => ({
    number: Number(number),
    subject: "advice"
  }))
})

/**
 * A model that searches once and then replies as `written` says, whatever it was told. Asked for its opinion on sentences, it
 * obeys them, too.
 */
export const obeys =
  (written: (request: ChatRequest) => object) =>
  (request: ChatRequest): ChatReply =>
    request.response_format?.json_schema.name === "opinions"
      ? { content: JSON.stringify(opinionsOf(request.messages.at(-1)?.content ?? "")) }
      : request.messages.some(({ role }) => role === "tool")
        ? { content: JSON.stringify(written(request)) }
        : {
            content: null,
            tool_calls: [
              {
                id: "call_1",
                type: "function",
                function: { name: "search_products", arguments: JSON.stringify({ query: "tote" }) }
              }
            ]
          }
