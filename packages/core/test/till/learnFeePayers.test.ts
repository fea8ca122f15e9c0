import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { TestClock } from "effect/testing"
import { paidRouteOf } from "../../src/http/PaidRoute.ts"
import { configured } from "./configured.ts"
import { keepFeePayers, learnFeePayers } from "../../src/till/learnFeePayers.ts"
import { Facilitator, type SupportedKind } from "../../src/toll/facilitator/Facilitator.ts"
import { operationOf, settings as httpSettings } from "../http/sampleOperation.ts"
import { addressOf, devnet, solanaPayTo } from "../toll/solana.ts"
import { payTo, secret } from "./wrongOptions.ts"

const endpoint = HttpApiEndpoint.get("sample", "/x402/sample", { success: Schema.Struct({}) })
const settingsOf = (networks: ReadonlyArray<string | { network: string; payTo: string }>) =>
  configured({ baseUrl: "https://shop.example", payTo, secret, networks })
const both = () => settingsOf(["base", { network: "solana-devnet", payTo: solanaPayTo }])

/** A facilitator whose list can change. */
const scripted = () => {
  const script = { kinds: [] as ReadonlyArray<SupportedKind>, reads: 0 }
  const layer = Layer.succeed(Facilitator, {
    verify: () => Effect.die("no payment is expected"),
    settle: () => Effect.die("no payment is expected"),
    supported: Effect.sync(() => {
      script.reads++
      return script.kinds
    })
  })
  return { script, layer }
}

const onSolana = (feePayer: string, network: string = devnet.caip2): SupportedKind => ({
  x402Version: 2,
  scheme: "exact",
  network,
  feePayers: [feePayer]
})

describe("fee payers", () => {
  it.effect("are learned at startup, and then again and again", () =>
    Effect.gen(function* () {
      const { networks } = both()
      const { layer, script } = scripted()
      const route = paidRouteOf({ ...httpSettings, networks }, operationOf(endpoint))
      const offered = () =>
        route.listedOffers().map(({ requirements: { extra, network } }) => [network, extra["feePayer"]])
      const base = ["eip155:8453", undefined]
      yield* Effect.provide(learnFeePayers(networks), layer)
      assert.deepStrictEqual(offered(), [base])
      const before = route.unpaid("")
      yield* Effect.forkChild(Effect.provide(keepFeePayers(networks), layer))
      script.kinds = [onSolana(addressOf("first"), "solana-devnet")]
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual(offered(), [base, [devnet.caip2, addressOf("first")]])
      assert.notStrictEqual(route.unpaid("").header, before.header)
      script.kinds = [onSolana(addressOf("second"))]
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual(offered()[1], [devnet.caip2, addressOf("second")])
      script.kinds = []
      const kept = route.unpaid("")
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(route.unpaid(""), kept)
      assert.strictEqual(script.reads, 4)
    })
  )

  it.effect("are asked for only by a till on Solana", () =>
    Effect.gen(function* () {
      const { layer, script } = scripted()
      const { networks } = settingsOf(["base"])
      yield* Effect.provide(Effect.andThen(learnFeePayers(networks), keepFeePayers(networks)), layer)
      assert.strictEqual(script.reads, 0)
    })
  )
})
