import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Till, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { type Chain, payingFetch, sampleShop, startChain } from "@till402/sandbox"
import { startSolanaChain, startSolanaFacilitator } from "@till402/sandbox/solana"
import {
  createSIWxClientHook,
  createSIWxMessage,
  encodeSIWxHeader,
  type SIWxExtensionInfo,
  wrapFetchWithSIWx
} from "@x402/extensions/sign-in-with-x"
import { concatHex, hashMessage, type Hex, pad, parseSignature, toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { placeWallet, plannedWallet, type WalletPayment } from "./contractWallets.ts"
import { decoded, openSolanaShop } from "./solanaShop.ts"

/*
 * Free downloads by the official client of the extension `sign-in-with-x`.
 */

const origin = "https://shop.example"
const archive = Uint8Array.from({ length: 5_000 }, (_, index) => index % 251)
archive.set(Buffer.from("PK"))

type Send = typeof fetch

let chain: Chain
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
})
afterAll(() => chain.stop())

/** Buys an item; returns the address of its download. */
const buy = async (pay: Send, slug: string): Promise<string> => {
  const response = await pay(`${origin}/x402/vault/buy`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      slug,
      walletAddress: "So11111111111111111111111111111111111111112",
      email: "ada@example.com"
    })
  })
  expect(response.status, await response.clone().text()).toBe(200)
  const { downloadToken, purchaseId } = await response.json()
  return `${origin}/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}`
}

