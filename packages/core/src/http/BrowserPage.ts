import { formatAtomic } from "../domain/Money.ts"
import { findNetwork } from "../domain/Network.ts"
import { escapeHtml } from "../domain/Text.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { IncomingRequest, PlainResponse } from "./HttpMessage.ts"
import type { PaidRoute } from "./PaidRoute.ts"

/*
 * The response to a person who opens a paid URL in a browser, its 402 or the 405 of a POST: the same head, and a page
 * instead of JSON.
 */

/** Whether a browser opens the URL as a page, as it says itself. Its scripts and other programs get JSON. */
export const isOpenedAsPage = (request: Pick<IncomingRequest, "header">): boolean =>
  request.header("sec-fetch-dest") === "document"

const priceOf = ({ price }: Pick<AnyOperation, "price">): string =>
  price._tag === "Fixed"
    ? `$${formatAtomic(price.atomic)} per call`
    : `$${formatAtomic(price.minAtomic)} to $${formatAtomic(price.maxAtomic)}, depending on the request`

const style =
  "margin:0 auto;max-width:36em;padding:3em 1em;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere"

/** The page. `documentPath`: where the OpenAPI document is, if it is served. */
const pageOf = ({ listedOffers, methodAndPath, operation }: PaidRoute, documentPath: string | undefined) => {
  const networks = new Set(
    listedOffers().map(({ requirements: { network } }) => findNetwork(network)?.v1Name ?? network)
  )
  const description = escapeHtml(operation.documents.description)
  const documents =
    documentPath === undefined
      ? ""
      : `<p><a href="${escapeHtml(documentPath)}">What can be called here, and what it costs</a></p>`
  return `<!doctype html>
<html lang="en" style="color-scheme:light dark">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${description}</title>
</head>
<body style="${style}">
<main>
<h1>${description}</h1>
<p><strong>${escapeHtml(priceOf(operation))}</strong></p>
<p><code>${escapeHtml(methodAndPath)}</code> is for programs, which pay for each call with
<a href="https://www.x402.org" rel="noreferrer">x402</a>: a signed payment of a dollar stablecoin in a header of the
request${networks.size === 0 ? "" : `, on ${escapeHtml([...networks].join(" or "))}`}. An x402 client in your language does this by
itself, up to an amount that you set. Nothing was charged.</p>
${documents}
</main>
</body>
</html>
`
}

/** The response as a page, with the head of the other one. */
export const asPage = (
  response: PlainResponse,
  paidRoute: PaidRoute,
  documentPath: string | undefined
): PlainResponse => ({
  status: response.status,
  headers: {
    ...response.headers,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    vary: `${response.headers["vary"]}, Sec-Fetch-Dest`
  },
  body: pageOf(paidRoute, documentPath)
})
