import {
  decodeAbiParameters,
  decodeFunctionData,
  deploylessCallViaBytecodeBytecode,
  encodeFunctionResult,
  erc6492SignatureValidatorByteCode,
  type Hex,
  parseAbi,
  parseAbiParameters
} from "viem"
import { multicallAddress, nonceKey } from "./Calls.ts"
import type { FiatToken } from "./FiatToken.ts"

const abi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) view returns ((bool success, bytes returnData)[] returnData)"
])

const deployed = parseAbiParameters("bytes code, bytes data")
const validated = parseAbiParameters("address signer, bytes32 hash, bytes signature")

type AcceptsSignature = (address: string, hash: string, signature: string) => boolean

/** Executes read-only contract calls of the simulated chain: token, contract wallets, Multicall3. */
export class ContractReader {
  private readonly token: FiatToken
  private readonly asset: string
  private readonly acceptsSignature: AcceptsSignature

  constructor(token: FiatToken, asset: string, acceptsSignature: AcceptsSignature) {
    this.token = token
    this.asset = asset
    this.acceptsSignature = acceptsSignature
  }

  /** Executes a read-only call at a block. */
  read(to: string | undefined, data: Hex, block: number): Hex {
    if (to === undefined) return this.readDeployed(data, block)
    const decoded = decodedOf(data)
    if (decoded === undefined) return "0x"
    const { token } = this
    switch (decoded.functionName) {
      case "authorizationState": {
        if (to !== this.asset) return "0x"
        const [from, nonce] = decoded.args
        const isUsed = token.useOf(nonceKey({ from, nonce }), block) !== undefined
        return encodeFunctionResult({ abi, functionName: "authorizationState", result: isUsed })
      }
      case "balanceOf":
        if (to !== this.asset) return "0x"
        return encodeFunctionResult({
          abi,
          functionName: "balanceOf",
          result: token.balanceOf(decoded.args[0], block)
        })
      case "isValidSignature": {
        const [hash, signature] = decoded.args
        const result = this.acceptsSignature(to, hash, signature) ? "0x1626ba7e" : "0xffffffff"
        return encodeFunctionResult({ abi, functionName: "isValidSignature", result })
      }
      case "aggregate3": {
        if (to !== multicallAddress) return "0x"
        const result = decoded.args[0].map(({ callData, target }) => ({
          success: true,
          returnData: this.read(target.toLowerCase(), callData, block)
        }))
        return encodeFunctionResult({ abi, functionName: "aggregate3", result })
      }
    }
  }

  /** Reads from contracts deployed within the call: the universal validator of EIP-6492, and Multicall3. */
  private readDeployed(data: Hex, block: number): Hex {
    const afterCode = (code: Hex): Hex => `0x${data.slice(code.length)}`
    if (data.startsWith(erc6492SignatureValidatorByteCode)) {
      const [address, hash, signature] = decodeAbiParameters(
        validated,
        afterCode(erc6492SignatureValidatorByteCode)
      )
      return this.acceptsSignature(address, hash, signature) ? "0x01" : "0x00"
    }
    if (!data.startsWith(deploylessCallViaBytecodeBytecode)) return "0x"
    // Only Multicall3 is read this way.
    const [, call] = decodeAbiParameters(deployed, afterCode(deploylessCallViaBytecodeBytecode))
    return this.read(multicallAddress, call, block)
  }
}

const decodedOf = (data: Hex) => {
  try {
    return decodeFunctionData({ abi, data })
  } catch {
    return undefined
  }
}
