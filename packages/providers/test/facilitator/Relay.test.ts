import { findNetwork } from "@till402/core/effect"
import { Effect, Metric } from "effect"
import { assert, describe, it } from "vitest"
import type { Chain } from "../../src/facilitator/Chain.ts"
import type { RelaySettings } from "../../src/facilitator/FacilitatorSettings.ts"
import { feesWithin, makeRelay, replacementFees } from "../../src/facilitator/Relay.ts"
import type { Journal } from "../../src/facilitator/SettlementJournal.ts"

const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas })

describe("feesWithin()", () => {
  it("keeps fees below the ceiling as they are", () => {
    assert.deepStrictEqual(feesWithin(fees(201n, 1n), 201n), fees(201n, 1n))
  })

  it("cuts the reserve for a doubled base fee, and refuses what isn't enough for the base fee of now", () => {
    // A base fee of 100 and a tip of 1.
    assert.deepStrictEqual(feesWithin(fees(201n, 1n), 150n), fees(150n, 1n))
    assert.deepStrictEqual(feesWithin(fees(201n, 1n), 101n), fees(101n, 1n))
    assert.isUndefined(feesWithin(fees(201n, 1n), 100n))
  })
})

describe("replacementFees()", () => {
  it("are those of now, if they are a quarter above what was signed", () => {
    assert.deepStrictEqual(replacementFees(fees(1_000n, 50n), fees(100n, 4n), 5_000n), fees(1_000n, 50n))
  })

  it("are a quarter above what was signed, if fees fell", () => {
    assert.deepStrictEqual(replacementFees(fees(10n, 1n), fees(100n, 4n), 5_000n), fees(126n, 6n))
  })

  it("stop at the ceiling, and are none if it leaves less than an eighth", () => {
    assert.deepStrictEqual(replacementFees(fees(10n, 1n), fees(800n, 8n), 900n), fees(900n, 11n))
    assert.isUndefined(replacementFees(fees(10n, 1n), fees(800n, 8n), 899n))
  })

  it("never have a tip above the whole fee", () => {
    assert.deepStrictEqual(replacementFees(fees(10n, 9n), fees(100n, 100n), 120n), fees(120n, 120n))
  })
})

it("a relayer's balance is a metric, as it was last read", async () => {
  const network = { ...findNetwork("base"), chainId: 8453, caip2: "eip155:8453" }
  const settings = { network, relayer: "0x1", maxFeePerGas: 100n, pollMillis: 1_000, reverts: {} }
  const chain = {
    transactionCount: () => Effect.succeed(0),
    nativeBalanceOf: () => Effect.succeed(25_000_000_000_000_000n),
    fees: Effect.succeed(fees(10n, 1n))
  } satisfies Partial<Chain>
  const journal = { since: () => Effect.succeed([]) } satisfies Partial<Journal>
  const shown = await Effect.runPromise(
    Effect.gen(function* () {
      const relay = yield* makeRelay(
        settings as unknown as RelaySettings,
        chain as unknown as Chain,
        journal as unknown as Journal
      )
      yield* relay.assertAffordable(1n, "key")
      return yield* Metric.snapshot
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
  assert.deepStrictEqual(
    shown.map(({ attributes, id, state }) => ({ id, attributes, state })),
    [{ id: "till402_relayer_balance", attributes: { network: "eip155:8453" }, state: { value: 0.025 } }]
  )
})
