import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import { Secrets } from "../../../src/runtime/Secrets.ts"
import {
  readTask,
  type StoredTask,
  taskWithoutPayment,
  tokenOf
} from "../../../src/toll/machine/SettlementTask.ts"
import { chargeIn, sepolia, task } from "./settlingScene.ts"

const use = <A>(run: (secrets: Secrets["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    Effect.flatMap(Secrets, run).pipe(Effect.provide(Secrets.layer([{ id: "k1", secret: "s".repeat(40) }])))
  )

describe("the token of a task", () => {
  it("is named if it isn't the network's USDC, in any letter case on EVM", () => {
    const { asset, caip2 } = findNetwork("base-sepolia")!
    expect(tokenOf(caip2, asset)).toEqual({})
    expect(tokenOf(caip2, asset.toLowerCase())).toEqual({})
    expect(tokenOf(caip2, "0xd0")).toEqual({ asset: "0xd0" })
    const solana = findNetwork("solana")!
    expect(tokenOf(solana.caip2, solana.asset)).toEqual({})
    expect(tokenOf(solana.caip2, solana.asset.toLowerCase())).toEqual({ asset: solana.asset.toLowerCase() })
  })

  it("is not named on a network that isn't known", () => {
    expect(tokenOf("eip155:999999", "0xd0")).toEqual({})
  })
})

describe("the task of a charge", () => {
  it("is read as stored", async () => {
    const settlement = JSON.stringify({ task } satisfies StoredTask)
    expect(await use((secrets) => readTask(chargeIn("ready", { settlement }), secrets))).toEqual(task)
  })

  it("is decrypted", async () => {
    const read = await use((secrets) =>
      Effect.flatMap(secrets.encrypt(JSON.stringify(task)), (encrypted) =>
        readTask(
          chargeIn("ready", { settlement: JSON.stringify({ encrypted } satisfies StoredTask) }),
          secrets
        )
      )
    )
    expect(read).toEqual(task)
  })

  it("keeps what was signed of a payment that an earlier version stored whole", async () => {
    const { request, ...rest } = task
    const payload = { transaction: "AQ==" }
    const paymentPayload = { x402Version: 2, payload, resource: { url: "https://evil.example" } }
    const stored = { ...rest, request: { ...request, paymentPayload } }
    const settlement = JSON.stringify({ task: stored })
    expect(await use((secrets) => readTask(chargeIn("ready", { settlement }), secrets))).toEqual({
      ...rest,
      request: { ...request, payload }
    })
    const encrypted = await use((secrets) => secrets.encrypt(JSON.stringify(stored)))
    const secret = chargeIn("ready", { settlement: JSON.stringify({ encrypted }) })
    expect(await use((secrets) => readTask(secret, secrets))).toMatchObject({ request: { payload } })
  })

  it("can't be read if its key is not configured", async () => {
    const settlement = JSON.stringify({ encrypted: { keyId: "lost", base64: "AAAA" } } satisfies StoredTask)
    expect(await use((secrets) => readTask(chargeIn("ready", { settlement }), secrets))).toBeUndefined()
  })

  it("is enough to find the transfer if the payment is no longer stored, and requires its proof", async () => {
    const charge = chargeIn("voided", { settlement: "" })
    const read = await use((secrets) => readTask(charge, secrets))
    expect(read).toEqual(taskWithoutPayment(charge))
    expect(read).toMatchObject({ network: sepolia, proofRequired: true, request: undefined })
    expect(read?.authorization).toMatchObject({ from: charge.payer, nonce: "0x01" })
  })
})
