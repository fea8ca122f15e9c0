import { expect, it } from "vitest"
import { OpenPayments } from "../../src/solana-facilitator/OpenPayments.ts"

const payment = (key: string, change = {}) => ({
  key,
  source: "account",
  amountAtomic: 10n,
  feeLamports: 10_001n,
  beganAtMillis: 0,
  ...change
})

const keysOf = (open: OpenPayments, key: string, nowMillis = 0, source = "account") =>
  open.othersOf(source, key, nowMillis).map((each) => each.key)

it("lists the other open payments of an account", () => {
  const open = new OpenPayments()
  for (const each of [payment("a"), payment("b"), payment("c", { source: "another" })]) open.begin(each)
  expect(keysOf(open, "a")).toEqual(["b"])
  expect(keysOf(open, "new")).toEqual(["a", "b"])
  expect(keysOf(open, "new", 0, "another")).toEqual(["c"])
  open.end("a")
  expect(keysOf(open, "new")).toEqual(["b"])
  expect(open.find("a")).toBeUndefined()
  expect(open.find("b")).toEqual(payment("b"))
})

it("forgets a payment five minutes after it began first", () => {
  const open = new OpenPayments()
  const minutes = 60_000
  open.begin(payment("a"))
  open.begin(payment("b", { beganAtMillis: minutes }))
  open.begin(payment("a", { beganAtMillis: 2 * minutes }))
  expect(keysOf(open, "new", 5 * minutes - 1)).toEqual(["a", "b"])
  expect(keysOf(open, "new", 5 * minutes)).toEqual(["b"])
  expect(keysOf(open, "new", 6 * minutes)).toEqual([])
})
