import { describe, expect, it } from "vitest"
import { StrangerLosses, type TakenLoss } from "../../../src/toll/limits/StrangerLosses.ts"

const hour = 3_600_000

/** A budget of 400, of which a payer gets 40 and a client 100; below 10 both are newcomers. */
const openLosses = () => {
  const losses = new StrangerLosses({ perHourAtomic: 400n })
  const take = (payer: string, clientAddress: string | undefined, atomic: bigint, nowMillis = 0) =>
    losses.take({ payer, isProven: true, clientAddress, atomic }, nowMillis)
  const grants = (...calls: ReadonlyArray<Parameters<typeof take>>): ReadonlyArray<boolean> =>
    calls.map((call) => take(...call) !== undefined)
  /** Uses up the half that is not reserved: five payers and clients lose 40 each. */
  const useUpHalf = (): void => {
    for (const one of [1, 2, 3, 4, 5]) expect(take(`p${one}`, `192.0.2.${one}`, 40n)).toBeDefined()
  }
  return { losses, take, grants, useUpHalf }
}

describe("losses to strangers", () => {
  it("are a tenth of the budget for one payer, whatever the address", () => {
    const { grants } = openLosses()
    expect(
      grants(["p", "192.0.2.1", 20n], ["p", "192.0.2.2", 20n], ["p", "192.0.2.3", 1n], ["q", "192.0.2.3", 1n])
    ).toEqual([true, true, false, true])
  })

  it("are a quarter of it for one client address, whoever pays", () => {
    const { grants } = openLosses()
    const calls = [40n, 40n, 20n, 1n].map((atomic, index) => [`p${index}`, "192.0.2.1", atomic] as const)
    expect(
      grants(...calls.map((call) => [...call] as [string, string, bigint]), ["p3", "192.0.2.2", 1n])
    ).toEqual([true, true, true, false, true])
  })

  it("count a /48 of IPv6 as one client, and have no client where the address is unknown", () => {
    const { grants } = openLosses()
    expect(
      grants(
        ["a", "2001:db8:1:1::1", 30n],
        ["b", "2001:db8:1:2::1", 30n],
        ["c", "2001:db8:1:3::1", 30n],
        ["d", "2001:db8:1:4::1", 30n],
        ["d", "2001:db8:2:4::1", 30n]
      )
    ).toEqual([true, true, true, false, true])
    expect(grants(["x", undefined, 60n], ["y", undefined, 60n], ["z", undefined, 60n])).toEqual([
      true,
      true,
      true
    ])
  })

  it("include three calls of a price, for one payer and for one address", () => {
    const { grants } = openLosses()
    expect(
      grants(
        ...Array.from({ length: 4 }, (_, index) => ["p", `192.0.2.${index}`, 30n] as const).map(
          (call) => [...call] as [string, string, bigint]
        )
      )
    ).toEqual([true, true, true, false])
    const { grants: grantsOfClient } = openLosses()
    expect(
      grantsOfClient(
        ...Array.from({ length: 4 }, (_, index) => [`p${index}`, "192.0.2.1", 34n] as const).map(
          (call) => [...call] as [string, string, bigint]
        )
      )
    ).toEqual([true, true, true, false])
    // The budget of all has the half for newcomers, as ever.
    const { grants: grantsOfDear } = openLosses()
    expect(grantsOfDear(["p", undefined, 100n], ["p", undefined, 100n], ["p", undefined, 100n])).toEqual([
      true,
      true,
      false
    ])
  })

  it("always include one call, however dear", () => {
    const { grants } = openLosses()
    expect(grants(["p", "192.0.2.1", 200n], ["p", "192.0.2.1", 1n], ["q", "192.0.2.2", 200n])).toEqual([
      true,
      false,
      true
    ])
  })

  it("reserve half of the budget for payers and clients with none or little", () => {
    const { grants, useUpHalf } = openLosses()
    expect(grants(["small", "198.51.100.1", 9n], ["large", "198.51.100.2", 10n])).toEqual([true, true])
    expect(grants(["one", "198.51.100.4", 5n], ["other", "198.51.100.4", 5n])).toEqual([true, true])
    useUpHalf()
    expect(
      grants(
        ["p1", "192.0.2.1", 1n],
        ["p1", "198.51.100.9", 1n],
        ["new", "192.0.2.1", 1n],
        ["large", "198.51.100.9", 1n],
        ["new", "198.51.100.4", 1n],
        ["small", "198.51.100.1", 1n],
        ["new", "198.51.100.3", 25n]
      )
    ).toEqual([false, false, false, false, false, true, true])
  })

  it("are never more than the budget, newcomers' included", () => {
    const { take } = openLosses()
    let lost = 0n
    for (let key = 0; key < 1_000; key++) if (take(`p${key}`, `10.0.0.${key}`, 7n)) lost += 7n
    expect(lost).toBe(399n)
  })

  it("end when the work is paid for", () => {
    const { grants, losses, take } = openLosses()
    const taken: ReadonlyArray<TakenLoss | undefined> = [
      take("p", "192.0.2.1", 40n),
      take("q", "192.0.2.1", 60n)
    ]
    expect(grants(["p", "192.0.2.2", 1n], ["r", "192.0.2.1", 1n])).toEqual([false, false])
    losses.giveBack(taken[0]!, 40n)
    expect(grants(["p", "192.0.2.2", 40n], ["r", "192.0.2.1", 40n])).toEqual([true, true])
  })

  it("give the whole budget again once all work is paid for", () => {
    const { losses, take } = openLosses()
    const taken = ["p", "q"].map((payer) => take(payer, undefined, 200n)!)
    expect(take("r", undefined, 1n)).toBeUndefined()
    for (const one of taken) losses.giveBack(one, 200n)
    expect(["s", "t"].map((payer) => take(payer, undefined, 200n) === undefined)).toEqual([false, false])
  })

  it("are forgotten after an hour, and work of the hour before gives nothing back to the next", () => {
    const { grants, losses, take } = openLosses()
    const before = take("p", "192.0.2.1", 40n)!
    expect(grants(["p", "192.0.2.1", 1n, hour - 1], ["p", "192.0.2.1", 40n, hour])).toEqual([false, true])
    losses.giveBack(before, 40n)
    expect(grants(["p", "192.0.2.1", 1n, hour])).toEqual([false])
  })
})
