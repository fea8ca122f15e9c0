export {
  startSandbox,
  startSolanaSandbox,
  type Sandbox,
  type SandboxOptions,
  type SolanaSandbox,
  type Wallet
} from "./Sandbox.ts"
export type { Service, ServiceOptions } from "./Service.ts"
export type { AdapterName } from "./Server.ts"
export { payingFetch } from "./payingFetch.ts"
export * from "./chain/index.ts"
export * from "./facilitator/index.ts"
export * from "./shop/index.ts"
