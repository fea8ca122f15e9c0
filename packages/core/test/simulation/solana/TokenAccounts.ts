import { littleEndianOf, type WireInstruction, type WireTransaction } from "./WireTransaction.ts"

/*
 * The token program, as far as payments use it, and the state of its accounts by slot.
 */

const budgetProgram = "ComputeBudget111111111111111111111111111111"
const memoProgram = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

/** An instruction failed: the whole transaction changes nothing, and its fee is paid. */
export class InstructionFailed extends Error {}

/** Tokens that an instruction moved between token accounts. */
export interface TokenMove {
  readonly source: string
  readonly destination: string
  readonly value: bigint
  /** Position of the instruction in its transaction. */
  readonly index: number
}

interface Entry {
  readonly slot: number
  readonly value: bigint
}

/** Token accounts of one mint. */
export class TokenAccounts {
  readonly mint: string
  private readonly owners = new Map<string, string>()
  private readonly balances = new Map<string, Array<Entry>>()

  constructor(mint: string) {
    this.mint = mint
  }

  /** Opens an account before the first block. */
  open(account: string, owner: string, value: bigint): void {
    this.owners.set(account, owner)
    this.balances.set(account, [{ slot: 0, value: this.balanceOf(account) + value }])
  }

  ownerOf(account: string): string | undefined {
    return this.owners.get(account)
  }

  accountsOf(owner: string): ReadonlyArray<string> {
    return Array.from(this.owners).flatMap(([account, own]) => (own === owner ? [account] : []))
  }

  /** Balance at the end of a slot; without one, after all executed transactions. */
  balanceOf(account: string, slot = Infinity): bigint {
    return this.balances.get(account)?.findLast((entry) => entry.slot <= slot)?.value ?? 0n
  }

  /** Executes a transaction in a slot, wholly or not at all. */
  execute(wire: WireTransaction, slot: number): ReadonlyArray<TokenMove> {
    const { changed, moves } = this.simulate(wire)
    for (const [account, value] of changed) this.set(account, slot, value)
    return moves
  }

  /** What a transaction would change now. Throws if it would fail. */
  simulate({ accounts, instructions, signatures }: WireTransaction): {
    readonly changed: ReadonlyMap<string, bigint>
    readonly moves: ReadonlyArray<TokenMove>
  } {
    const signers = new Set(accounts.slice(0, signatures.length))
    const changed = new Map<string, bigint>()
    const balanceOf = (account: string): bigint => changed.get(account) ?? this.balanceOf(account)
    const moves: Array<TokenMove> = []
    instructions.forEach((instruction, index) => {
      if (instruction.program === budgetProgram || instruction.program === memoProgram) return
      const move = this.readMove(instruction, signers)
      const left = balanceOf(move.source) - move.value
      if (left < 0n) throw new InstructionFailed("insufficient funds")
      changed.set(move.source, left)
      changed.set(move.destination, balanceOf(move.destination) + move.value)
      moves.push({ ...move, index })
    })
    return { changed, moves }
  }

  /** Undoes everything after a slot. */
  revertTo(slot: number): void {
    for (const [account, entries] of this.balances)
      this.balances.set(
        account,
        entries.filter((entry) => entry.slot <= slot)
      )
  }

  private readMove(
    { accounts, data, program }: WireInstruction,
    signers: ReadonlySet<string>
  ): Omit<TokenMove, "index"> {
    if (program !== tokenProgram) throw new InstructionFailed("unsupported program")
    // 3: Transfer. 12: TransferChecked, which also names the mint and its decimals.
    const isChecked = data[0] === 12
    if (!isChecked && data[0] !== 3) throw new InstructionFailed("unsupported instruction")
    const [source, ...rest] = accounts
    if (isChecked && (rest.shift() !== this.mint || data[9] !== 6))
      throw new InstructionFailed("another mint")
    const [destination, authority] = rest
    const owner = this.owners.get(source!)
    if (owner === undefined || !this.owners.has(destination!)) throw new InstructionFailed("no token account")
    if (owner !== authority || !signers.has(owner)) throw new InstructionFailed("owner does not match")
    return { source: source!, destination: destination!, value: littleEndianOf(data.subarray(1, 9)) }
  }

  private set(account: string, slot: number, value: bigint): void {
    const entries = this.balances.get(account)!
    if (entries.at(-1)?.slot === slot) entries.pop()
    entries.push({ slot, value })
  }
}
