export {
  startSolanaChain,
  type SolanaChain,
  type SolanaChainOptions,
  type SolanaNetwork
} from "./SolanaChain.ts"
export type { LocalToken } from "./Tokens.ts"
export {
  startSolanaFacilitator,
  type LocalSolanaFacilitator,
  type SolanaFacilitatorSetup
} from "./SolanaFacilitator.ts"
export { solanaPayingFetch } from "./payingFetch.ts"
export type { SolanaRail, SolanaWallet } from "./SolanaRail.ts"
