import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { SignatureChecks } from "../../../src/toll/limits/SignatureChecks.ts"
import { openAttempt } from "../../../src/toll/attempt/PaymentAttempt.ts"
import { from, nowSeconds, payloadV2, sepolia } from "../payments.ts"
import { tollRequest } from "../tollRequest.ts"

const minute = 60_000
const start = nowSeconds * 1_000

/** Checks over a scripted chain, and the addresses that were looked up on it. */
const open = (accepts: () => boolean | undefined = () => true) => {
  const addresses: Array<string> = []
  const refuse = () => Effect.die("only signatures are checked")
  const checks = new SignatureChecks({
    canRead: () => true,
    evidence: refuse,
    usedNonces: refuse,
    balanceOf: refuse,
    transfersTo: refuse,
    acceptsSignature: (_, address) =>
      Effect.sync(() => {
        addresses.push(address)
        return accepts()
      })
  })
  const attempt = (
    number: number,
    atMillis: number,
    clientAddress: string | undefined,
    asset: `0x${string}` = sepolia.asset
  ) => {
    const payload = payloadV2({ nonce: `0x${number.toString(16).padStart(64, "0")}` })
    return openAttempt(
      tollRequest(payload, { clientAddress: () => clientAddress }),
      { ...sepolia, asset, separator: `0x${"00".repeat(32)}` },
      { owner: "me", nowMillis: () => atMillis, waitMillis: 10_000, canReadChain: true }
    )
  }
  return {
    addresses,
    check: (number: number, atMillis = start, client = "192.0.2.1", asset?: `0x${string}`) =>
      Effect.runSync(checks.check(attempt(number, atMillis, client, asset))),
    confirm: (number: number, atMillis = start) =>
      Effect.runSync(checks.confirm(attempt(number, atMillis, "192.0.2.1")))
  }
}

describe("a check of a contract's signature", () => {
  it.each([true, false])("is the chain's, read once a minute for a payment: %s", (accepts) => {
    const { addresses, check, confirm } = open(() => accepts)
    expect([check(1), check(1, start + minute - 1), confirm(1)]).toEqual([accepts, accepts, accepts])
    expect(addresses).toEqual([from])
    check(1, start + minute)
    check(2)
    expect(addresses).toHaveLength(3)
  })

  it("is not that of the same authorization in another token", () => {
    let accepts = true
    const { addresses, check } = open(() => accepts)
    expect(check(1)).toBe(true)
    accepts = false
    expect(check(1, start, "192.0.2.1", "0x00000000000000000000000000000000d011a500")).toBe(false)
    expect(check(1)).toBe(true)
    expect(addresses).toHaveLength(2)
  })

  it("that can't be known now is not remembered", () => {
    const { addresses, check } = open(() => undefined)
    expect([check(1), check(1)]).toEqual([undefined, undefined])
    expect(addresses).toHaveLength(2)
  })

  it("has a budget for each client, which what is known and what is confirmed don't use", () => {
    const { addresses, check, confirm } = open()
    for (let number = 0; number < 60; number++) expect(check(number)).toBe(true)
    expect([check(60), check(0), check(60, start, "192.0.2.2")]).toEqual([undefined, true, true])
    expect([check(61), confirm(61), check(61)]).toEqual([undefined, true, true])
    expect(check(62, start + minute)).toBe(true)
    expect(addresses).toHaveLength(63)
  })
})
