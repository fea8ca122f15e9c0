import { fromBase58 } from "../../../src/domain/Base58.ts"
import { RpcFailure } from "../chain/RpcFailure.ts"
import type { RpcRequest } from "../chain/RpcNode.ts"
import type { Commitment, LandedTransaction, SolanaChain } from "./SolanaChain.ts"
import { readWire } from "./WireTransaction.ts"

/*
 * JSON-RPC of one Solana node: https://solana.com/docs/rpc
 */

const clockSysvar = "SysvarC1ock11111111111111111111111111111111"
const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
const systemProgram = "1".repeat(32)
const lamports = 10_000_000_000
const genesisHash = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"

interface Options {
  readonly commitment?: Commitment
  readonly minContextSlot?: number
  readonly encoding?: string
  readonly limit?: number
  readonly before?: string
  readonly skipPreflight?: boolean
}

/** What a node knows: it may be behind, and may have lost the blocks before a slot. */
export interface NodeView {
  /** Its latest block. */
  readonly latest: number
  readonly firstSlot: number
}

/** Responds to one request, from the view of a node. Throws the error that the node would respond with. */
export class SolanaRpc {
  private readonly chain: SolanaChain
  private readonly view: NodeView
  private readonly submit: (bytes: Uint8Array) => void

  constructor(chain: SolanaChain, view: NodeView, submit: (bytes: Uint8Array) => void) {
    this.chain = chain
    this.view = view
    this.submit = submit
  }

  respond({ method, params = [] }: RpcRequest): unknown {
    const [first, second] = params as ReadonlyArray<unknown>
    const options = (second ?? {}) as Options
    switch (method) {
      case "getGenesisHash":
        return genesisHash
      case "getFirstAvailableBlock":
        return this.view.firstSlot
      case "getLatestBlockhash":
        return this.latestBlockhash(first as Options)
      case "getSlot":
        return this.slotFor(first as Options)
      case "getEpochInfo": {
        const slot = this.slotFor(first as Options)
        return { absoluteSlot: slot, blockHeight: this.chain.slots.heightOf(slot) }
      }
      case "getAccountInfo":
        return this.withContext(options, (slot) => this.account(first as string, slot))
      case "isBlockhashValid":
        return this.withContext(options, (slot) => this.chain.isRecent(first as string, slot))
      case "getTransaction":
        return this.transaction(first as string, options)
      case "getSignaturesForAddress":
        return this.signaturesFor(first as string, options)
      case "getSignatureStatuses":
        return this.withContext({ commitment: "processed" }, (slot) =>
          (first as ReadonlyArray<string>).map((signature) => this.statusOf(signature, slot))
        )
      case "getBlockTime":
        return this.chain.secondsOf(first as number)
      case "getBlocksWithLimit":
        return this.blocksFrom(first as number, second as number)
      case "simulateTransaction":
        return this.withContext(options, (slot) => ({ err: this.simulated(first as string, slot) }))
      case "sendTransaction":
        return this.send(first as string, options)
      default:
        throw new RpcFailure(-32_601, `the method ${method} does not exist`)
    }
  }

  /** The slots of final blocks that the node has, from one on. */
  private blocksFrom(start: number, limit: number): ReadonlyArray<number> {
    const last = this.chain.blockOf("finalized", this.view.latest)
    const blocks: Array<number> = []
    let slot = this.chain.slots.blockAfter(Math.max(start, this.view.firstSlot) - 1)
    for (; slot <= last && blocks.length < limit; slot = this.chain.slots.blockAfter(slot)) blocks.push(slot)
    return blocks
  }

  /** The slot as of which a request is answered: the node refuses if it hasn't seen `minContextSlot`. */
  private slotFor({ commitment = "finalized", minContextSlot = 0 }: Options): number {
    const slot = this.chain.blockOf(commitment, this.view.latest)
    if (slot < minContextSlot) throw new RpcFailure(-32_016, "Minimum context slot has not been reached")
    return slot
  }

  private withContext(options: Options, read: (slot: number) => unknown): unknown {
    const slot = this.slotFor(options)
    return { context: { slot }, value: read(slot) }
  }

  private latestBlockhash(options: Options): unknown {
    return this.withContext(options, (slot) => ({
      blockhash: this.chain.hashOf(slot),
      lastValidBlockHeight: this.chain.slots.heightOf(slot) + 150
    }))
  }

