import { checkDraft } from "../../../packages/providers/src/assistant/reply/ReplyText.ts"
import { type HonestReply, honestReplies, unseenReplies } from "./honest.ts"

/*
 * How much of honest replies an assistant keeps.
 */

const count = (replies: ReadonlyArray<HonestReply>) => {
  const sentences = replies.flatMap(({ products, reply, request }) =>
    checkDraft(reply, { products, request, limits: [], hasSearched: true, hasFound: products.length > 0 })
  )
  return { kept: sentences.filter(({ fault }) => fault === undefined).length, of: sentences.length }
}

const text = ({ kept, of }: { readonly kept: number; readonly of: number }): string =>
  `${kept} of ${of} sentences (${((100 * kept) / of).toFixed(1)} %)`

/** The kept sentences of honest replies, in lines. */
export const helpfulness = (): string =>
  [
    `kept of 60 replies     ${text(count(honestReplies.slice(0, -unseenReplies)))}`,
    `kept of 20 unseen ones ${text(count(honestReplies.slice(-unseenReplies)))}`
  ].join("\n")
