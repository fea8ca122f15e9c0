import { address, lamports, type Address, type EncodedAccount } from "@solana/kit"
import {
  AccountState,
  findAssociatedTokenPda,
  getMintDecoder,
  getMintEncoder,
  getTokenDecoder,
  getTokenEncoder,
  type Mint,
  type Token,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"

/** The Token-2022 program: https://www.solana-program.com/docs/token-2022 */
export const token2022ProgramAddress = address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")

/** The programs that own token accounts, by the names that JSON-RPC gives them. */
export const tokenPrograms: ReadonlyMap<Address, string> = new Map<Address, string>([
  [TOKEN_PROGRAM_ADDRESS, "spl-token"],
  [token2022ProgramAddress, "spl-token-2022"]
])

/** A dollar token of the local chain. */
export interface LocalToken {
  readonly mint: Address
  /** The program that owns its accounts: Token or Token-2022. */
  readonly program: Address
}

export const tokenDecimals = 6

const mintSize = 82
const accountSize = 165
/** Enough for the rent of any of these accounts. */
const rentLamports = 10_000_000n

const owned = (at: Address, program: Address, data: Uint8Array): EncodedAccount => ({
  address: at,
  data,
  executable: false,
  lamports: lamports(rentLamports),
  programAddress: program,
  space: BigInt(data.length)
})

/** The account of a token's mint. */
export const mintAccount = ({ mint, program }: LocalToken): EncodedAccount =>
  owned(
    mint,
    program,
    new Uint8Array(
      getMintEncoder().encode({
        mintAuthority: null,
        supply: 10n ** 15n,
        decimals: tokenDecimals,
        isInitialized: true,
        freezeAuthority: null
      })
    )
  )

/** The token account with this balance. */
export const tokenAccount = (
  { mint, program }: LocalToken,
  at: Address,
  owner: Address,
  amount: bigint
): EncodedAccount =>
  owned(
    at,
    program,
    new Uint8Array(
      getTokenEncoder().encode({
        mint,
        owner,
        amount,
        delegate: null,
        state: AccountState.Initialized,
        isNative: null,
        delegatedAmount: 0n,
        closeAuthority: null
      })
    )
  )

/** Address of an owner's associated token account. */
export const associatedAccount = async ({ mint, program }: LocalToken, owner: Address): Promise<Address> => {
  const [found] = await findAssociatedTokenPda({ mint, owner, tokenProgram: program })
  return found
}

/** Extensions of Token-2022 follow the 165 bytes of an account, and begin with its kind. */
const accountKind = 2

/** Reads an initialized token account of either program; `undefined` for any other account. */
export const readTokenAccount = (account: EncodedAccount | undefined): Token | undefined => {
  if (account === undefined || !tokenPrograms.has(account.programAddress)) return undefined
  const { data } = account
  if (data.length < accountSize) return undefined
  if (data.length > accountSize && data[accountSize] !== accountKind) return undefined
  const token = getTokenDecoder().decode(data.slice(0, accountSize))
  return token.state === AccountState.Uninitialized ? undefined : token
}

/** Reads the mint of a token of either program; `undefined` for any other account. */
export const readMint = (account: EncodedAccount | undefined): Mint | undefined => {
  if (account === undefined || !tokenPrograms.has(account.programAddress)) return undefined
  const { data } = account
  const isMint = data.length === mintSize || (data.length > accountSize && data[accountSize] !== accountKind)
  if (!isMint) return undefined
  const mint = getMintDecoder().decode(data.slice(0, mintSize))
  return mint.isInitialized ? mint : undefined
}
