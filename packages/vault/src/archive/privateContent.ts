import { isWalletKey } from "./privateName.ts"

/*
 * What is in a file that is not meant for buyers, whatever its name is.
 */

const sqliteHeader = Buffer.from("SQLite format 3\0", "latin1")
/** How SQLite's file of newer pages begins, in both orders of bytes. */
const walHeaders = [0x37_7f_06_82, 0x37_7f_06_83]
/** What SQLite keeps of the first table of a till, with quotes where a migration has renamed it, and of its journals. */
const ofTill = ["till_charges", '"till_charges', "till_settlements", "till_solana_transfers"].map((table) =>
  Buffer.from(`CREATE TABLE ${table}`)
)
const keptBytes = 40

const isDatabase = (bytes: Buffer): boolean =>
  bytes.subarray(0, sqliteHeader.length).equals(sqliteHeader) ||
  (bytes.length >= 4 && walHeaders.includes(bytes.readUInt32BE()))

/** Looks for the tables of a till in a file, chunk by chunk. */
export class TillTables {
  private last = Buffer.alloc(0)
  private isDatabase: boolean | undefined
  found = false

  read(chunk: Buffer): void {
    if (this.isDatabase === false || this.found) return
    const joined = Buffer.concat([this.last, chunk])
    if (this.isDatabase === undefined && joined.length >= sqliteHeader.length)
      this.isDatabase = isDatabase(joined)
    this.found = this.isDatabase === true && ofTill.some((text) => joined.includes(text))
    this.last = this.isDatabase === undefined ? joined : joined.subarray(-keptBytes)
  }
}

/** A file that is a private key, as `ssh-keygen` and OpenSSL write it; or settings of a VPN with one. */
const privateKey = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----\s+(?:[\w-]+: [^\n]*\n\s*)*[A-Za-z0-9+/=]{40}/
/** A wallet's key, or its words, in JSON. */
const walletInJson =
  /"(?:private|secret)_?key"\s*:\s*"(?:0x)?[0-9a-f]{64}"|"(?:mnemonic|(?:seed|recovery)_?phrase)"\s*:\s*"(?:[a-z]+ ){11,23}[a-z]+"/i
/** The key of an account in JSON, as Google and Coinbase hand it out by many names. */
const accountKey =
  /"private_?key"\s*:\s*"(?:-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\r)?\\n[A-Za-z0-9+/=]{40}|[A-Za-z0-9+/]{86}==")/i
/** Folders whose keys are made for tests. */
const ofTests = /(?:^|\/)(?:__)?(?:tests?|testdata|fixtures?|specs?|mocks?)(?:__)?\//
/** Those of Anvil and Hardhat, which are public. */
const publicWallet = /(?:test ){11}junk|ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80/i

/** Settings of tools for models, with the servers that they call; and those of Yarn, with its registries. */
const toolSettings =
  /(?:^|\/)\.yarnrc\.yml$|(?:^|\/)(?:\.?mcp|mcp_config|claude_desktop_config|\.(?:claude|cursor|gemini|vscode)\/(?:settings|mcp)|\.codex\/auth|\.claude\/\.credentials)\.json$/
/** What services hand out, and their longest variants. */
const token =
  /\b(?:sk-[\w-]{20}|[srp]k_(?:live|test)_\w{16}|gh[opsur]_\w{30}|github_pat_\w{30}|glpat-[\w-]{20}|xox[abps]-[\w-]{20}|npm_\w{30}|hf_\w{30}|AKIA[A-Z0-9]{16}|AIza[\w-]{30}|eyJ[\w-]{20}\.[\w-]{20})/
/** A long value of a member that is called a key, as no placeholder is: it has a digit and a letter, and no brackets. */
const named =
  /"[^"]*(?:key|token|secret|password|authorization)"\s*:\s*"(?:Bearer )?(?=[^"]*\d)(?=[^"]*[a-z])[\w+/=.:~-]{20,}"/i
const placeholder = /example|placeholder|your|x{6}|\.\.\.|0{8}|123456/i

const hasToken = (text: string): boolean =>
  [token, named].some((pattern) =>
    Array.from(text.matchAll(new RegExp(pattern, `g${pattern.flags}`))).some(
      ([match]) => !placeholder.test(match)
    )
  )

/** What a small file of this name holds that is private; `undefined`: nothing. */
export const privateContent = (path: string, bytes: Buffer): string | undefined => {
  if (isWalletKey(bytes)) return "is the key of a wallet"
  const text = bytes.toString("latin1")
  const name = path.toLowerCase()
  if (name.endsWith(".json") && walletInJson.test(text) && !publicWallet.test(text))
    return "has the key of a wallet"
  if (name.endsWith(".json") && accountKey.test(text) && !ofTests.test(name)) return "has a private key"
  if ((/^\s*-----BEGIN /.test(text) || name.endsWith(".ovpn")) && privateKey.test(text))
    return "has a private key"
  return toolSettings.test(name) && hasToken(text) ? "has a key or a token in it" : undefined
}
