import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { afterEach, describe, expect, it } from "vitest"
import {
  payingFetch,
  startSandbox,
  startSolanaSandbox,
  type AdapterName,
  type Sandbox,
  type SandboxOptions
} from "@till402/sandbox"
import { solanaPayingFetch } from "@till402/sandbox/solana"
import { lossAt } from "../../core/src/till/lostAddresses.ts"

const running: Array<Sandbox> = []
const start = async (options: SandboxOptions & { readonly solana?: boolean } = {}): Promise<Sandbox> => {
  const sandbox = await startSandbox(options)
  running.push(sandbox)
  return sandbox
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.stop()))
})

const isUp = (url: string) =>
  fetch(url).then(
    () => true,
    () => false
  )

const databaseFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("till402-sandbox-"))

describe.each(["hono", "express", "koa"] satisfies ReadonlyArray<AdapterName>)("with %s", (adapter) => {
  it("starts, is paid by the official client, and stops everything", async () => {
    const sandbox = await start({ adapter })
    const [wallet] = sandbox.wallets
    const unpaid = await fetch(`${sandbox.baseUrl}/x402/search?q=headphones`)
    expect(unpaid.status).toBe(402)
    await unpaid.text()

    const paid = await payingFetch(wallet!.privateKey)(`${sandbox.baseUrl}/x402/search?q=headphones`)
    expect(paid.status).toBe(200)
    expect(await paid.json()).toMatchObject({ page: 1 })
    expect(await sandbox.chain.balanceOf(sandbox.payTo)).toBe(10_000n)
    expect(await sandbox.chain.balanceOf(wallet!.address)).toBe(wallet!.balanceAtomic - 10_000n)
    // Other paths are left to the host, which has no routes here.
    expect((await fetch(`${sandbox.baseUrl}/elsewhere`)).status).toBe(404)

    await sandbox.stop()
    const urls = [sandbox.baseUrl, sandbox.facilitatorUrl, sandbox.rpcUrl]
    expect(await Promise.all(urls.map(isUp))).toEqual([false, false, false])
  })
})

/** The networks of a 402. */
const offered = async (response: Response): Promise<ReadonlyArray<string>> => {
  const header = Buffer.from(response.headers.get("payment-required") ?? "", "base64").toString()
  const { accepts }: { readonly accepts: ReadonlyArray<{ readonly network: string }> } = JSON.parse(header)
  await response.text()
  return accepts.map(({ network }) => network)
}

describe("on two networks", () => {
  it("is paid on either by its own wallets", async () => {
    const sandbox = await start({ storage: "memory", solana: true })
    const { solana } = sandbox
    if (solana === undefined) throw new Error("the sandbox has no Solana")
    const url = `${sandbox.baseUrl}/x402/search?q=headphones`
    expect(await offered(await fetch(url))).toEqual([sandbox.network, solana.network])
    for (const payTo of [sandbox.payTo, solana.payTo])
      expect(lossAt(payTo)).toMatch(/whose key everybody knows$/)

    expect((await payingFetch(sandbox.wallets[0]!.privateKey)(url)).status).toBe(200)
    const [wallet] = solana.wallets
    expect((await solanaPayingFetch(solana.chain, wallet!.signer)(url)).status).toBe(200)
    expect(await sandbox.chain.balanceOf(sandbox.payTo)).toBe(10_000n)
    expect(await solana.chain.balanceOf(solana.payTo)).toBe(10_000n)
    expect(await solana.chain.balanceOf(wallet!.address)).toBe(wallet!.balanceAtomic - 10_000n)

    await sandbox.stop()
    expect(await isUp(solana.rpcUrl)).toBe(false)
  })

  it("offers Solana alone", async () => {
    const sandbox = await startSolanaSandbox({
      storage: "memory",
      walletCount: 3,
      walletBalanceAtomic: 20_000n
    })
    try {
      const { solana } = sandbox
      const url = `${sandbox.baseUrl}/x402/search?q=headphones`
      expect(await offered(await fetch(url))).toEqual([solana.network])
      expect(solana.wallets).toHaveLength(3)
      const pay = solanaPayingFetch(solana.chain, solana.wallets[2]!.signer)
      expect((await pay(url)).status).toBe(200)
      expect((await pay(url)).status).toBe(200)
      const poor = solanaPayingFetch(solana.chain, solana.wallets[0]!.signer)
      expect((await poor(`${sandbox.baseUrl}/x402/track?number=TILL-DELIVERED`)).status).toBe(402)
      expect(await solana.chain.balanceOf(solana.payTo)).toBe(20_000n)
    } finally {
      await sandbox.stop()
    }
    expect(await Promise.all([sandbox.baseUrl, sandbox.facilitatorUrl].map(isUp))).toEqual([false, false])
  })
})

describe("startSandbox", () => {
  it("describes itself", async () => {
    const words: Array<string> = []
    const sandbox = await start({
      walletCount: 3,
      walletBalanceAtomic: 5n,
      onProgress: (text) => words.push(text)
    })
    expect(sandbox).toMatchObject({ adapter: "hono", chainId: 84532, network: "eip155:84532" })
    expect(sandbox.asset).toBe("0x036CbD53842c5426634e7929541eC2318f3dCF7e")
    expect(new Set(sandbox.wallets.map(({ address }) => address)).size).toBe(3)
    for (const { address, balanceAtomic } of sandbox.wallets) {
      expect(balanceAtomic).toBe(5n)
      expect(await sandbox.chain.balanceOf(address)).toBe(5n)
    }
    expect(words.length).toBeGreaterThan(2)
    expect(sandbox.solana).toBeUndefined()
  })

  it("runs side by side without shared state", async () => {
    const [one, other] = await Promise.all([start({ storage: "memory" }), start({ storage: "memory" })])
    const response = await payingFetch(one.wallets[0]!.privateKey)(`${one.baseUrl}/x402/search?q=lamp`)
    expect(response.status).toBe(200)
    expect(await one.till.charges.list()).toHaveLength(1)
    expect(await other.till.charges.list()).toHaveLength(0)
    expect(await other.chain.balanceOf(one.wallets[0]!.address)).toBe(0n)
  })

  it("removes its database when it stops, however often stop is called", async () => {
    const before = databaseFolders()
    const sandbox = await start()
    const made = databaseFolders().filter((name) => !before.includes(name))
    expect(made.length).toBeGreaterThan(0)
    await Promise.all([sandbox.stop(), sandbox.stop()])
    expect(await isUp(sandbox.rpcUrl)).toBe(false)
    // Other sandboxes may start and stop meanwhile: this one is among the new ones.
    expect(databaseFolders().filter((name) => made.includes(name)).length).toBeLessThan(made.length)
  })

  it("fails at once if its port is taken, and leaves nothing running", async () => {
    const sandbox = await start()
    const words: Array<string> = []
    const port = Number(new URL(sandbox.baseUrl).port)
    await expect(startSandbox({ port, onProgress: (text) => words.push(text) })).rejects.toMatchObject({
      code: "EADDRINUSE"
    })
    expect(words).toEqual([])
  })
})
