import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import type { FacilitatorRequest } from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import { Secrets } from "../../../src/runtime/Secrets.ts"
import {
  readTask,
  type StoredTask,
  taskText,
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
    expect(await use((secrets) => readTask(chargeIn("ready", { settlement }), secrets, new Map()))).toEqual(
      task
    )
  })

  it("is decrypted", async () => {
    const read = await use((secrets) =>
      Effect.flatMap(secrets.encrypt(JSON.stringify(task)), (encrypted) =>
        readTask(
          chargeIn("ready", { settlement: JSON.stringify({ encrypted } satisfies StoredTask) }),
          secrets,
          new Map()
        )
      )
    )
    expect(read).toEqual(task)
  })

  it("is stored without the description of its call, which comes from the till's operation", async () => {
    const resource = { url: "https://shop.example/x402/search", description: "Search", mimeType: "a/b" }
    const described = { ...resource, extensions: { bazaar: { info: { input: "its own" } } } }
    const request = { ...task.request, resource: described } as FacilitatorRequest
    const payable = { ...task, request }
    const text = taskText(payable)
    expect(text).not.toContain("bazaar")
    const plain = JSON.stringify({ task: JSON.parse(text) })
    const sealed = await use((secrets) => secrets.encrypt(text))
    for (const settlement of [plain, JSON.stringify({ encrypted: sealed })]) {
      const charge = chargeIn("ready", { settlement })
      const listed = new Map([[charge.operation, described]])
      expect(await use((secrets) => readTask(charge, secrets, listed))).toEqual(payable)
      // Of an operation that the till has no longer.
      expect(await use((secrets) => readTask(charge, secrets, new Map()))).toEqual(JSON.parse(text))
    }
  })

  it("can't be read if its key is not configured", async () => {
    const settlement = JSON.stringify({ encrypted: { keyId: "lost", base64: "AAAA" } } satisfies StoredTask)
    expect(
      await use((secrets) => readTask(chargeIn("ready", { settlement }), secrets, new Map()))
    ).toBeUndefined()
  })

  it("is enough to find the transfer if the payment is no longer stored, and requires its proof", async () => {
    const charge = chargeIn("voided", { settlement: "" })
    const read = await use((secrets) => readTask(charge, secrets, new Map()))
    expect(read).toEqual(taskWithoutPayment(charge))
    expect(read).toMatchObject({ network: sepolia, proofRequired: true, request: undefined })
    expect(read?.authorization).toMatchObject({ from: charge.payer, nonce: "0x01" })
  })
})
