import { parseTransaction } from "viem"
import { type Hex, accountOf, type SettlementRecord } from "./SettlementJournal.ts"
import { type PlannedTransfer, transferIn } from "./TransferCall.ts"

/*
 * What recorded transactions that aren't mined may still take: gas from the relayer, money from the payers. Pure.
 */

interface OpenTransaction {
  readonly nonce: number
  /** Of its gas limit at its highest fee, in wei. */
  readonly costWei: bigint
  readonly transfer: PlannedTransfer | undefined
}

const read = ({ nonce, signedTransaction }: SettlementRecord): OpenTransaction => {
  const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(signedTransaction)
  return { nonce, costWei: gas * maxFeePerGas, transfer: transferIn(signedTransaction) }
}

/** The recorded transactions of a relayer from a nonce on. */
export class OpenTransactions {
  /** By transaction, in the order of nonces and replacements. */
  private readonly all: ReadonlyMap<Hex, OpenTransaction>

  /** `known`: an earlier state, so that a transaction is parsed once. */
  constructor(records: ReadonlyArray<SettlementRecord>, known?: OpenTransactions) {
    this.all = new Map(
      records.map((record) => [record.transaction, known?.all.get(record.transaction) ?? read(record)])
    )
  }

  /** One for each nonce from `from` on: its last, which pays the highest fees. */
  private byNonce(from: number): ReadonlyArray<OpenTransaction> {
    const last = new Map<number, OpenTransaction>()
    for (const each of this.all.values()) if (each.nonce >= from) last.set(each.nonce, each)
    return [...last.values()]
  }

  /** The highest recorded nonce; `undefined` if there is none. */
  get lastNonce(): number | undefined {
    return [...this.all.values()].at(-1)?.nonce
  }

  /** What the relayer may pay for the nonces from `from` on, except one, in wei. */
  costWei(from: number, except?: number): bigint {
    return this.byNonce(from).reduce((sum, { costWei, nonce }) => sum + (nonce === except ? 0n : costWei), 0n)
  }

  /** What a payer's other authorizations in the same token may move, with nonces from `from` on, in atomic units. */
  promisedAtomic(from: number, key: string): bigint {
    const account = accountOf(key)
    return this.byNonce(from)
      .flatMap(({ transfer }) => transfer ?? [])
      .filter((each) => each.account === account && !key.endsWith(`:${each.nonce}`))
      .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n)
  }
}