/** A till with one item that sells to a new wallet. */
const openShop = async (vault: Partial<NonNullable<TillOptions["vault"]>> = { freeReaccess: true }) => {
  const folder = mkdtempSync(join(tmpdir(), "till402-sign-in-"))
  const filename = join(folder, "till.sqlite")
  const till = Till.make({
    baseUrl: origin,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: sqlite({ filename }),
    vault: { open: async () => ({ body: archive }), ...vault },
    onEvent: () => undefined
  })
  onTestFinished(async () => {
    await till.dispose()
    rmSync(folder, { recursive: true, force: true })
  })
  await till.ready
  const [item] = sampleShop().vaultItems
  await till.vault.put(item!)
  const send: Send = (input, init) => till.fetch(new Request(input, init))
  const key = generatePrivateKey()
  const url = await buy(payingFetch(key, 1_000, send), item!.slug)
  /** Makes the wallet at another address the one that has paid. */
  const paidBy = (chargeKey: string): void => {
    const database = new DatabaseSync(filename)
    database
      .prepare("UPDATE till_vault_purchases SET document = json_set(document, '$.chargeKey', ?)")
      .run(chargeKey)
    database.close()
  }
  const charges = async () => (await till.charges.list()).length
  return { till, send, url, wallet: privateKeyToAccount(key), paidBy, charges }
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

/** The error of a 402. */
const refusalOf = async (response: Response): Promise<string> => {
  expect(response.status).toBe(402)
  return String(decoded(response.headers.get("payment-required"))["error"]).split(":")[0]!
}

const extensionOf = (response: Response) => {
  const { extensions } = decoded(response.headers.get("payment-required")) as {
    readonly extensions: Readonly<Record<string, { readonly info: SIWxExtensionInfo }>>
  }
  return extensions["sign-in-with-x"]
}

describe("the official client of sign-in-with-x", () => {
  it("downloads again without paying, with the wallet that paid", async () => {
    const { charges, send, url, wallet } = await openShop()
    const signedIn = wrapFetchWithSIWx(send, wallet)
    for (let time = 0; time < 2; time++) {
      const response = await signedIn(url)
      expect(response.status, await response.clone().text()).toBe(200)
      expect(response.headers.get("payment-response")).toBeNull()
      expect(response.headers.get("cache-control")).toBe("private, no-store")
      expect(response.headers.get("vary")).toContain("SIGN-IN-WITH-X")
      expect(await bytesOf(response)).toEqual(archive)
    }
    expect(await charges()).toBe(1)
  })

  it("resumes an interrupted download with another proof", async () => {
    const { send, url, wallet } = await openShop()
    const signedIn = wrapFetchWithSIWx(send, wallet)
    const etag = (await signedIn(url)).headers.get("etag")!
    const rest = await signedIn(url, { headers: { range: "bytes=4000-", "if-range": etag } })
    expect(rest.status).toBe(206)
    expect(rest.headers.get("content-range")).toBe("bytes 4000-4999/5000")
    expect(await bytesOf(rest)).toEqual(archive.subarray(4_000))
    const beyond = await signedIn(url, { headers: { range: "bytes=5000-" } })
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */5000"])
  })

  it("sends one stream of a purchase at a time", async () => {
    const open = async () => {
      let sent = 0
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (sent === archive.length) return controller.close()
        controller.enqueue(archive.subarray(sent, sent + 10))
        sent += 10
      }
      return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), size: archive.length }
    }
    const { send, url, wallet } = await openShop({ open, freeReaccess: true })
    const signedIn = wrapFetchWithSIWx(send, wallet)
    const first = (await signedIn(url)).body!.getReader()
    expect((await first.read()).value).toHaveLength(10)
    expect(await bytesOf(await signedIn(url))).toHaveLength(5_000)
    const readRest = async () => {
      while (!(await first.read()).done);
    }
    await expect(readRest()).rejects.toThrow(/resumed by another request/)
  })

  it("isn't offered where the host didn't allow it, and a proof is ignored there", async () => {
    const { send, url, wallet } = await openShop({})
    const unpaid = await send(url)
    expect(unpaid.status).toBe(402)
    expect(extensionOf(unpaid)).toBeUndefined()
    const { send: other, url: otherUrl } = await openShop()
    const info = {
      ...extensionOf(await other(otherUrl))!.info,
      chainId: "eip155:84532",
      type: "eip191"
    } as const
    const signature = await wallet.signMessage({ message: createSIWxMessage(info, wallet.address) })
    const header = encodeSIWxHeader({ ...info, address: wallet.address, signature })
    expect((await send(url, { headers: { "sign-in-with-x": header } })).status).toBe(402)
  })

  it("is refused to any other wallet, and pays then", async () => {
    const { charges, send, url } = await openShop()
    const key = generatePrivateKey()
    const stranger = wrapFetchWithSIWx(send, privateKeyToAccount(key))
    expect(await refusalOf(await stranger(url))).toBe("sign_in_refused")
    const paid = await payingFetch(key, 1_000, send)(url)
    expect(paid.status).toBe(200)
    expect(await charges()).toBe(2)
  })

  it("counts where the host limits downloads", async () => {
    const { send, url, wallet } = await openShop({ freeReaccess: true, maxDownloads: 1 })
    const signedIn = wrapFetchWithSIWx(send, wallet)
    expect((await signedIn(url)).status).toBe(200)
    const second = await signedIn(url)
    expect([second.status, (await second.json()).code]).toEqual([403, "DOWNLOADS_USED_UP"])
  })
})

/** A proof that the owner signs in the wallet's own format. */
const walletProof = async (
  send: Send,
  url: string,
  { address, owner }: WalletPayment,
  wrap: (signature: Hex) => Hex = (signature) => signature
): Promise<string> => {
  const extension = extensionOf(await send(url))
  const info = { ...extension!.info, chainId: "eip155:84532", type: "eip191" } as const
  const message = createSIWxMessage(info, address)
  const { r, s, v } = parseSignature(await owner.sign({ hash: hashMessage(message) }))
  const signature = wrap(concatHex([pad(toHex(v!)), r, s]))
  return encodeSIWxHeader({ ...info, address, signature })
}

