import {
  createSolanaRpc,
  getBase64Encoder,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
  type Signature
} from "@solana/kit"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import type { SolanaChain } from "@till402/sandbox/solana"

/** The naive servers on Solana: each does its work, then signs as fee payer and submits. */
export const solanaSigner = "a hand-rolled server that signs transactions as fee payer"
export const solanaBalances = "a hand-rolled server that looks for its transfer among the payer's"

/** An instruction of a token program, by the accounts that its message lists. */
export interface SeenTransfer {
  readonly program: string
  readonly mint: string
  readonly destination: string
  readonly amountAtomic: bigint
}

/** What a naive server reads of a payment. */
export interface SeenPayment {
  /** Texts of the memos. */
  readonly memos: ReadonlyArray<string>
  /** Accounts that the message lists. */
  readonly accounts: ReadonlyArray<string>
  /** The third instruction as a transfer; accounts that aren't listed are "". */
  readonly transfer: SeenTransfer
}

export interface NaiveSolana {
  /** Presents a payment in base64; whether it was served. */
  readonly present: (payment: string) => Promise<boolean>
  /** Times that the work was done. */
  readonly work: () => number
}

const memoProgram = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"

const decode = (payment: string) => getTransactionDecoder().decode(getBase64Encoder().encode(payment))

/** Whether an account has signed; the chain has checked the signature. */
const isSigned = (payment: string, account: string): boolean =>
  Object.entries(decode(payment).signatures).some(
    ([signer, signature]) => signer === account && signature !== null
  )

const seenIn = (payment: string): SeenPayment => {
  const message = getCompiledTransactionMessageDecoder().decode(decode(payment).messageBytes)
  if (message.version !== 0) throw new Error("a payment of another version")
  const accounts = message.staticAccounts
  const { accountIndices = [], data = new Uint8Array(), programAddressIndex } = message.instructions[2]!
  const amount = new DataView(Uint8Array.from(data).buffer).getBigUint64(1, true)
  const accountAt = (index: number): string => accounts[accountIndices[index] ?? -1] ?? ""
  const memos = message.instructions
    .filter(({ programAddressIndex: index }) => accounts[index] === memoProgram)
    .map((memo) => Buffer.from(memo.data ?? []).toString())
  return {
    accounts,
    memos,
    transfer: {
      program: accounts[programAddressIndex] ?? "",
      mint: accountAt(1),
      destination: accountAt(2),
      amountAtomic: amount
    }
  }
}

/** Rules that are right by themselves; each naive server lacks one. */
export const rules = {
  amount: ({ transfer }: SeenPayment, amount: bigint): boolean => transfer.amountAtomic === amount,
  mint: ({ transfer }: SeenPayment, mint: string): boolean => transfer.mint === mint,
  destination: ({ transfer }: SeenPayment, account: string): boolean => transfer.destination === account,
  program: ({ transfer }: SeenPayment): boolean => transfer.program === TOKEN_PROGRAM_ADDRESS,
  /** The account is named somewhere in the transaction. */
  names: ({ accounts }: SeenPayment, account: string): boolean => accounts.includes(account)
}

interface Naive {
  readonly chain: SolanaChain
  readonly feePayer: KeyPairSigner
  readonly accepts: (payment: SeenPayment) => boolean
  /** Whether the payment has moved, for a server that doesn't trust its own submission. */
  readonly proves?: (payment: string) => Promise<boolean>
  /** Submissions that get lost. */
  readonly loses?: (submission: number) => boolean
}

/** Signs payments as their fee payer, and submits them. */
const submitter = ({ chain, feePayer }: Pick<Naive, "chain" | "feePayer">) => {
  const rpc = createSolanaRpc(chain.rpcUrl)
  return async (payment: string): Promise<void> => {
    const transaction = decode(payment)
    const wire = getBase64EncodedWireTransaction(
      await partiallySignTransaction([feePayer.keyPair], transaction)
    )
    // What becomes of it is not read.
    await rpc.sendTransaction(wire, { encoding: "base64", skipPreflight: true }).send()
  }
}

export const solanaOrders = "a hand-rolled shop that serves each order once"

/** Serves each order once, for a payment that is accepted for it. */
export const openOrderShop = ({
  accepts,
  ...naive
}: Pick<Naive, "chain" | "feePayer"> & {
  readonly accepts: (payment: SeenPayment, order: string) => boolean
}) => {
  const submit = submitter(naive)
  const served = new Set<string>()
  return async (payment: string, order: string): Promise<boolean> => {
    if (served.has(order) || !accepts(seenIn(payment), order)) return false
    served.add(order)
    await submit(payment)
    return true
  }
}

/** Remembers who has bought what, and tells it to whoever presents a transaction of theirs: it must be the payer. */
export const openOrderBook = () => {
  const sold = new Set<string>()
  const entry = (payment: string, order: string): string => `${seenIn(payment).accounts[1]} ${order}`
  return {
    sold: (payment: string, order: string) => void sold.add(entry(payment, order)),
    repeats: async (payment: string, order: string): Promise<boolean> => {
      const [, payer = ""] = seenIn(payment).accounts
      return isSigned(payment, payer) && sold.has(entry(payment, order))
    }
  }
}

/** Serves each text of a payment once, if the payment is accepted. */
export const openSolanaSigner = ({ accepts, chain, feePayer, loses, proves }: Naive): NaiveSolana => {
  const submit = submitter({ chain, feePayer })
  const seen = new Set<string>()
  let work = 0
  return {
    work: () => work,
    present: async (payment) => {
      if (seen.has(payment) || !accepts(seenIn(payment))) return false
      seen.add(payment)
      work++
      if (loses?.(seen.size) !== true) await submit(payment)
      return proves === undefined || (await proves(payment))
    }
  }
}

/** What a wallet has in all of its token accounts. */
export const totalOf = async (chain: SolanaChain, owner: KeyPairSigner): Promise<bigint> => {
  const rpc = createSolanaRpc(chain.rpcUrl)
  const found = await rpc
    .getTokenAccountsByOwner(owner.address, { mint: chain.usdc.mint }, { encoding: "jsonParsed" })
    .send()
  return found.value.reduce(
    (sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount),
    0n
  )
}

/** Whether the payer has moved this amount to an owner: by the balances of the payer's latest transactions. */
export const movedTo = async (
  chain: SolanaChain,
  payer: KeyPairSigner,
  owner: string,
  amount: bigint,
  limit = 1_000
): Promise<boolean> => {
  const rpc = createSolanaRpc(chain.rpcUrl)
  const entries = await rpc.getSignaturesForAddress(payer.address, { commitment: "confirmed", limit }).send()
  const hasMoved = async (signature: Signature): Promise<boolean> => {
    const options = { encoding: "json", commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const
    const found = await rpc.getTransaction(signature, options).send()
    const of = (balances: ReadonlyArray<{ owner?: string; uiTokenAmount: { amount: string } }> = []) =>
      BigInt(balances.find((each) => each.owner === owner)?.uiTokenAmount.amount ?? 0)
    const { postTokenBalances, preTokenBalances } = found?.meta ?? {}
    return of([...(postTokenBalances ?? [])]) - of([...(preTokenBalances ?? [])]) === amount
  }
  const moved = await Promise.all(entries.map(({ signature }) => hasMoved(signature)))
  return moved.includes(true)
}
