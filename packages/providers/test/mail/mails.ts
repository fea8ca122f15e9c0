import type { Mail } from "@till402/core"

export const context = { signal: new AbortController().signal }

export const mail: Mail = {
  to: "ada@example.com",
  subject: "Order confirmed: Trail Running Shoes",
  text: "Thank you for your order.\n\nTotal paid: 97.00 USD\n",
  html: "<!doctype html><p>Thank you for your order.</p>",
  idempotencyKey: "order-confirmed:0b0e6f1e-1111-4222-8333-444455556666"
}

export const from = "Shop <orders@shop.example>"

/** Recipients that would end an SMTP command, start a header, or be several. */
export const badRecipients = [
  "ada@example.com\r\nRCPT TO:<thief@example.com>",
  "ada@example.com\nBcc: thief@example.com",
  "ada@example.com\r",
  "ada@example.com, thief@example.com",
  "Ada <ada@example.com>",
  "<ada@example.com>",
  "ada@example.com> NOTIFY=SUCCESS",
  "ada@exam ple.com",
  "ada\u0000@example.com",
  "ada@example.com\u2028",
  "ada",
  "",
  `${"a".repeat(250)}@example.com`
]

export interface Thrown {
  readonly _tag?: string
  readonly code?: string
  readonly message: string
  readonly retryAfterSeconds?: number
}

/** What a promise rejects with; fails the test where it doesn't. */
export const thrownBy = async (promise: Promise<unknown>): Promise<Thrown> => {
  try {
    await promise
  } catch (error) {
    return error as Thrown
  }
  throw new Error("it was not rejected")
}

/** All that could be read of an error: message, fields, stack and causes. */
export const everyWordOf = (error: unknown, depth = 0): string => {
  if (!(error instanceof Error) || depth > 5) return String(error)
  const fields = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)))
  return [error.message, error.stack, ...fields, everyWordOf(error.cause, depth + 1)].join("\n")
}
