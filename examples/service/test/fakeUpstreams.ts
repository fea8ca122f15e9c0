import { readFileSync } from "node:fs"
import { getResponse, http, HttpResponse } from "msw"
import { apiKey as trackingKey, Provider } from "../../../packages/providers/test/17track/provider.ts"
import { FakeRye } from "../../../packages/providers/test/rye/fakeRye.ts"
import {
  fakeCatalogue,
  productDocument,
  type ToolCall
} from "../../../packages/providers/test/shopify/fakeCatalogue.ts"
import { FakeZinc } from "../../../packages/providers/test/zinc/fakeZinc.ts"

/*
 * The upstreams of the service, as the providers' own tests have them, behind one `fetch`.
 */

const canopyDocument = JSON.parse(
  readFileSync(
    new URL("../../../packages/providers/test/fixtures/canopy-search.json", import.meta.url),
    "utf8"
  )
) as object

class Zinc extends FakeZinc {
  override readonly url = "https://api.zinc.com"
}

/** A mail, as Resend received it. */
export interface SentMail {
  readonly key: string
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
}

export const keys = {
  CANOPY_API_KEY: "canopy-key",
  SEARCH_SHARED_SECONDS: "60",
  SHOPIFY_CLIENT_ID: "shopify-id",
  SHOPIFY_CLIENT_SECRET: "shopify-secret",
  RYE_API_KEY: "RYE/staging-secret",
  RYE_WEBHOOK_SECRET: "whsec-secret",
  RYE_BASE_URL: "https://rye.example",
  DEFAULT_PHONE: "+15555550100",
  ZINC_API_KEY: "zn_test_secret",
  ZINC_WEBHOOK_SECRET: "zn_whsec_secret",
  ZINC_ALLOWANCE_TAX_BASIS_POINTS: "1000",
  ZINC_ALLOWANCE_SHIPPING_CENTS: "1500",
  SEVENTEENTRACK_API_KEY: trackingKey,
  MODEL_NAME: "scripted",
  MODEL_INPUT_USD_PER_MILLION: "0.25",
  MODEL_OUTPUT_USD_PER_MILLION: "2",
  MAIL_FROM: "Shop <orders@shop.example>",
  RESEND_API_KEY: "re_secret"
}

export const fakeUpstreams = () => {
  const [rye, zinc, tracking] = [new FakeRye(), new Zinc(), new Provider()]
  const catalogue = fakeCatalogue([productDocument(1), productDocument(2)])
  const mails: Array<SentMail> = []
  const searches: Array<string> = []
  const handlers = [
    rye.handler(),
    zinc.handler(),
    http.get("https://rest.canopyapi.co/api/amazon/search", ({ request }) => {
      searches.push(new URL(request.url).searchParams.get("searchTerm") ?? "")
      return HttpResponse.json(canopyDocument)
    }),
    http.post("https://api.shopify.com/auth/access_token", () =>
      HttpResponse.json({ access_token: "token-1", expires_in: 3600 })
    ),
    http.post("https://catalog.shopify.com/api/ucp/mcp", async ({ request }) =>
      HttpResponse.json(catalogue.respond((await request.json()) as ToolCall) as object)
    ),
    http.post("https://api.17track.net/track/v2.4/:path", async ({ params, request }) => {
      const key = request.headers.get("17token") ?? undefined
      const answer = tracking.respond(String(params["path"]), key, await request.text(), Date.now())
      if (typeof answer === "string") return HttpResponse.error()
      return HttpResponse.json(answer.body as object, { status: answer.status })
    }),
    http.post("https://api.resend.com/emails", async ({ request }) => {
      const key = request.headers.get("idempotency-key") ?? ""
      mails.push({ key, ...((await request.json()) as Omit<SentMail, "key">) })
      return HttpResponse.json({ id: `mail-${mails.length}` })
    })
  ]
  const respond: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    // The scripted model is a server of this machine.
    if (new URL(request.url).hostname === "127.0.0.1") return fetch(request)
    const response = await getResponse(handlers, request)
    if (response === undefined) throw new TypeError(`there is no fake of ${new URL(request.url).host}`)
    return response
  }
  return { catalogue, fetch: respond, mails, rye, searches, tracking, zinc }
}
