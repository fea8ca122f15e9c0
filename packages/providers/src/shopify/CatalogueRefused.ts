import { Data } from "effect"

/**
 * The catalogue refused a call. `code` is safe in logs: the catalogue's own code (`profile_unreachable`), or
 * the number of the JSON-RPC error (`RPC_32602`).
 */
export class CatalogueRefused extends Data.TaggedError("CatalogueRefused")<{
  readonly upstream: string
  readonly code: string
}> {
  override get message(): string {
    const advice = adviceFor(this.code)
    return `${this.upstream} refused the call: ${this.code}${advice === undefined ? "" : ` (${advice})`}`
  }
}

const profileCodes = new Set([
  "invalid_profile_url",
  "profile_unreachable",
  "profile_malformed",
  "version_unsupported",
  "capabilities_incompatible"
])

const adviceFor = (code: string): string | undefined => {
  if (profileCodes.has(code)) return "check that the agent profile is served at profileUrl"
  // The error for a profile that doesn't declare the capability behind the tool.
  if (code === "RPC_32602") return "the agent profile may lack the capability, or an argument is not accepted"
  return undefined
}

/** Whether a code is temporary. Which codes the catalogue uses is not documented. */
export const isTemporaryCode = (code: string): boolean =>
  /rate_?limit|throttl|too_many|unavailable|overload|timeout|try_again/i.test(code)
