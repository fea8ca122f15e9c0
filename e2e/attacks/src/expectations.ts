import { expect } from "vitest"
import { type Answered, jsonOf } from "./Calls.ts"

/** A 402 that says why, with nothing of a paid answer in it. */
export const expectRefused = (answer: Answered, ...codes: ReadonlyArray<string>): void => {
  expect(answer.status, answer.text).toBe(402)
  const [code] = String(jsonOf(answer)["error"]).split(":")
  expect(codes).toContain(code)
  expect(Object.keys(jsonOf(answer)).sort()).toEqual(["accepts", "error", "x402Version"])
  expect(answer.headers.get("payment-response")).toBeNull()
  expect(answer.headers.get("x-payment-response")).toBeNull()
}

/** An error of the contract's shape, without a receipt. */
export const expectFailed = (answer: Answered, status: number, code: string): void => {
  expect([answer.status, jsonOf(answer)["code"]]).toEqual([status, code])
  expect(answer.headers.get("payment-response")).toBeNull()
}
