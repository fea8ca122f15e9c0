import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  toHex,
  type TransactionSerialized
} from "viem"
import { http, HttpResponse } from "msw"

/*
 * A node of a chain with tokens, in memory. It keeps the rules that a payment depends on: one transaction for
 * each number of an account, in order, and tokens move by their contracts' rules.
 */

interface Mined {
  readonly succeeded: boolean
  readonly block: bigint
}

export class FakeNode {
  readonly url: string
  readonly chainId: number
  readonly balances = new Map<string, bigint>()
  readonly allowances = new Map<string, bigint>()
  /** Native coin that accounts were sent. */
  readonly received = new Map<string, bigint>()
  /** Signed transactions that came in, repeats included. */
  readonly sent: Array<Hex> = []
  /** Calls by method. */
  readonly calls: Array<string> = []
  /** Mines what comes in at once. */
  isMining = true
  block = 100n
  baseFee = 1_000_000n
  /** Base fees of the latest blocks. */
  readonly baseFees: Array<bigint> = Array.from({ length: 32 }, () => 1_000_000n)
  /** Makes the next calls of a method fail: with an HTTP status, or by a broken connection. */
  readonly disturbances: Array<{ method: string; what: "refused" | "lost" }> = []
  private readonly mined = new Map<Hex, Mined>()
  private readonly waiting = new Map<string, { raw: Hex; maxFee: bigint }>()
  /** The blocks in which the transactions of an account were mined. */
  private readonly blocksOf = new Map<string, ReadonlyArray<bigint>>()

  constructor(chainId: number, url = `https://node-${chainId}.example/rpc`) {
    this.chainId = chainId
    this.url = url
  }

  balance(token: string, account: string): bigint {
    return this.balances.get(`${token}:${account}`.toLowerCase()) ?? 0n
  }
  fund(token: string, account: string, amount: bigint): void {
    this.balances.set(`${token}:${account}`.toLowerCase(), this.balance(token, account) + amount)
  }
  /** Transactions of an account that are on the chain. */
  nonceOf(account: string): number {
    return this.blocksOf.get(account.toLowerCase())?.length ?? 0
  }

  /** Takes a transaction as a node does; throws where it won't. */
  async submit(raw: Hex): Promise<Hex> {
    this.sent.push(raw)
    const {
      chainId,
      maxFeePerGas = 0n,
      nonce = 0
    } = parseTransaction(raw as TransactionSerialized<"eip1559">)
    if (chainId !== this.chainId) throw new Error("invalid chain id")
    const from = await recoverTransactionAddress({
      serializedTransaction: raw as TransactionSerialized<"eip1559">
    })
    const hash = keccak256(raw)
    if (nonce < this.nonceOf(from)) throw new Error("nonce too low")
    const slot = `${from.toLowerCase()}:${nonce}`
    const known = this.waiting.get(slot)
    if (known?.raw === raw) throw new Error("already known")
    if (known !== undefined && maxFeePerGas * 10n < known.maxFee * 11n)
      throw new Error("replacement underpriced")
    this.waiting.set(slot, { raw, maxFee: maxFeePerGas })
    if (this.isMining) this.mine()
    return hash
  }

  /** Puts everything whose turn it is on the chain. */
  mine(): void {
    this.block += 1n
    this.baseFees.push(this.baseFee)
    for (let hasMore = true; hasMore;) {
      hasMore = false
      for (const [slot, { maxFee, raw }] of this.waiting) {
        const [account = "", number] = slot.split(":")
        if (Number(number) !== this.nonceOf(account) || maxFee < this.baseFee) continue
        this.waiting.delete(slot)
        this.blocksOf.set(account, [...(this.blocksOf.get(account) ?? []), this.block])
        this.mined.set(keccak256(raw), { succeeded: this.execute(account, raw), block: this.block })
        hasMore = true
      }
    }
  }

