export { startChain, type Chain, type ChainClient, type ChainOptions } from "./Chain.ts"
export { usdcAbi } from "./Usdc.ts"