  /** Transactions of the blocks that the node has, newest first. */
  private known(commitment: Commitment): ReadonlyArray<LandedTransaction> {
    const last = this.chain.blockOf(commitment, this.view.latest)
    return this.chain.all.filter(({ slot }) => this.view.firstSlot <= slot && slot <= last).toReversed()
  }

  private signaturesFor(address: string, options: Options): unknown {
    const { before, commitment = "finalized", limit = 1_000 } = options
    this.slotFor(options)
    const found = this.known(commitment).filter(({ wire }) => wire.accounts.includes(address))
    const place = found.findIndex(({ wire }) => wire.signature === before)
    // A node lists nothing behind a transaction that it doesn't know.
    if (before !== undefined && place === -1) return []
    return found.slice(place + 1, place + 1 + limit).map(({ error, slot, wire }) => ({
      signature: wire.signature,
      slot,
      err: errorJson(error),
      blockTime: this.chain.secondsOf(slot),
      memo: null
    }))
  }

  private statusOf(signature: string, slot: number): unknown {
    const found = this.known("processed").find(({ wire }) => wire.signature === signature)
    if (found === undefined) return null
    const confirmationStatus = (["finalized", "confirmed"] as const).find(
      (commitment) => found.slot <= this.chain.blockOf(commitment, slot)
    )
    return {
      slot: found.slot,
      err: errorJson(found.error),
      confirmationStatus: confirmationStatus ?? "processed"
    }
  }

  private transaction(signature: string, { commitment = "finalized" }: Options): unknown {
    const found = this.known(commitment).find(({ wire }) => wire.signature === signature)
    if (found === undefined) return null
    const { accounts } = this.chain
    const balances = (amounts: ReadonlyMap<number, bigint>) =>
      Array.from(amounts, ([accountIndex, amount]) => ({
        accountIndex,
        mint: accounts.mint,
        owner: accounts.ownerOf(found.wire.accounts[accountIndex]!),
        programId: tokenProgram,
        uiTokenAmount: { amount: String(amount), decimals: 6 }
      }))
    return {
      slot: found.slot,
      blockTime: this.chain.secondsOf(found.slot),
      meta: {
        err: errorJson(found.error),
        preTokenBalances: balances(found.before),
        postTokenBalances: balances(found.after)
      },
      transaction: [Buffer.from(found.wire.bytes).toString("base64"), "base64"]
    }
  }

  private account(address: string, slot: number): unknown {
    if (address === clockSysvar) {
      const data = Buffer.alloc(40)
      data.writeBigUInt64LE(BigInt(slot), 0)
      data.writeBigInt64LE(BigInt(this.chain.secondsOf(slot)), 32)
      return accountJson("Sysvar1111111111111111111111111111111111111", data)
    }
    if (address === this.chain.accounts.mint) {
      const data = Buffer.alloc(82)
      data[44] = 6
      return accountJson(tokenProgram, data)
    }
    const owner = this.chain.accounts.ownerOf(address)
    if (owner === undefined) return accountJson(systemProgram, Buffer.alloc(0))
    const data = Buffer.alloc(165)
    data.set(fromBase58(this.chain.accounts.mint, 32)!, 0)
    data.set(fromBase58(owner, 32)!, 32)
    data.writeBigUInt64LE(this.chain.accounts.balanceOf(address, slot), 64)
    data[108] = 1
    return accountJson(tokenProgram, data)
  }

  /** Why a transaction would fail; a node doesn't know a blockhash that is newer than its latest block. */
  private simulated(transaction: string, slot: number): unknown {
    const wire = readWire(Buffer.from(transaction, "base64"))
    if (!this.chain.isRecent(wire.blockhash, slot)) return "BlockhashNotFound"
    return this.chain.wouldSucceed(wire) ? null : { InstructionError: [2, { Custom: 1 }] }
  }

  /** Refuses what would fail by its own state, unless it is told not to check. */
  private send(transaction: string, { skipPreflight = false }: Options): unknown {
    const wire = readWire(Buffer.from(transaction, "base64"))
    if (
      !skipPreflight &&
      !this.chain.isRecent(wire.blockhash, this.chain.blockOf("confirmed", this.view.latest))
    )
      throw new RpcFailure(-32_002, "Transaction simulation failed: Blockhash not found")
    this.submit(wire.bytes)
    return wire.signature
  }
}

const errorJson = (error: string | undefined): unknown =>
  error === undefined ? null : { InstructionError: [2, { Custom: 1 }] }

const accountJson = (owner: string, data: Buffer): unknown => ({
  owner,
  lamports,
  data: [data.toString("base64"), "base64"],
  executable: false,
  rentEpoch: 0
})
