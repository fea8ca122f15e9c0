import { type Address, getCompiledTransactionMessageDecoder, type Transaction } from "@solana/kit"

/*
 * Reads what a payment's transaction takes from its payer and costs its fee payer. Pure. Whether it is a right payment
 * isn't checked here.
 */

export interface TransactionTerms {
  /** The token account that the money is taken from; `undefined` if the transaction hasn't the official form. */
  readonly source: Address | undefined
  /** What the fee payer pays above the signatures, in lamports. */
  readonly priorityFeeLamports: bigint
  /** The whole fee, in lamports. It is paid also if the transaction fails. */
  readonly feeLamports: bigint
  /** The accounts that the instructions pass to their programs. */
  readonly accounts: ReadonlySet<string>
}

interface Instruction {
  readonly program: Address | undefined
  readonly accounts: ReadonlyArray<Address | undefined>
  readonly data: DataView
}

const computeBudgetProgram = "ComputeBudget111111111111111111111111111111"
const setComputeUnitLimit = 2
const setComputeUnitPrice = 3
/** Of both token programs: source, mint, destination and authority are its accounts. */
const transferChecked = 12

const lamportsPerSignature = 5_000n
/** The limit of a transaction that sets none is lower. */
const maxComputeUnits = 1_400_000n
const microLamports = 1_000_000n

const kindOf = ({ data }: Instruction): number | undefined =>
  data.byteLength === 0 ? undefined : data.getUint8(0)

const isBudget = (instruction: Instruction, kind: number, length: number): boolean =>
  instruction.program === computeBudgetProgram &&
  kindOf(instruction) === kind &&
  instruction.data.byteLength >= length

/** The network refuses a transaction that sets the limit or the price twice. */
const priorityFeeOf = (instructions: ReadonlyArray<Instruction>): bigint => {
  const limit = instructions.find((each) => isBudget(each, setComputeUnitLimit, 5))
  const price = instructions.find((each) => isBudget(each, setComputeUnitPrice, 9))
  if (price === undefined) return 0n
  const units = limit === undefined ? maxComputeUnits : BigInt(limit.data.getUint32(1, true))
  return (price.data.getBigUint64(1, true) * units + microLamports - 1n) / microLamports
}

/** Reads a transaction; `undefined` if its message has none of the known forms. */
export const termsOf = ({
  messageBytes
}: Pick<Transaction, "messageBytes">): TransactionTerms | undefined => {
  const message = decode(messageBytes)
  if (message === undefined || !("instructions" in message)) return undefined
  const { header, staticAccounts } = message
  const instructions = message.instructions.map(
    ({ accountIndices = [], data = new Uint8Array(), programAddressIndex }): Instruction => ({
      program: staticAccounts[programAddressIndex],
      accounts: accountIndices.map((index) => staticAccounts[index]),
      data: new DataView(Uint8Array.from(data).buffer)
    })
  )
  const transfer = instructions.find((each) => kindOf(each) === transferChecked && each.accounts.length >= 4)
  const priorityFeeLamports = priorityFeeOf(instructions)
  return {
    source: transfer?.accounts[0],
    priorityFeeLamports,
    feeLamports: priorityFeeLamports + lamportsPerSignature * BigInt(header.numSignerAccounts),
    accounts: new Set(instructions.flatMap(({ accounts }) => accounts.filter((each) => each !== undefined)))
  }
}

const decode = (messageBytes: Transaction["messageBytes"]) => {
  try {
    return getCompiledTransactionMessageDecoder().decode(messageBytes)
  } catch {
    return undefined
  }
}
