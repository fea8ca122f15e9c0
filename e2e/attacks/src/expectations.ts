import { expect } from "vitest"
import { type ReceivedResponse, jsonOf } from "./Calls.ts"

/** Expects a 402 with a reason and without any paid content. */
export const expectRefused = (response: ReceivedResponse, ...codes: ReadonlyArray<string>): void => {
  expect(response.status, response.text).toBe(402)
  const [code] = String(jsonOf(response)["error"]).split(":")
  expect(codes).toContain(code)
  expect(Object.keys(jsonOf(response)).sort()).toEqual(["accepts", "error", "x402Version"])
  for (const name of ["payment-response", "x-payment-response"]) {
    const header = response.headers.get(name)
    // The reason, where a receipt would be.
    if (header !== null) expect(JSON.parse(atob(header))).toMatchObject({ success: false, errorReason: code })
  }
}

/** Expects an error of the API's shape without a receipt. */
export const expectFailed = (response: ReceivedResponse, status: number, code: string): void => {
  expect([response.status, jsonOf(response)["code"]]).toEqual([status, code])
  expect(response.headers.get("payment-response")).toBeNull()
}
