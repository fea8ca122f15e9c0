import type { EvmNetwork, SolanaNetwork } from "../../domain/Network.ts"

/** A network of a till; on EVM with the EIP-712 domain separator of its stablecoin. */
export type TollNetwork = (EvmNetwork & { readonly separator: `0x${string}` }) | SolanaNetwork
