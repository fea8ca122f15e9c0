import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { hashDomain, type Address } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { anvilBinary } from "../../src/chain/AnvilBinary.ts"
import { startChain, usdcAbi, type Chain } from "../../src/chain/index.ts"

const baseSepoliaUsdc: Address = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
const freshAddress = () => privateKeyToAccount(generatePrivateKey()).address

/** Whether a JSON-RPC endpoint responds. */
const responses = (rpcUrl: string): Promise<boolean> =>
  fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
  }).then(
    (response) => response.ok,
    () => false
  )

/** Arguments of a process; none if it has ended. */
const argumentsOf = (id: string): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0")
  } catch {
    return []
  }
}

/** The process with this argument. */
const processWith = (argument: string): number =>
  Number(readdirSync("/proc").find((name) => /^\d+$/.test(name) && argumentsOf(name).includes(argument)))

describe("startChain", () => {
  let chain: Chain
  beforeAll(async () => {
    chain = await startChain()
  })
  afterAll(() => chain.stop())

  it("imitates Base Sepolia, with USDC at its address there", async () => {
    expect(await chain.client.getChainId()).toBe(84532)
    expect(chain.usdc).toBe(baseSepoliaUsdc)
    const token = { address: chain.usdc, abi: usdcAbi } as const
    expect(await chain.client.readContract({ ...token, functionName: "name" })).toBe("USDC")
    expect(await chain.client.readContract({ ...token, functionName: "symbol" })).toBe("USDC")
    expect(await chain.client.readContract({ ...token, functionName: "version" })).toBe("2")
    expect(await chain.client.readContract({ ...token, functionName: "decimals" })).toBe(6)
  })

  it("lets no website read it", async () => {
    const { headers } = await fetch(chain.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://site.example" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_accounts", params: [] })
    })
    expect(headers.get("access-control-allow-origin")).toBeNull()
  })

  it("has the EIP-712 domain that clients sign for", async () => {
    const domain = { name: "USDC", version: "2", chainId: 84532n, verifyingContract: baseSepoliaUsdc }
    const separator = await chain.client.readContract({
      address: chain.usdc,
      abi: usdcAbi,
      functionName: "DOMAIN_SEPARATOR"
    })
    expect(separator).toBe(
      hashDomain({
        domain,
        types: {
          EIP712Domain: [
            { name: "name", type: "string" },
            { name: "version", type: "string" },
            { name: "chainId", type: "uint256" },
            { name: "verifyingContract", type: "address" }
          ]
        }
      })
    )
  })

  it("mints exact amounts, many at once", async () => {
    const [one, other] = [freshAddress(), freshAddress()]
    expect(await chain.balanceOf(one)).toBe(0n)
    await Promise.all([
      ...Array.from({ length: 12 }, (_, index) => chain.mint(one, BigInt(index + 1))),
      chain.mint(other, 1_000_000_000_000n)
    ])
    expect(await chain.balanceOf(one)).toBe(78n)
    expect(await chain.balanceOf(other)).toBe(1_000_000_000_000n)
  })

  it("continues after a transaction that the chain refuses", async () => {
    const to = freshAddress()
    const refused = chain.mint("0x0000000000000000000000000000000000000000", 1n)
    const next = chain.mint(to, 7n)
    await expect(refused).rejects.toThrow(/mint/)
    await next
    expect(await chain.balanceOf(to)).toBe(7n)
  })

  it("runs beside another chain without affecting it", async () => {
    const second = await startChain({ chainId: 8453 })
    try {
      const to = freshAddress()
      expect(second.rpcUrl).not.toBe(chain.rpcUrl)
      await Promise.all([chain.mint(to, 1n), second.mint(to, 2n)])
      expect(await chain.balanceOf(to)).toBe(1n)
      expect(await second.balanceOf(to)).toBe(2n)
      expect(
        await second.client.readContract({ address: second.usdc, abi: usdcAbi, functionName: "name" })
      ).toBe("USD Coin")
    } finally {
      await second.stop()
    }
    expect(await responses(chain.rpcUrl)).toBe(true)
  })

  it("refuses a chain id without known USDC", async () => {
    await expect(startChain({ chainId: 1 })).rejects.toThrow(/chain id 1; choose one of 8453, 84532/)
  })

  it("explains that it can't start because the port is taken", async () => {
    const port = Number(new URL(chain.rpcUrl).port)
    await expect(startChain({ port })).rejects.toThrow(/The local chain ended at once.*\n.*in use/i)
  })
})

describe("stopping", () => {
  it("ends the process, however often it is called", async () => {
    const chain = await startChain()
    expect(await responses(chain.rpcUrl)).toBe(true)
    await Promise.all([chain.stop(), chain.stop()])
    await chain.stop()
    expect(await responses(chain.rpcUrl)).toBe(false)
  })

  it.runIf(process.platform === "linux")(
    "leaves nothing either where anvil doesn't end by itself",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "till402-chain-"))
      vi.stubEnv("TMPDIR", folder)
      const chain = await startChain()
      vi.unstubAllEnvs()
      const [states = ""] = readdirSync(folder)
      process.kill(processWith(`--cache-path=${join(folder, states)}`), "SIGSTOP")
      await chain.stop()
      expect(await responses(chain.rpcUrl)).toBe(false)
      expect(readdirSync(folder)).toEqual([])
      rmSync(folder, { recursive: true })
    }
  )

  it("leaves no chain behind when its owner is killed", async () => {
    const source = new URL("../../src/chain/index.ts", import.meta.url)
    const owner = spawn(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        "--input-type=module",
        "--eval",
        `import { startChain } from ${JSON.stringify(source.href)}
         const chain = await startChain()
         console.log(chain.rpcUrl)`
      ],
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    const [line] = (await once(owner.stdout, "data")) as [Buffer]
    const rpcUrl = line.toString().trim()
    expect(await responses(rpcUrl)).toBe(true)
    owner.kill("SIGKILL")
    await once(owner, "exit")
    await expect.poll(() => responses(rpcUrl)).toBe(false)
  })
})

describe("anvilBinary", () => {
  it("finds the executable for this machine", () => {
    expect(execFileSync(anvilBinary(), ["--version"]).toString()).toMatch(/anvil/)
  })

  it("fails with an explanation if anvil is not published or not installed", () => {
    expect(() => anvilBinary("aix", "ppc64")).toThrow(/Linux and macOS.*but not on aix ppc64/)
    const other = process.platform === "linux" ? "darwin" : "linux"
    expect(() => anvilBinary(other, "arm64")).toThrow(
      new RegExp(`@foundry-rs/anvil-${other}-arm64.*not installed`)
    )
  })
})
