import type { FacilitatorClient } from "@till402/core"
import { baseUrl } from "./Calls.ts"
import { openHandWritten, verifyWorkSettle } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"

export const urlChecker = "a hand-rolled server that compares whole URLs"

/** A former rule of Till402: a payment's resource must equal the 402's, letter by letter. */
export const openUrlChecker = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openHandWritten(async (request) => {
    const { resource } = request.payment
    if (resource !== undefined && resource.url !== `${baseUrl}${request.path}`) return request.challenge()
    return verifyWorkSettle(facilitator, request)
  }, options)