  private execute(from: string, raw: Hex): boolean {
    const { data = "0x", to, value = 0n } = parseTransaction(raw as TransactionSerialized<"eip1559">)
    if (to === undefined || to === null) return true
    this.received.set(to.toLowerCase(), (this.received.get(to.toLowerCase()) ?? 0n) + value)
    if (data === "0x") return true
    const { args, functionName } = decodeFunctionData({ abi: erc20Abi, data })
    if (functionName === "approve") {
      this.allowances.set(`${to}:${args[0]}`.toLowerCase(), args[1])
      return true
    }
    if (functionName !== "transfer" || this.balance(to, from) < args[1]) return false
    this.fund(to, from, -args[1])
    this.fund(to, args[0], args[1])
    return true
  }

  private async respond(method: string, params: ReadonlyArray<unknown>): Promise<unknown> {
    const [first, second] = params
    switch (method) {
      case "eth_chainId":
        return toHex(this.chainId)
      case "eth_blockNumber":
        return toHex(this.block)
      case "eth_getTransactionCount": {
        const account = String(first).toLowerCase()
        let count = this.nonceOf(account)
        if (second === "latest") return toHex(count)
        if (second !== "pending") {
          const before = this.blocksOf.get(account)?.filter((block) => block <= BigInt(String(second)))
          return toHex(before?.length ?? 0)
        }
        // This node counts its pool, as some do.
        while (this.waiting.has(`${account}:${count}`)) count++
        return toHex(count)
      }
      case "eth_call": {
        const { data, to } = first as { to: string; data: Hex }
        const { args } = decodeFunctionData({ abi: erc20Abi, data })
        return toHex(this.balance(to, String(args?.[0])), { size: 32 })
      }
      case "eth_estimateGas":
        return toHex(60_000)
      case "eth_getBlockByNumber":
        return { number: toHex(this.block), baseFeePerGas: toHex(this.baseFee) }
      case "eth_feeHistory":
        return {
          baseFeePerGas: [...this.baseFees.slice(-Number(first)), this.baseFee].map((fee) => toHex(fee))
        }
      case "eth_maxPriorityFeePerGas":
        return toHex(1_000)
      case "eth_sendRawTransaction":
        return this.submit(first as Hex)
      case "eth_getTransactionReceipt": {
        const mined = this.mined.get(first as Hex)
        return mined === undefined
          ? null
          : { status: mined.succeeded ? "0x1" : "0x0", blockNumber: toHex(mined.block), logs: [] }
      }
      default:
        throw new Error(`no such method: ${method}`)
    }
  }

  handler() {
    return http.post(this.url, async ({ request }) => {
      const { method, params } = (await request.json()) as { method: string; params: ReadonlyArray<unknown> }
      this.calls.push(method)
      const index = this.disturbances.findIndex((each) => each.method === method)
      const [disturbance] = index < 0 ? [] : this.disturbances.splice(index, 1)
      if (disturbance?.what === "refused") return new HttpResponse(null, { status: 503 })
      try {
        const result = await this.respond(method, params)
        return disturbance?.what === "lost"
          ? HttpResponse.error()
          : HttpResponse.json({ jsonrpc: "2.0", id: 1, result: result as string })
      } catch (error) {
        return HttpResponse.json({
          jsonrpc: "2.0",
          id: 1,
          error: { code: -32_000, message: (error as Error).message }
        })
      }
    })
  }
}

export const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
export const crossmintPayee = "0x00000000000000000000000000000000000000c1"
export const thief = "0x00000000000000000000000000000000000000ff"

/** The transaction that a payee prepares, unsigned. */
export const prepare = (change: {
  readonly to?: Hex | null
  readonly payee?: Hex
  readonly amount?: bigint
  readonly chainId?: number
  readonly value?: bigint
  readonly data?: Hex
  readonly memo?: string
}): Hex => {
  const {
    amount = 97_350_000n,
    chainId = 84_532,
    memo = "",
    payee = crossmintPayee,
    to = usdc,
    value
  } = change
  const call = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [payee, amount] })
  return serializeTransaction({
    type: "eip1559",
    chainId,
    nonce: 7,
    gas: 100_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...(to === null ? {} : { to }),
    ...(value === undefined ? {} : { value }),
    data: change.data ?? `${call}${memo}`
  })
}
