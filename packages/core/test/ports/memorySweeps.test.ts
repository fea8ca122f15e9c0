import { Effect } from "effect"
import { expect, it, vi } from "vitest"
import { ChargeTable } from "../../src/ports/memory/MemoryChargeTable.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { chargesWithOne } from "../../../testing/src/stores/chargeRecords.ts"

it("sweeps of the memory store read no charge that is settled for good", async () => {
  const all = vi.spyOn(ChargeTable.prototype, "all")
  const get = vi.spyOn(ChargeTable.prototype, "get")
  const sweeps = Effect.gen(function* () {
    const charges = yield* Charges
    for (let number = 0; number < 500; number++)
      yield* chargesWithOne("settled", { key: `settled-${number}` }, { settledAtMillis: 2_000 + number })
    yield* chargesWithOne("ready", { key: "ready" })
    yield* charges.expire(9_000, 500)
    all.mockClear()
    get.mockClear()
    const due = yield* charges.unfinished(9_000, 100)
    yield* charges.voidedDue(9_000, 1_000)
    yield* charges.expire(9_000, 500)
    yield* charges.list({ isRefundDue: true, limit: 100 })
    yield* charges.list({ state: "ready", limit: 100 })
    return due.map(({ key }) => key)
  })
  try {
    expect(await Effect.runPromise(Effect.provide(sweeps, Charges.layerMemory))).toEqual(["ready"])
    expect(all).not.toHaveBeenCalled()
    expect(get.mock.calls.length).toBeLessThan(10)
  } finally {
    vi.restoreAllMocks()
  }
})
