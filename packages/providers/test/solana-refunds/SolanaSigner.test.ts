import { generateKeyPairSync } from "node:crypto"
import {
  getBase58Decoder,
  getPublicKeyFromAddress,
  address,
  signatureBytes,
  verifySignature
} from "@solana/kit"
import { ConfigurationError } from "@till402/core"
import { solanaRefunds, solanaSigner, memoryTransferJournal } from "@till402/providers/solana-refunds"
import { expect, it } from "vitest"

const secretBytes = (): Uint8Array => {
  const { privateKey } = generateKeyPairSync("ed25519")
  const { d = "", x = "" } = privateKey.export({ format: "jwk" })
  return Uint8Array.from(Buffer.concat([Buffer.from(d, "base64url"), Buffer.from(x, "base64url")]))
}

it("signs with a key in base58, or as solana-keygen writes it", async () => {
  const bytes = secretBytes()
  const message = new TextEncoder().encode("a message")
  const texts = [getBase58Decoder().decode(bytes), `${JSON.stringify([...bytes])}\n`]
  for (const signer of texts.map(solanaSigner)) {
    expect(signer.address).toBe(getBase58Decoder().decode(bytes.slice(32)))
    const key = await getPublicKeyFromAddress(address(signer.address))
    expect(await verifySignature(key, signatureBytes(await signer.sign(message)), message)).toBe(true)
  }
})

it("refuses any other text, and doesn't quote it", () => {
  const half = getBase58Decoder().decode(secretBytes().slice(0, 32))
  for (const text of ["", "0x12", half, "[1,2,3]", `[${"256,".repeat(63)}256]`, "[", "{}"]) {
    let thrown: unknown
    try {
      solanaSigner(text)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ConfigurationError)
    if (text.length > 4) expect(String(thrown)).not.toContain(text)
  }
})

it("does not sign with halves of two keys", async () => {
  const mixed = Uint8Array.from([...secretBytes().slice(0, 32), ...secretBytes().slice(32)])
  await expect(solanaSigner(getBase58Decoder().decode(mixed)).sign(new Uint8Array(1))).rejects.toThrow()
})

it("is part of options that are checked before the first refund", () => {
  const good = {
    signer: solanaSigner(getBase58Decoder().decode(secretBytes())),
    rpcUrl: "https://solana.example",
    journal: memoryTransferJournal()
  }
  const refunds = solanaRefunds(good)
  expect(refunds).toMatchObject({
    network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    address: good.signer.address
  })
  const wrong = (change: object) => () => solanaRefunds({ ...good, ...change })
  expect(wrong({ rpcUrl: "http://solana.example" })).toThrow(/rpcUrl/)
  expect(wrong({ network: "base" })).toThrow(/network/)
  expect(wrong({ signer: { address: "0x12", sign: good.signer.sign } })).toThrow(/signer/)
  expect(wrong({ signer: { address: good.signer.address } })).toThrow(/sign/)
  expect(wrong({ journal: {} })).toThrow(/journal/)
  expect(wrong({ computeUnitPriceMicroLamports: 5_000_001 })).toThrow(/computeUnitPrice/)
  expect(wrong({ pollMillis: 0 })).toThrow(/pollMillis/)
})
