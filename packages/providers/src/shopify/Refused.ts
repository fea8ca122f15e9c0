import { Data } from "effect"

/**
 * The catalogue understood that it was called and would not do it. `code` is its own word where it gave
 * one (`profile_unreachable`), else the number of the JSON-RPC error (`RPC_32602`): what a log may tell.
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
  if (profileCodes.has(code)) return "see whether the agent profile is served at profileUrl"
  // What an agent is told whose profile doesn't declare the capability behind the tool.
  if (code === "RPC_32602") return "the agent profile may lack the capability, or an argument is not taken"
  return undefined
}

/** Words for "not now"; which ones the catalogue uses inside an answer is not documented. */
export const saysNotNow = (code: string): boolean =>
  /rate_?limit|throttl|too_many|unavailable|overload|timeout|try_again/i.test(code)
