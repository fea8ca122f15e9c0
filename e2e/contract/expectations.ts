import { expect } from "vitest"
import type { Call, Shop } from "./till.ts"
import { pay } from "./payer.ts"
import { apiError, expectShape } from "./shape.ts"

/*
 * Promises that several routes share.
 */

export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly details?: {
    readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  } & Record<string, unknown>
}

/** Expects an ApiError with this status and code, without a charge or a receipt. */
export const expectRefusal = async (
  shop: Shop,
  response: Response,
  status: number,
  code: string
): Promise<ErrorBody> => {
  const body = (await response.json()) as ErrorBody
  expect({ status: response.status, code: body.code }).toEqual({ status, code })
  expect(response.headers.get("content-type")).toMatch(/^application\/json/)
  expectShape(body, apiError)
  expect(shop.settlements).toEqual([])
  expect(response.headers.has("payment-response")).toBe(false)
  expect(response.headers.has("x-payment-response")).toBe(false)
  return body
}

/** Expects a 400 with issues, at least one of them at `path`. */
export const expectFault = async (shop: Shop, response: Response, path: string): Promise<void> => {
  const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
  const issues = details?.issues ?? []
  for (const issue of issues) {
    expect(Object.keys(issue).sort()).toEqual(["message", "path"])
    expect(issue.message).not.toBe("")
  }
  expect(issues.map((issue) => issue.path)).toContain(path)
}

/** Pays for a call with an invalid input; expects a 400 that names the fault, without a charge. */
export const expectPaidFault = async (shop: Shop, call: Call, path: string, priced?: Call): Promise<void> => {
  const { response } = await pay(shop, call, priced === undefined ? {} : { priced })
  await expectFault(shop, response, path)
}

/** Pays for a call and returns the JSON of its 200. */
export const buyResponse = async (shop: Shop, call: Call): Promise<unknown> => {
  const { response } = await pay(shop, call)
  expect(response.status, await response.clone().text()).toBe(200)
  expect(response.headers.get("content-type")).toMatch(/^application\/json/)
  return response.json()
}
