import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import type { RefundWallet } from "../../src/ports/RefundWallet.ts"
import { refundWalletChecks, refundWalletRisks } from "../../src/till/refundWalletCheck.ts"
import type { PaidNetwork } from "../../src/till/settings/Networks.ts"
import { refundWalletsOf } from "../../src/till/settings/refundWalletsOf.ts"
import { Chain } from "../../src/toll/evidence/Chain.ts"

const wallet = "0x2222222222222222222222222222222222222222"
const networks = ["base", "base-sepolia", "solana"].map((name) => ({
  ...findNetwork(name)!,
  payTo: "0x1111111111111111111111111111111111111111"
})) as unknown as ReadonlyArray<PaidNetwork>
const [base, sepolia, solana] = networks as [PaidNetwork, PaidNetwork, PaidNetwork]

/** The checks of a wallet that holds this on each network; `undefined`: the network can't be read. */
const check = (
  wallets: ReadonlyMap<string, string>,
  holds: Readonly<Record<string, bigint | "silent" | undefined>>
) =>
  refundWalletChecks({ networks }, wallets).pipe(
    Effect.provideService(Chain, {
      canRead: (caip2: string) => caip2 in holds,
      balanceOf: ({ caip2 }: PaidNetwork) => {
        const held = holds[caip2]
        return held === "silent" ? Effect.never : Effect.succeed(held)
      }
    } as unknown as Chain["Service"])
  )

describe("the checks of refund wallets", () => {
  const wallets = new Map(networks.map(({ caip2 }) => [caip2, wallet]))

  it("show what each holds, and warn of an empty one", async () => {
    const found = await Effect.runPromise(
      check(wallets, { [base.caip2]: 1_500_000n, [sepolia.caip2]: 0n, [solana.caip2]: 7n })
    )
    expect(found).toEqual([
      {
        name: "refund wallet",
        subject: "base",
        status: "pass",
        balance: { network: base.caip2, asset: base.asset, amountAtomic: "1500000" }
      },
      {
        name: "refund wallet",
        subject: "base-sepolia",
        status: "warn",
        problem: `The refund wallet ${wallet} holds nothing on base-sepolia: refunds that are due can't be sent there`,
        cure: "Send it what the refunds of some days need",
        balance: { network: sepolia.caip2, asset: sepolia.asset, amountAtomic: "0" }
      },
      {
        name: "refund wallet",
        subject: "solana",
        status: "pass",
        balance: { network: solana.caip2, asset: solana.asset, amountAtomic: "7" }
      }
    ])
  })

  it("don't warn of an empty one that is paid to: it is filled before a refund is due", async () => {
    const found = await Effect.runPromise(check(new Map([[base.caip2, base.payTo]]), { [base.caip2]: 0n }))
    expect(found).toMatchObject([{ status: "pass", balance: { amountAtomic: "0" } }])
  })

  it("wait for a node for five seconds", async () => {
    const checking = Effect.gen(function* () {
      const running = yield* Effect.forkChild(check(wallets, { [base.caip2]: "silent", [sepolia.caip2]: 3n }))
      yield* TestClock.adjust("5 seconds")
      return yield* Fiber.join(running)
    })
    expect(await Effect.runPromise(Effect.provide(checking, TestClock.layer()))).toMatchObject([
      { subject: "base-sepolia" }
    ])
  })

  it("are none where nothing is known: no node, an unread balance, or no wallet", async () => {
    expect(await Effect.runPromise(check(wallets, { [base.caip2]: undefined }))).toEqual([])
    expect(await Effect.runPromise(check(new Map(), { [base.caip2]: 5n }))).toEqual([])
  })
})

describe("a refund wallet that signs", () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const risksOf = async (
    given: RefundWallet | undefined,
    { accepts, paid = networks }: { readonly accepts?: boolean; readonly paid?: typeof networks } = {}
  ) => {
    const risks = await Effect.runPromise(
      refundWalletRisks({ networks: paid }, given).pipe(
        Effect.provideService(Chain, {
          canRead: () => accepts !== undefined,
          acceptsSignature: () => Effect.succeed(accepts)
        } as unknown as Chain["Service"])
      )
    )
    return risks.map(({ problem }) => problem)
  }
  const own: RefundWallet = { address: account.address, signTypedData: (data) => account.signTypedData(data) }
  const foreign = { ...own, address: wallet }
  const fault = [expect.stringContaining(`isn't accepted of its address ${wallet}: no refund can be sent`)]

  it("by its own key has no risk, nor has none", async () => {
    expect(await risksOf(own)).toEqual([])
    expect(await risksOf(account)).toEqual([])
    expect(await risksOf(undefined)).toEqual([])
  })

  it("by another key is named, unless its address is a contract that accepts it", async () => {
    expect(await risksOf({ ...foreign }, { accepts: false })).toEqual(fault)
    expect(await risksOf({ ...foreign }, { accepts: true })).toEqual([])
    expect(await risksOf({ ...foreign })).toEqual([])
    expect(await risksOf({ ...foreign }, { accepts: false, paid: [sepolia] })).toEqual([])
  })

  it("in a form that no token takes is named", async () => {
    const signTypedData: RefundWallet["signTypedData"] = async (data) =>
      (await account.signTypedData(data)).replace(/1b$/, "00").replace(/1c$/, "01")
    expect(await risksOf({ ...own, signTypedData })).toHaveLength(1)
  })

  it("signs nothing that moves money, and once, however often it is checked", async () => {
    const signed: Array<{ readonly message: unknown }> = []
    const signTypedData: RefundWallet["signTypedData"] = (data) => {
      signed.push(data)
      return account.signTypedData(data)
    }
    const counted = { ...own, signTypedData }
    for (let check = 0; check < 3; check++) expect(await risksOf(counted)).toEqual([])
    expect(signed).toMatchObject([{ message: { to: account.address, value: 0n, validBefore: 1n } }])
  })

  it("not now, or nothing, isn't judged", async () => {
    const failing = () => Promise.reject(new Error("no connection"))
    for (const signTypedData of [failing, async () => "0x", async () => undefined as never])
      expect(await risksOf({ ...foreign, signTypedData }, { accepts: false })).toEqual([])
  })
})

it("a till refunds by its wallet on its EVM networks, and on the network of its Solana refunds", () => {
  const refundWallet = { address: wallet, signTypedData: async () => "0x" }
  const solanaRefunds = { network: solana.caip2, address: "S" } as never
  const all = refundWalletsOf({ networks }, { refundWallet, solanaRefunds })
  expect([...all]).toEqual([
    [base.caip2, wallet],
    [sepolia.caip2, wallet],
    [solana.caip2, "S"]
  ])
  expect(refundWalletsOf({ networks }, {}).size).toBe(0)
})
