import {
  type Sandbox,
  type SandboxOptions,
  type SolanaSandbox,
  startSandbox,
  startSolanaSandbox
} from "./Sandbox.ts"

/** The networks that a command offers. */
export type NetworkChoice = "both" | "base-sepolia" | "solana"

const choices: ReadonlyArray<NetworkChoice> = ["both", "base-sepolia", "solana"]

/** Reads the value of `--network`; `undefined` if there is no such network. */
export const readNetworkChoice = (text: string): NetworkChoice | undefined =>
  choices.find((choice) => choice === text)

export const wrongNetwork = (text: string): string =>
  `--network must be both, base-sepolia or solana: got ${text}`

export type AnySandbox = Sandbox | SolanaSandbox

/** Whether a sandbox has an EVM chain. */
export const isOnEvm = (sandbox: AnySandbox): sandbox is Sandbox => "chain" in sandbox

/** Starts a sandbox on the chosen networks. */
export const startOn = (network: NetworkChoice, options: SandboxOptions): Promise<AnySandbox> =>
  network === "solana"
    ? startSolanaSandbox(options)
    : startSandbox({ ...options, solana: network === "both" })
