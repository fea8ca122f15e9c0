import { readFileSync } from "node:fs"
import { parseAbi, type Address, type Hex } from "viem"

/** The functions and events of Circle's FiatTokenV2_2 that payments and tests need. */
export const usdcAbi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function version() view returns (string)",
  "function decimals() view returns (uint8)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  "function mint(address to, uint256 amount) returns (bool)",
  "function configureMinter(address minter, uint256 minterAllowedAmount) returns (bool)",
  "function initialize(string tokenName, string tokenSymbol, string tokenCurrency, uint8 tokenDecimals, address newMasterMinter, address newPauser, address newBlacklister, address newOwner)",
  "function initializeV2(string newName)",
  "function initializeV2_1(address lostAndFound)",
  "function initializeV2_2(address[] accountsToBlacklist, string newSymbol)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)"
])

/** USDC on a public network: its address, and its name in the EIP-712 domain. */
export interface UsdcDeployment {
  readonly address: Address
  readonly name: string
}

/** USDC deployments that can be imitated, by chain id. */
export const usdcDeployments: Readonly<Record<number, UsdcDeployment>> = {
  84532: { address: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", name: "USDC" },
  8453: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", name: "USD Coin" }
}

/** Address of the signature library that the token links; any free address works. */
export const signatureCheckerAddress: Address = "0x00000000000000000000000000000000000C0dE1"

interface Artifact {
  readonly deployedBytecode: Hex
  readonly deployedLinkReferences: Readonly<
    Record<
      string,
      Readonly<Record<string, ReadonlyArray<{ readonly start: number; readonly length: number }>>>
    >
  >
}

/** The package's `contracts/` folder: two levels up, both in `src` and in `dist`. */
const artifact = (name: string): Artifact =>
  JSON.parse(readFileSync(new URL(`../../contracts/${name}.json`, import.meta.url), "utf8"))

/** Compiled code ready to deploy: the linked token, and the library. */
export const usdcBytecode = (): { readonly token: Hex; readonly signatureChecker: Hex } => {
  const token = artifact("FiatTokenV2_2")
  return {
    token: link(token, signatureCheckerAddress),
    signatureChecker: artifact("SignatureChecker").deployedBytecode
  }
}

/** Inserts the library's address wherever the compiler left a placeholder. */
const link = (contract: Artifact, library: Address): Hex => {
  let code = contract.deployedBytecode.slice(2)
  const places = Object.values(contract.deployedLinkReferences).flatMap((file) => Object.values(file).flat())
  for (const { start, length } of places) {
    code = code.slice(0, start * 2) + library.slice(2).toLowerCase() + code.slice((start + length) * 2)
  }
  return `0x${code}`
}
