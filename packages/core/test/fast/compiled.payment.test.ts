import { Option, Schema } from "effect"
import { describe, expect } from "vitest"
import { EvmPaymentPayload } from "../../src/domain/PaymentPayload.ts"
import { compiled } from "../../src/fast/compiled.ts"
import { type Dice, property } from "../domain/seeded.ts"

const interpret = Schema.decodeUnknownOption(EvmPaymentPayload)
const decode = Schema.decodeUnknownOption(compiled(EvmPaymentPayload))
const agree = (document: unknown): void => expect(decode(document)).toEqual(interpret(document))

const uint = (dice: Dice): string => dice.bigint(dice.pick([1, 20, 64, 256])).toString()

const exactEvm = (dice: Dice) => ({
  signature: dice.hex(dice.pick([65, 65, 66, 300, 4096])),
  authorization: {
    from: dice.hex(20),
    to: dice.hex(20),
    value: uint(dice),
    validAfter: uint(dice),
    validBefore: uint(dice),
    nonce: dice.hex(32)
  }
})

const valid = (dice: Dice): Record<string, unknown> => {
  const named = { scheme: "exact", network: dice.text("base-sepolia:8453", dice.below(101)) }
  if (dice.below(2) === 0) return { x402Version: 1, ...named, payload: exactEvm(dice) }
  return {
    x402Version: 2,
    accepted: {
      ...named,
      amount: uint(dice),
      asset: dice.hex(20),
      payTo: dice.hex(20),
      maxTimeoutSeconds: 120,
      ...(dice.below(2) === 0 ? {} : { extra: { name: "USDC", version: "2", [dice.text("abc", 3)]: [1] } })
    },
    payload: exactEvm(dice),
    ...(dice.below(2) === 0
      ? {}
      : { resource: { url: dice.text("https://shop.example/", dice.pick([0, 30, 4096])), mimeType: "a/b" } })
  }
}

/** Values that a field may be given in place of its own. */
const strange: ReadonlyArray<unknown> = [
  null,
  undefined,
  "",
  "0x",
  "0",
  "01",
  "-1",
  "1e3",
  1,
  2,
  true,
  [],
  {},
  { url: 1 },
  `0x${"a".repeat(40)}`,
  `0x${"a".repeat(40)}\n`,
  `0X${"a".repeat(40)}`,
  `0x${"a".repeat(39)}`,
  `0x${"a".repeat(64)}`,
  ...[64, 65, 66, 4096, 4097].map((bytes) => `0x${"ab".repeat(bytes)}`),
  `0x${"a".repeat(133)}`,
  `0x${"g".repeat(132)}`,
  "9".repeat(78),
  "9".repeat(79),
  "n".repeat(100),
  "n".repeat(101),
  "n".repeat(4097),
  { url: "n".repeat(4096) },
  { url: "n".repeat(4097) }
]

const paths = [
  ["x402Version"],
  ["scheme"],
  ["network"],
  ["payload"],
  ["payload", "signature"],
  ["payload", "authorization"],
  ...["from", "to", "value", "validAfter", "validBefore", "nonce"].map((name) => [
    "payload",
    "authorization",
    name
  ]),
  ["accepted"],
  ...["scheme", "network", "amount", "asset", "payTo", "extra"].map((name) => ["accepted", name]),
  ["resource"],
  ["resource", "url"],
  ["unknown"]
] as const

const withField = (document: unknown, [first, ...rest]: ReadonlyArray<string>, value: unknown): unknown => {
  if (typeof document !== "object" || document === null || first === undefined) return document
  const held = (document as Record<string, unknown>)[first]
  return { ...document, [first]: rest.length === 0 ? value : withField(held, rest, value) }
}

const withoutField = (document: unknown, [first, ...rest]: ReadonlyArray<string>): unknown => {
  if (typeof document !== "object" || document === null || first === undefined) return document
  const { [first]: held, ...others } = document as Record<string, unknown>
  return rest.length === 0 ? others : { ...others, [first]: withoutField(held, rest) }
}

describe("the schema of payments, compiled and interpreted, gives the same result for", () => {
  property("payments", 300, (dice) => {
    const document = valid(dice)
    expect(Option.isSome(decode(document))).toBe(true)
    agree(document)
  })

  property("payments with a field changed, or missing", 2_000, (dice) => {
    const document = valid(dice)
    const path = dice.pick(paths)
    agree(withField(document, path, dice.pick(strange)))
    agree(withoutField(document, path))
  })

  property("anything else", strange.length, (_, run) => agree(strange[run]))
})
