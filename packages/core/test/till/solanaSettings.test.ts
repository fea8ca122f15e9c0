import { describe, expect, it } from "vitest"
import { ConfigurationError } from "../../src/domain/Errors.ts"
import { configured } from "./configured.ts"
import type { TillSettings } from "../../src/till/settings/TillSettings.ts"
import { devnet, solanaPayTo, systemProgram, tokenAccountOf } from "../toll/solana.ts"
import { payTo, secret } from "./wrongOptions.ts"

const settings = { baseUrl: "https://shop.example", payTo, secret, networks: [] }
const networksOf = (change: Partial<TillSettings>) => configured({ ...settings, ...change }).networks
const faultOf = (change: Partial<TillSettings>): string => {
  try {
    networksOf(change)
    return "none"
  } catch (error) {
    return error instanceof ConfigurationError ? error.message : String(error)
  }
}

describe("the networks of a till", () => {
  it("have an address of their own on each rail", () => {
    const [base, solana] = networksOf({
      networks: ["base", { network: "solana-devnet", payTo: solanaPayTo, rpcUrl: "https://rpc.example" }]
    })
    expect(base).toMatchObject({ family: "evm", payTo })
    expect(solana).toMatchObject({
      family: "solana",
      caip2: devnet.caip2,
      payTo: solanaPayTo,
      tokenAccount: tokenAccountOf(solanaPayTo),
      rpcUrl: "https://rpc.example"
    })
  })

  it("on Solana alone may share the till's payTo", () => {
    const networks = networksOf({ payTo: solanaPayTo, networks: ["solana", { network: "solana-devnet" }] })
    expect(networks.map((network) => network.payTo)).toEqual([solanaPayTo, solanaPayTo])
    expect(networks[0]).toMatchObject({ v1Name: "solana" })
  })

  const onSolana = (options: object): Partial<TillSettings> => ({
    networks: ["base", { network: "solana", payTo: solanaPayTo, ...options }]
  })
  it.each<readonly [string, Partial<TillSettings>, RegExp]>([
    [
      "no address",
      { networks: ["base", "solana"] },
      /payTo of solana must be given: it is a Solana wallet's address/
    ],
    ["an EVM address", onSolana({ payTo }), /payTo of solana must be a Solana wallet's address/],
    ["a text", onSolana({ payTo: "nobody" }), /payTo of solana must be a Solana wallet's address/],
    ["the mint", onSolana({ payTo: devnet.asset }), /payTo of solana must be .*address of a dollar token/],
    [
      "the system program",
      onSolana({ payTo: systemProgram }),
      /system program, and money sent there is lost/
    ],
    ["confirmations", onSolana({ confirmations: 3 }), /confirmations.* isn't an option on Solana/],
    [
      "a token",
      onSolana({ rpcUrl: "https://rpc.example", token: { address: payTo, name: "Dollar", version: "1" } }),
      /token of solana isn't an option on Solana, where only USDC can be paid with: leave it out/
    ],
    ["finalitySeconds", onSolana({ finalitySeconds: 3 }), /finalitySeconds.* isn't an option on Solana/],
    [
      "a Solana address for EVM",
      { payTo: solanaPayTo, networks: ["base", "solana"] },
      /payTo must be an EVM address/
    ],
    ["an EVM address for Solana alone", { networks: ["solana"] }, /payTo of solana must be given/],
    ["no payTo at all", { payTo: "", networks: ["solana"] }, /payTo of solana must be a Solana wallet/]
  ])("are refused with %s", (_, change, fault) => {
    expect(faultOf(change)).toMatch(fault)
  })

  it("never show a private key that was given for an address", () => {
    const key = "4".repeat(87)
    const fault = faultOf(onSolana({ payTo: key }))
    expect(fault).toMatch(/looks like a private key/)
    expect(fault).not.toContain(key)
  })
})
