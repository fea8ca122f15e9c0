import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { describe, expect, it } from "vitest"
import { Secrets } from "../../../src/runtime/Secrets.ts"
import { challengeMillis, makeSignIn, signInMessage } from "../../../src/toll/signin/SignInChallenge.ts"
import { readProof } from "../../../src/toll/signin/SignInProof.ts"
import { isSignedByWallet } from "../../../src/toll/signin/WalletSignature.ts"

const account = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
const secretsOf = (secret: string) =>
  Effect.runPromise(Effect.provide(Secrets.use(Effect.succeed), Secrets.layer([{ id: "1", secret }])))
const secrets = await secretsOf("a text that nobody can guess, of 32 characters or more")

const uri = "https://shop.example/x402/vault/download/1"
const network = "eip155:84532"
const issuedAtMillis = 1_700_000_000_000
const target = { uri, statement: "Sign in to get it again." }
const info = makeSignIn(secrets, target, { nowMillis: issuedAtMillis, random: "0123456789abcdef" })
const proof = {
  ...info,
  address: account.address,
  chainId: network,
  type: "eip191",
  signature: await account.signMessage({ message: signInMessage(info, network, account.address) })
}
const headerOf = (document: unknown) => Buffer.from(JSON.stringify(document)).toString("base64")

const terms = { secrets, target, networks: [network], nowMillis: issuedAtMillis + 1_000 }
const codeOf = (header: string, overrides: Partial<typeof terms> = {}): string => {
  const reading = readProof(header, { ...terms, ...overrides })
  return reading._tag === "Refused" ? reading.refusal.code : reading._tag
}

describe("a proof of a wallet", () => {
  it("has the message that the wallet has signed", async () => {
    const reading = readProof(headerOf(proof), terms)
    if (reading._tag !== "Proof") throw new Error(reading.refusal.code)
    const chain = { canRead: () => false, acceptsSignature: () => Effect.undefined }
    expect(await Effect.runPromise(isSignedByWallet(chain, reading.proof, network))).toBe(true)
    const other = { ...reading.proof, address: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" }
    expect(await Effect.runPromise(isSignedByWallet(chain, other, network))).toBe(false)
    // Some wallets number the recovery from 0.
    const { signature } = reading.proof
    const low = `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`
    expect(
      await Effect.runPromise(isSignedByWallet(chain, { ...reading.proof, signature: low }, network))
    ).toBe(true)
  })

  it("is valid for five minutes, and for a clock that is half a minute behind", () => {
    const at = (nowMillis: number) => codeOf(headerOf(proof), { nowMillis })
    expect(at(issuedAtMillis - 30_000)).toBe("Proof")
    expect(at(issuedAtMillis - 30_001)).toBe("invalid_siwx_issued_at_in_future")
    expect(at(issuedAtMillis + challengeMillis - 1)).toBe("Proof")
    expect(at(issuedAtMillis + challengeMillis)).toBe("invalid_siwx_issued_at_too_old")
    expect(codeOf(headerOf({ ...proof, issuedAt: "soon" }))).toBe("invalid_siwx_issued_at")
  })

  it("needs a nonce that this till made, for this resource and time", async () => {
    const changed = (nonce: string) => codeOf(headerOf({ ...proof, nonce }))
    expect(changed(info.nonce)).toBe("Proof")
    for (const nonce of ["", "0".repeat(32), info.nonce.toUpperCase(), `${info.nonce.slice(0, -1)}x`])
      expect(changed(nonce), nonce).toBe("invalid_siwx_nonce")
    const elsewhere = await secretsOf("another text that nobody can guess, of 32 characters or more")
    expect(codeOf(headerOf(proof), { secrets: elsewhere })).toBe("invalid_siwx_nonce")
    const later = new Date(issuedAtMillis + 1_000).toISOString()
    expect(codeOf(headerOf({ ...proof, issuedAt: later }))).toBe("invalid_siwx_nonce")
    const other = `${uri}0`
    expect(codeOf(headerOf({ ...proof, uri: other }), { target: { ...target, uri: other } })).toBe(
      "invalid_siwx_nonce"
    )
  })

  it("is for one domain, resource and chain", () => {
    expect(codeOf(headerOf({ ...proof, domain: "shop.example.evil" }))).toBe("invalid_siwx_domain_mismatch")
    expect(codeOf(headerOf({ ...proof, uri: `${uri}2` }))).toBe("invalid_siwx_uri_mismatch")
    expect(codeOf(headerOf({ ...proof, chainId: "eip155:1" }))).toBe("invalid_siwx_unsupported_chain")
  })

  it("is one base64 value of JSON with texts", () => {
    const { signature: _, ...unsigned } = proof
    const malformed = [
      "",
      "%",
      headerOf(proof).slice(0, -7),
      headerOf(unsigned),
      headerOf({ ...proof, nonce: 1 }),
      headerOf([]),
      headerOf({ ...proof, statement: "x".repeat(9_000) })
    ]
    for (const header of malformed) expect(codeOf(header)).toBe("invalid_siwx_payload")
    const notText = Buffer.from([0xff, 0xfe, 0x7b]).toString("base64")
    expect(codeOf(notText)).toBe("invalid_siwx_payload")
  })

  it("is read up to 8 KB", () => {
    const ofBytes = (bytes: number): string => {
      const statement = "x".repeat(bytes - JSON.stringify({ ...proof, statement: "" }).length)
      return headerOf({ ...proof, statement })
    }
    expect(ofBytes(6_144)).toHaveLength(8_192)
    expect(codeOf(ofBytes(6_144))).toBe("Proof")
    expect(codeOf(ofBytes(6_145))).toBe("invalid_siwx_payload")
  })
})
