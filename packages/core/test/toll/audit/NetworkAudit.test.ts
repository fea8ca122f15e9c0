import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import {
  maxForeign,
  NetworkAudit,
  type Settlement,
  type Span,
  type Transfer,
  windowsOf
} from "../../../src/toll/audit/NetworkAudit.ts"
import { property } from "../../domain/seeded.ts"

const hour = 3_600_000
const day = 24 * hour
const start = Date.parse("2026-03-01T00:00:00Z")

const spanned = (span: Span, nowMillis: number) => {
  const windows = windowsOf(span, nowMillis)
  const inSpan = windows.filter(({ isInSpan }) => isInSpan)
  return { windows, inSpan, before: windows[0]!, after: windows.at(-1)! }
}

describe("the windows of a span", () => {
  property("follow each other without a gap, from its start to its end", 500, (dice) => {
    const fromMillis = start + dice.below(1_000) * day
    const beforeMillis = fromMillis + (dice.below(4_000) - 1) * day + dice.below(day)
    const nowMillis = start + dice.below(3_000) * day + dice.below(day)
    const { after, before, inSpan, windows } = spanned({ fromMillis, beforeMillis }, nowMillis)
    const gaps = windows
      .slice(1)
      .filter((window, index) => window.fromMillis !== windows[index]!.beforeMillis)
    expect(gaps).toEqual([])
    expect(before.beforeMillis).toBe(fromMillis)
    expect(after.fromMillis).toBe(Math.max(fromMillis, Math.min(beforeMillis, nowMillis + 1)))
    expect(inSpan.every((window) => window.beforeMillis > window.fromMillis)).toBe(true)
    expect(inSpan.length).toBeLessThanOrEqual(500)
    expect([before.isInSpan, after.isInSpan]).toEqual([false, false])
  })

  it("are six hours long, the last one shorter, with two hours on either side", () => {
    const { after, before, inSpan } = spanned(
      { fromMillis: start, beforeMillis: start + 13 * hour },
      start + day
    )
    expect(inSpan.map((window) => (window.beforeMillis - window.fromMillis) / hour)).toEqual([6, 6, 1])
    expect(before.fromMillis).toBe(start - 2 * hour)
    expect(after.beforeMillis).toBe(start + 15 * hour)
  })

  it("end with the present, and ten minutes of clocks that are ahead", () => {
    const nowMillis = start + hour
    const { after, inSpan } = spanned({ fromMillis: start, beforeMillis: start + day }, nowMillis)
    expect(inSpan.at(-1)!.beforeMillis).toBe(nowMillis + 1)
    expect(after.beforeMillis).toBe(nowMillis + 1 + 10 * 60_000)
  })

  it("are none of the span where it begins in the future", () => {
    expect(spanned({ fromMillis: start, beforeMillis: start + day }, start - hour).inSpan).toEqual([])
  })
})

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const recipient = payTo.toLowerCase()
const earlier = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
const payer = "0x90f79bf6eb2c4f870365e785982e1f101e93b906"
const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`

const settlement = (number: number, changes: Partial<Settlement> = {}): Settlement => ({
  kind: "settled",
  chargeKey: `key-${number}`,
  round: 0,
  atMillis: start,
  operation: "search",
  network: "eip155:84532",
  asset: "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
  payer,
  payTo,
  amountAtomic: "10000",
  transaction: hashOf(number),
  transferLogIndex: 0,
  isInSpan: true,
  ...changes
})

const transfer = (number: number, changes: Partial<Transfer> = {}): Transfer => ({
  transaction: hashOf(number),
  logIndex: 0,
  from: payer,
  valueAtomic: "10000",
  isInSpan: true,
  ...changes
})

const open = () => new NetworkAudit({ ...findNetwork("base-sepolia")!, payTo })
const countsOf = ({ foreignTransfers, openEntries, provenEntries, transfers }: NetworkAudit) => ({
  transfers,
  provenEntries,
  openEntries,
  foreignTransfers
})

describe("an entry and its transfer", () => {
  it("match across windows, whichever is read first", () => {
    const audit = open()
    audit.add(recipient, [settlement(1)], [transfer(2)])
    expect(audit.unmatched.get(recipient)).toMatchObject({ entries: [{ chargeKey: "key-1" }] })
    audit.add(recipient, [settlement(2)], [transfer(1)])
    expect(audit.unmatched.get(recipient)).toEqual({ entries: [], transfers: [] })
    expect(countsOf(audit)).toEqual({ transfers: 2, provenEntries: 2, openEntries: 0, foreignTransfers: 0 })
  })

  it("are not counted outside of the span, but match what is in it", () => {
    const audit = open()
    audit.add(recipient, [settlement(1, { isInSpan: false })], [transfer(1)])
    audit.add(recipient, [settlement(2)], [transfer(2, { isInSpan: false })])
    expect(countsOf(audit)).toEqual({ transfers: 1, provenEntries: 1, openEntries: 0, foreignTransfers: 0 })
  })

  it("don't match where they have different recipients, and only the configured one's transfers count", () => {
    const audit = open()
    audit.add(recipient, [], [transfer(1)])
    audit.add(earlier, [settlement(1, { payTo: earlier })], [transfer(2)])
    expect(countsOf(audit)).toEqual({ transfers: 1, provenEntries: 0, openEntries: 0, foreignTransfers: 0 })
  })
})

describe("more than 10,000 unmatched entries and transfers", () => {
  it("are counted as open and as foreign beyond that, and not kept", () => {
    const audit = open()
    const numbers = Array.from({ length: 10_003 }, (_, index) => index)
    audit.add(
      recipient,
      numbers.map((number) => settlement(number, { isInSpan: number !== 10_002 })),
      numbers.map((number) => transfer(20_000 + number, { isInSpan: number !== 10_002 }))
    )
    expect(audit.unmatched.get(recipient)!.entries).toHaveLength(10_000)
    expect(audit.unmatched.get(recipient)!.transfers).toHaveLength(10_000)
    expect(countsOf(audit)).toMatchObject({ openEntries: 2, foreignTransfers: 2 })
    expect(audit.foreign.map(({ transaction }) => transaction)).toEqual([hashOf(30_000), hashOf(30_001)])
  })
})

describe("a foreign transfer", () => {
  it("is listed with the host's address as it was configured, and its amount as an integer", () => {
    const audit = open()
    audit.noteForeign(recipient, transfer(7, { logIndex: 3, valueAtomic: "9007199254740993" }))
    expect(audit.foreign).toEqual([
      {
        network: "eip155:84532",
        payTo,
        from: payer,
        amountAtomic: 9_007_199_254_740_993n,
        transaction: hashOf(7),
        logIndex: 3
      }
    ])
  })

  it("is counted beyond the hundred that are listed", () => {
    const audit = open()
    for (let number = 0; number < maxForeign + 5; number++) audit.noteForeign(recipient, transfer(number))
    expect([audit.foreign.length, audit.foreignTransfers]).toEqual([100, 105])
  })

  it.each([
    ["to an earlier recipient", earlier, transfer(1)],
    ["outside of the span", recipient, transfer(1, { isInSpan: false })]
  ])("%s doesn't concern the host", (_, to, moved) => {
    const audit = open()
    audit.noteForeign(to, moved)
    expect([audit.foreign, audit.foreignTransfers]).toEqual([[], 0])
  })
})

it("the recipients to read are those configured, unmatched and entered, each once in lower case", () => {
  const audit = open()
  audit.add(earlier, [settlement(1, { payTo: earlier })], [])
  const entries = [settlement(2, { payTo: earlier.toUpperCase().replace("0X", "0x") }), settlement(3)]
  expect(audit.recipients(entries)).toEqual([recipient, earlier])
})
