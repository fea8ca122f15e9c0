import { Effect } from "effect"
import { ResponseMalformed, type Upstream } from "../upstream/index.ts"

/**
 * Passes on the document of the order that was requested. Fails with `ResponseMalformed` if it is about another one:
 * the status of another buyer's order must not become this one's.
 */
export const requestedOrder =
  ({ name: upstream }: Pick<Upstream, "name">, reference: string) =>
  <Document extends { readonly id: string } | { readonly orderId: string }>(
    document: Document
  ): Effect.Effect<Document, ResponseMalformed> =>
    ("id" in document ? document.id : document.orderId) === reference
      ? Effect.succeed(document)
      : Effect.fail(new ResponseMalformed({ upstream, detail: "another order than the requested one" }))
