import { readFileSync } from "node:fs"

/*
 * Documents in the provider's documented shapes, with values of our own.
 */

const read = (name: string): string =>
  readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8").trimEnd()

export type Item = Record<string, unknown>

interface Document {
  readonly code: number
  readonly data: { readonly accepted: ReadonlyArray<Item>; readonly rejected: ReadonlyArray<Item> }
}

const document = (name: string): Document => JSON.parse(read(`${name}.json`)) as Document

export const delivered = document("gettrackinfo-delivered-postal")
export const inTransit = document("gettrackinfo-intransit")
export const notFound = document("gettrackinfo-notfound")
export const registerAccepted = document("register-accepted")
export const rejected = document("rejected")
export const keyRefused = document("error-key")
export const tooMany = document("error-429")
export const webhookBody = read("webhook-body.txt")
export const webhookMeta = JSON.parse(read("webhook-meta.json")) as {
  readonly apiKey: string
  readonly value: string
}

/** An item of `gettrackinfo` for another number, with other values over it. */
export const item = (base: Document, over: Item): Item => ({
  ...structuredClone(base.data.accepted[0]!),
  ...over
})

export const envelope = (
  accepted: ReadonlyArray<unknown>,
  rejectedItems: ReadonlyArray<unknown> = []
): unknown => ({
  code: 0,
  data: { accepted, rejected: rejectedItems }
})

export const rejection = (number: string, code: number, message = "no"): Item => ({
  number,
  carrier: 0,
  error: { code, message }
})
