import { readFileSync } from "node:fs"
import type { ProductQuery } from "@till402/core"
import { http, HttpResponse } from "msw"
import { setupServer } from "msw/node"
import { catalogue, endpoint, searchOf } from "./catalogue.ts"
import { toolResponse, type ToolCall } from "./fakeCatalogue.ts"

export const server = setupServer()

export const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"))

/** Responds to every call with this document; returns the requests received. */
export const respondWith = (document: unknown, init: { readonly status?: number } = {}) => {
  const requests: Array<{ readonly call: ToolCall; readonly headers: Headers }> = []
  server.use(
    http.post(endpoint, async ({ request }) => {
      requests.push({ call: (await request.json()) as ToolCall, headers: request.headers })
      return HttpResponse.json(document as null, init)
    })
  )
  return requests
}

export const products = (...documents: ReadonlyArray<unknown>) =>
  toolResponse({ ucp: { version: "2026-08-25" }, products: documents, pagination: {}, messages: [] })

/** Each by a catalogue of its own: no case is touched by another's pauses or cursors. */
export const search = (query: Partial<ProductQuery> = {}) => searchOf(catalogue())(query)
