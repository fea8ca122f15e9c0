import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createX402Client } from "x402-solana/client"
import { createKeypairWallet, wrapFetch } from "@dexterai/x402/client"
import type { VersionedTransaction } from "@solana/web3.js"
import { payingFetch, type Sandbox, startSandbox } from "@till402/sandbox"
import { solanaPayingFetch } from "@till402/sandbox/solana"
import { payingFetchV1, solanaPayingFetchV1 } from "@till402/v1-client"
import { wrapAxiosWithPayment, x402Client } from "@x402/axios"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { ExactSvmScheme } from "@x402/svm/exact/client"
import axios, { AxiosError, type AxiosInstance, type AxiosRequestConfig } from "axios"
import { privateKeyToAccount } from "viem/accounts"
import { createSigner, withPaymentInterceptor } from "x402-axios"

/*
 * Clients of x402 as their users get them, each with a wallet of a sandbox. What a client lets its user set is set: the
 * endpoint of the local chain, and how much it may pay.
 */

export const rails = ["EVM", "Solana"] as const
export type Rail = (typeof rails)[number]

/** A `fetch` that pays. */
export type Pay = (url: string, init?: RequestInit) => Promise<Response>

export interface Client {
  /** Its package. */
  readonly name: string
  /** Opens the client with one of the sandbox's wallets, by its number. */
  readonly on: Partial<Record<Rail, (sandbox: Both, wallet: number) => Pay | Promise<Pay>>>
}

/** A sandbox with both chains. */
export interface Both extends Sandbox {
  readonly solana: NonNullable<Sandbox["solana"]>
}

/** Starts a sandbox with both chains, and wallets with 1,000 USDC on each. */
export const openSandbox = async (walletCount: number): Promise<Both> => {
  const sandbox = await startSandbox({ solana: true, walletCount })
  const { solana } = sandbox
  if (solana === undefined) throw new Error("a sandbox with Solana was asked for")
  return { ...sandbox, solana }
}

/** The address of a wallet, as the till names it. */
export const payerOf = ({ solana, wallets }: Both, rail: Rail, wallet: number): string =>
  rail === "EVM" ? wallets[wallet]!.address.toLowerCase() : solana.wallets[wallet]!.address

const mostAtomic = 1_000_000_000n
const evmKey = ({ wallets }: Both, wallet: number) => wallets[wallet]!.privateKey
const solanaWallet = ({ solana }: Both, wallet: number) => solana.wallets[wallet]!

const bytesOf = (data: unknown): Uint8Array<ArrayBuffer> => {
  const text = typeof data === "string" ? Buffer.from(data, "latin1") : Buffer.from(JSON.stringify(data))
  return Uint8Array.from(Buffer.isBuffer(data) ? data : text)
}

/** Requests of axios as those of `fetch`. `config` keeps the bytes of a file whole. */
const overAxios =
  (instance: AxiosInstance, config: AxiosRequestConfig): Pay =>
  async (url, { body, headers, method = "GET" } = {}) => {
    const data = body === undefined ? {} : { data: body }
    const sent = { ...config, ...data, url, method, headers: Object.fromEntries(new Headers(headers)) }
    const received = await instance.request(sent).catch((error: unknown) => {
      if (error instanceof AxiosError && error.response !== undefined) return error.response
      throw error
    })
    return new Response(bytesOf(received.data), { status: received.status })
  }

const axiosV2 = (client: x402Client): Pay =>
  overAxios(wrapAxiosWithPayment(axios.create(), client), { responseType: "arraybuffer" })

/** It reads the body of a 402 as JSON that axios has parsed, so an `arraybuffer` would stop it. */
const axiosV1 = (...options: Parameters<typeof withPaymentInterceptor>): Pay =>
  overAxios(withPaymentInterceptor(...options), { responseEncoding: "latin1" })

export const clients: ReadonlyArray<Client> = [
  {
    name: "@x402/fetch",
    on: {
      EVM: (sandbox, wallet) => payingFetch(evmKey(sandbox, wallet)),
      Solana: (sandbox, wallet) =>
        solanaPayingFetch(sandbox.solana.chain, solanaWallet(sandbox, wallet).signer)
    }
  },
  {
    name: "@x402/axios",
    on: {
      EVM: (sandbox, wallet) => {
        const scheme = new ExactEvmScheme(privateKeyToAccount(evmKey(sandbox, wallet)))
        return axiosV2(new x402Client().register("eip155:*", scheme))
      },
      Solana: (sandbox, wallet) => {
        const { network, rpcUrl } = sandbox.solana
        const scheme = new ExactSvmScheme(solanaWallet(sandbox, wallet).signer, { rpcUrl })
        return axiosV2(new x402Client().register(network as `solana:${string}`, scheme))
      }
    }
  },
  {
    name: "x402-fetch",
    on: {
      EVM: (sandbox, wallet) => payingFetchV1(evmKey(sandbox, wallet), mostAtomic),
      Solana: (sandbox, wallet) =>
        solanaPayingFetchV1(solanaWallet(sandbox, wallet).secretKey, sandbox.solana.rpcUrl, mostAtomic)
    }
  },
  {
    name: "x402-axios",
    on: {
      EVM: async (sandbox, wallet) =>
        axiosV1(axios.create(), await createSigner("base-sepolia", evmKey(sandbox, wallet))),
      Solana: async (sandbox, wallet) => {
        const signer = await createSigner("solana-devnet", solanaWallet(sandbox, wallet).secretKey)
        return axiosV1(axios.create(), signer, undefined, { svmConfig: { rpcUrl: sandbox.solana.rpcUrl } })
      }
    }
  },
  {
    name: "x402-solana",
    on: {
      Solana: async (sandbox, wallet) => {
        const { address, secretKey } = solanaWallet(sandbox, wallet)
        const signer = await createKeypairWallet(secretKey)
        const client = createX402Client({
          wallet: {
            address,
            signTransaction: (transaction: VersionedTransaction) => signer.signTransaction(transaction)
          },
          network: "solana-devnet",
          rpcUrl: sandbox.solana.rpcUrl,
          amount: mostAtomic
        })
        return (url, init) => client.fetch(url, init)
      }
    }
  },
  {
    name: "@dexterai/x402",
    on: {
      EVM: (sandbox, wallet) =>
        wrapFetch(fetch, {
          evmPrivateKey: evmKey(sandbox, wallet),
          preferredNetwork: sandbox.network,
          rpcUrls: { [sandbox.network]: sandbox.rpcUrl }
        }),
      Solana: (sandbox, wallet) =>
        wrapFetch(fetch, {
          walletPrivateKey: solanaWallet(sandbox, wallet).secretKey,
          preferredNetwork: sandbox.solana.network,
          rpcUrls: { [sandbox.solana.network]: sandbox.solana.rpcUrl }
        })
    }
  }
]

/** Which packages have those clients that this one doesn't install itself. */
const holders: Readonly<Record<string, string>> = {
  "@x402/fetch": "../../packages/sandbox/package.json",
  "x402-fetch": "../v1-client/package.json"
}

/** The version of a client that is installed. */
export const versionOf = (name: string): string => {
  const require = createRequire(new URL(holders[name] ?? "package.json", import.meta.url))
  const [file] = (require.resolve.paths(name) ?? []).flatMap((folder) => {
    try {
      return [readFileSync(`${folder}/${name}/package.json`, "utf8")]
    } catch {
      return []
    }
  })
  return (JSON.parse(file ?? "{}") as { readonly version: string }).version
}