describe("a contract wallet (EIP-1271)", () => {
  it("downloads again, on the network on which it paid", async () => {
    const { paidBy, send, url } = await openShop()
    const wallet = await placeWallet(chain)
    const present = async (with_ = wallet) =>
      send(url, { headers: { "sign-in-with-x": await walletProof(send, url, with_) } })
    paidBy(`eip155:84532:0xusdc:${wallet.address.toLowerCase()}:0x01`)
    const response = await present()
    expect(response.status, await response.clone().text()).toBe(200)
    expect(await bytesOf(response)).toEqual(archive)
    const other = await placeWallet(chain)
    expect(await refusalOf(await present({ ...wallet, owner: other.owner }))).toBe("sign_in_refused")
    // A contract at the same address of another chain may have another owner.
    paidBy(`eip155:8453:0xusdc:${wallet.address.toLowerCase()}:0x01`)
    expect(await refusalOf(await present())).toBe("sign_in_refused")
  })
})

describe("a contract wallet that isn't created yet (EIP-6492)", () => {
  type Planned = Awaited<ReturnType<typeof plannedWallet>>

  const start = async () => {
    const { paidBy, send, url } = await openShop()
    const wallet = await plannedWallet(chain)
    const paysOn = (network: string) => paidBy(`${network}:0xusdc:${wallet.address.toLowerCase()}:0x01`)
    const present = async (signer: WalletPayment, wrap?: Planned["wrap"]) =>
      send(url, { headers: { "sign-in-with-x": await walletProof(send, url, signer, wrap) } })
    paysOn("eip155:84532")
    return { paysOn, present, wallet }
  }

  it("downloads again, before it is created and after that, on the network on which it paid", async () => {
    const { paysOn, present, wallet } = await start()
    const response = await present(wallet, wallet.wrap)
    expect(response.status, await response.clone().text()).toBe(200)
    expect(await bytesOf(response)).toEqual(archive)
    paysOn("eip155:8453")
    expect(await refusalOf(await present(wallet, wallet.wrap))).toBe("sign_in_refused")
    paysOn("eip155:84532")
    await wallet.create()
    for (const wrap of [wallet.wrap, undefined]) expect((await present(wallet, wrap)).status).toBe(200)
  })

  it("is refused without its creation, by another owner, and by the creation of another wallet", async () => {
    const { present, wallet } = await start()
    expect(await refusalOf(await present(wallet))).toBe("sign_in_refused")
    const other = await plannedWallet(chain)
    const thief = { address: wallet.address, owner: other.owner }
    for (const wrap of [wallet.wrap, other.wrap])
      expect(await refusalOf(await present(thief, wrap))).toBe("sign_in_refused")
    expect(await chain.client.getCode({ address: wallet.address })).toBeUndefined()
  })
})

describe("a wallet of Solana", () => {
  it("downloads again without paying, and no other wallet does", async () => {
    const solana = await startSolanaChain()
    onTestFinished(() => solana.stop())
    const official = await startSolanaFacilitator({ chain: solana })
    onTestFinished(() => official.stop())
    const vault = { open: async () => ({ body: archive }), freeReaccess: true }
    const { pay, payer, send, till, vaultItem } = await openSolanaShop({ chain: solana, official }, { vault })
    const url = await buy(pay, vaultItem.slug)
    const present = async (signer: typeof payer) => {
      const paymentRequired = decoded((await send(url)).headers.get("payment-required"))
      const hook = createSIWxClientHook({
        publicKey: signer.address,
        signMessage: async (content: Uint8Array) => {
          const [signatures] = await signer.signMessages([{ content, signatures: {} }])
          return signatures![signer.address]!
        }
      })
      const context = { paymentRequired, requestUrl: url } as unknown as Parameters<typeof hook>[0]
      const signed = await hook(context)
      return send(url, { headers: signed!.headers })
    }
    const response = await present(payer)
    expect(response.status, await response.clone().text()).toBe(200)
    expect(await bytesOf(response)).toEqual(archive)
    expect(await till.charges.list()).toHaveLength(1)
    expect(await refusalOf(await present(await solana.wallets(7)))).toBe("sign_in_refused")
  })
})
