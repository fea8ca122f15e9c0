import { createHash } from "node:crypto"
import {
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  lamports,
  type Address,
  type KeyPairSigner
} from "@solana/kit"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { makeMethods } from "./RpcMethods.ts"
import { serveRpc } from "./RpcServer.ts"
import { makeSlots, usualFinalitySlots } from "./Slots.ts"
import { SolanaVm } from "./SolanaVm.ts"
import {
  associatedAccount,
  type LocalToken,
  mintAccount,
  readTokenAccount,
  token2022ProgramAddress,
  tokenAccount
} from "./Tokens.ts"

interface SolanaDeployment {
  readonly caip2: `solana:${string}`
  readonly genesisHash: string
  readonly usdc: Address
}

/** The networks that can be imitated, with Circle's USDC on each. */
const deployments = {
  "solana-devnet": {
    caip2: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    genesisHash: "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
    usdc: address("4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU")
  },
  solana: {
    caip2: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    genesisHash: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
    usdc: address("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
  }
} satisfies Readonly<Record<string, SolanaDeployment>>

export type SolanaNetwork = keyof typeof deployments

export interface SolanaChainOptions {
  /** Network to imitate; default `solana-devnet`. */
  readonly network?: SolanaNetwork
  /** JSON-RPC port on the loopback interface; default 0, a free one. */
  readonly port?: number
  /** Milliseconds per slot; default 400. With 0, slots pass only by `advance`. */
  readonly slotMillis?: number
  /** Slots after which a block is final; default 32. With 0, at once. */
  readonly finalitySlots?: number
}

/** A local Solana chain with play USDC. */
export interface SolanaChain {
  readonly rpcUrl: string
  readonly network: SolanaNetwork
  /** CAIP-2 identifier of the network. */
  readonly caip2: `solana:${string}`
  /** USDC, of the Token program, with the same mint as on the public network. */
  readonly usdc: LocalToken
  /** Another dollar of 6 decimals, of the Token-2022 program. */
  readonly dollar2022: LocalToken
  /** Gives an owner play money, and a token account if it has none. Amount in atomic units (6 decimals). */
  readonly mint: (owner: Address, amountAtomic: bigint, token?: LocalToken) => Promise<Address>
  /** An owner's balance in atomic units; 0 without a token account. Default: USDC. */
  readonly balanceOf: (owner: Address, token?: LocalToken) => Promise<bigint>
  /** Address of an owner's associated token account, which may not exist. Default: USDC. */
  readonly tokenAccountOf: (owner: Address, token?: LocalToken) => Promise<Address>
  /** Gives an account lamports, of which 1,000,000,000 are one SOL. Default: 10 SOL. */
  readonly airdrop: (to: Address, amountLamports?: bigint) => void
  /** Development wallet `index`, the same on every chain. It has nothing at first. */
  readonly wallets: (index: number) => Promise<KeyPairSigner>
  /**
   * Lets slots pass at once. A block is final after 32 slots by default, and a blockhash invalid after 150.
   *
   * @example
   * ```ts
   * const chain = await startSolanaChain()
   * chain.advance(151) // no transaction that was signed before can land any more
   * ```
   */
  readonly advance: (slots: number) => void
  /** Loses transactions sent from now on: each call succeeds, and nothing lands. `false` ends it. */
  readonly dropTransactions: (drops: boolean) => void
  /** Remembers the state; the returned function undoes all later blocks, like a fork that lost. */
  readonly checkpoint: () => () => void
  /** Stops the chain. Safe to call twice. */
  readonly stop: () => Promise<void>
}

const dollar2022: LocalToken = {
  mint: address("2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo"),
  program: token2022ProgramAddress
}

/**
 * Starts a local Solana chain: the virtual machine of the public networks, in this process, behind Solana's JSON-RPC.
 *
 * Transactions run as they are sent. They are confirmed at once, and by default final after 32 slots (12.8 seconds).
 *
 * @example
 * ```ts
 * const chain = await startSolanaChain()
 * const wallet = await chain.wallets(0)
 * await chain.mint(wallet.address, 5_000_000n) // 5 USDC
 * await chain.stop()
 * ```
 *
 * @throws Error if an option is out of range, or the port is taken.
 */
export const startSolanaChain = async (options: SolanaChainOptions = {}): Promise<SolanaChain> => {
  const {
    finalitySlots = usualFinalitySlots,
    network = "solana-devnet",
    port = 0,
    slotMillis = 400
  } = options
  for (const [name, value] of Object.entries({ finalitySlots, slotMillis })) {
    if (!Number.isInteger(value) || value < 0) {
      throw new Error(`${name} must be a whole number, 0 or more; got ${value}.`)
    }
  }
  const { caip2, genesisHash, usdc: usdcMint } = deployments[network]
  const usdc: LocalToken = { mint: usdcMint, program: TOKEN_PROGRAM_ADDRESS }
  const slots = makeSlots(slotMillis)
  const vm = new SolanaVm(slots, finalitySlots)
  for (const token of [usdc, dollar2022]) vm.setAccount(mintAccount(token))
  const server = await serveRpc(makeMethods(vm, genesisHash), port)

  const balanceAt = (account: Address): bigint => readTokenAccount(vm.account(account))?.amount ?? 0n
  return {
    rpcUrl: server.url,
    network,
    caip2,
    usdc,
    dollar2022,
    mint: async (owner, amountAtomic, token = usdc) => {
      const account = await associatedAccount(token, owner)
      vm.setAccount(tokenAccount(token, account, owner, balanceAt(account) + amountAtomic))
      return account
    },
    balanceOf: async (owner, token = usdc) => balanceAt(await associatedAccount(token, owner)),
    tokenAccountOf: (owner, token = usdc) => associatedAccount(token, owner),
    airdrop: (to, amountLamports = 10_000_000_000n) => {
      vm.airdrop(to, lamports(amountLamports))
    },
    wallets: (index) =>
      createKeyPairSignerFromPrivateKeyBytes(
        createHash("sha256").update(`Till402 development wallet ${index}`).digest()
      ),
    advance: (passed) => slots.advance(BigInt(passed)),
    dropTransactions: (drops) => {
      vm.dropsTransactions = drops
    },
    checkpoint: () => vm.checkpoint(),
    stop: server.stop
  }
}
