import { describe, expect, it } from "vitest"
import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import {
  type AfterRead,
  afterRead,
  confirmAfterMillis,
  judgeReceipt,
  noReads,
  type ReceiptVerdict
} from "../../../src/toll/audit/ReceiptVerdict.ts"

const receipt = { transaction: "0xAB", validBeforeSeconds: 1_000 }
const finalitySeconds = 60
const moved = { _tag: "Moved", transaction: "0xab", logIndex: 1, atSeconds: 900, isFinal: true } as const

describe("the verdict on a receipt", () => {
  it.each<readonly [string, ChainEvidence, ReceiptVerdict]>([
    ["its transaction moved the money", moved, { _tag: "Proved" }],
    ["it is in a block that isn't final", { ...moved, isFinal: false }, { _tag: "Proved" }],
    [
      "another one did: front-run, or reorganized",
      { ...moved, transaction: "0xcd" },
      { _tag: "ProvedElsewhere" }
    ],
    ["it has too few confirmations", { _tag: "Confirming", transaction: "0xab" }, { _tag: "NotYet" }],
    ["the chain can't be read", { _tag: "Unavailable" }, { _tag: "NotYet" }],
    ["its use isn't found", { _tag: "Unavailable", isUsed: true }, { _tag: "NotYet" }],
    ["it is still valid", { _tag: "NotMoved", chainTimeSeconds: 999 }, { _tag: "NotYet" }],
    ["its last block isn't final", { _tag: "NotMoved", chainTimeSeconds: 1_060 }, { _tag: "NotYet" }],
    ["it expired unused", { _tag: "NotMoved", chainTimeSeconds: 1_061 }, { _tag: "False", reason: "unused" }],
    ["it was canceled", { _tag: "NotPaid", reason: "canceled" }, { _tag: "False", reason: "canceled" }],
    ["it failed", { _tag: "NotPaid", reason: "failed" }, { _tag: "False", reason: "failed" }],
    [
      "it paid another",
      { _tag: "NotPaid", reason: "used_otherwise" },
      { _tag: "False", reason: "used_otherwise" }
    ]
  ])("where %s", (_, evidence, verdict) => {
    expect(judgeReceipt(receipt, evidence, finalitySeconds)).toEqual(verdict)
  })
})

describe("reads of a receipt", () => {
  it("that confirm each other are ten minutes apart", () => expect(confirmAfterMillis).toBe(600_000))

  const unused = { _tag: "False", reason: "unused" } as const
  const notYet = { _tag: "NotYet" } as const
  const once = { reads: 0, falseAtMillis: 5_000 }

  it.each<readonly [string, Parameters<typeof afterRead>, AfterRead]>([
    [
      "one that it is false isn't enough",
      [noReads, unused, 5_000],
      {
        _tag: "Again",
        reads: once,
        atMillis: 5_000 + confirmAfterMillis
      }
    ],
    [
      "nor a second one too soon after it",
      [once, unused, 4_999 + confirmAfterMillis],
      {
        _tag: "Again",
        reads: once,
        atMillis: 5_000 + confirmAfterMillis
      }
    ],
    [
      "nor a clock that was set back",
      [once, unused, 0],
      {
        _tag: "Again",
        reads: once,
        atMillis: 5_000 + confirmAfterMillis
      }
    ],
    [
      "two are, ten minutes apart",
      [once, unused, 5_000 + confirmAfterMillis],
      {
        _tag: "Confirmed",
        reason: "unused"
      }
    ],
    ["its own transfer in between clears it", [once, { _tag: "Proved" }, 6_000], { _tag: "Cleared" }],
    ["so does another one", [once, { _tag: "ProvedElsewhere" }, 6_000], { _tag: "Cleared" }],
    [
      "an unreadable chain changes nothing",
      [once, notYet, 6_000],
      {
        _tag: "Again",
        reads: { reads: 1, falseAtMillis: 5_000 },
        atMillis: 66_000
      }
    ],
    [
      "it is read less and less often",
      [{ reads: 10, falseAtMillis: undefined }, notYet, 0],
      {
        _tag: "Again",
        reads: { reads: 11, falseAtMillis: undefined },
        atMillis: 3_600_000
      }
    ],
    ["and not for ever", [{ reads: 29, falseAtMillis: undefined }, notYet, 0], { _tag: "Cleared" }]
  ])("%s", (_, given, expected) => {
    expect(afterRead(...given)).toEqual(expected)
  })
})
