import { expect } from "vitest"
import { type Wire } from "../src/Socket.ts"

export const lineBreak = "tote\r\nx-injected: 1\r\n\r\n<script>alert(1)</script>"
export const hostileText = `${lineBreak}\u0000\u2028"; filename*=UTF-8''evil.exe; x="é漢`

/** Every header that ours sends, and whatever Node adds. */
export const expected = new Set([
  "accept-ranges",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "allow",
  "cache-control",
  "connection",
  "content-disposition",
  "content-length",
  "content-type",
  "date",
  "etag",
  "keep-alive",
  "payment-required",
  "payment-response",
  "retry-after",
  "transfer-encoding",
  "vary",
  "x-missing-marketplaces",
  "x-payment-response"
])

const nameOf = (line: string): string => line.split(":")[0]!.toLowerCase()
export const valueOf = ({ lines }: Wire, name: string): string | undefined =>
  lines.find((line) => nameOf(line) === name)?.slice(name.length + 2)

/** A response has only the expected headers, each on its own line, and isn't a page to a browser. */
export const expectClean = (wire: Wire): Wire => {
  expect(wire.lines.filter((line) => !expected.has(nameOf(line)))).toEqual([])
  expect(valueOf(wire, "content-type")).toMatch(/^application\/(json|zip)$/)
  return wire
}
