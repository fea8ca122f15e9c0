import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import type { PaidEvmNetwork, PaidNetwork } from "../../src/till/settings/Networks.ts"
import { tokenCheck, tokenFault } from "../../src/till/TokenCheck.ts"
import { Chain, type TokenFacts } from "../../src/toll/evidence/Chain.ts"
import { domainSeparator } from "../../src/toll/exact/Evm.ts"
import { FeePayers } from "../../src/toll/exact/FeePayers.ts"
import { payTo } from "./wrongOptions.ts"

const asset = "0x00000000000000000000000000000000d011a500"
const token = {
  ...findNetwork("base")!,
  asset,
  eip712: { name: "Test Dollar", version: "1" }
} as const
const network: PaidEvmNetwork = {
  ...token,
  payTo,
  rpcUrl: "https://rpc.example",
  separator: domainSeparator(token),
  hasOwnToken: true
}
const separatorOf = (name: string, version: string) =>
  domainSeparator({ ...token, eip712: { name, version } })

const right: TokenFacts = {
  decimals: 6,
  separator: network.separator,
  name: "Test Dollar",
  version: "1",
  hasAuthorizations: true,
  pairsEvents: true
}

const faultOf = (change: Partial<TokenFacts>): string | undefined =>
  tokenFault(network, { ...right, ...change })

describe("a token that the host named", () => {
  it("is accepted as it describes itself, also before its first payment", () => {
    expect(faultOf({})).toBeUndefined()
    expect(faultOf({ pairsEvents: undefined, name: undefined, version: undefined })).toBeUndefined()
  })

  it.each<readonly [string, Partial<TokenFacts>, string]>([
    ["18 decimals", { decimals: 18 }, "has 18 decimals. Only tokens with 6 can be used"],
    ["no decimals", { decimals: undefined }, "is no token on this chain. Check its address and rpcUrl"],
    [
      "no authorizations",
      { hasAuthorizations: false },
      "doesn't support EIP-3009 (authorizationState). Only tokens that do can be used"
    ],
    [
      "its events in another order",
      { pairsEvents: false },
      "doesn't emit AuthorizationUsed directly before Transfer, as Circle's tokens do: payments couldn't be proven. It can't be used"
    ],
    [
      "no domain",
      { separator: undefined },
      "doesn't report its EIP-712 domain (DOMAIN_SEPARATOR), which the till checks. It can't be used"
    ],
    [
      "a domain of the name that it reports",
      { separator: separatorOf("Other Dollar", "1"), name: "Other Dollar" },
      `has another EIP-712 domain: name "Other Dollar" and version "1", and the settings have name "Test Dollar" and version "1". Write token: { address: "${asset}", name: "Other Dollar", version: "1" }`
    ],
    [
      "a domain of a version that it doesn't report",
      { separator: separatorOf("Test Dollar", "2"), version: undefined },
      `has another EIP-712 domain: name "Test Dollar" and version "2", and the settings have name "Test Dollar" and version "1". Write token: { address: "${asset}", name: "Test Dollar", version: "2" }`
    ],
    [
      "a domain of another chain",
      { separator: domainSeparator({ ...token, chainId: 84532 }) },
      `has another EIP-712 domain than the token's name "Test Dollar" and version "1" on chain 8453: its separator is ${domainSeparator({ ...token, chainId: 84532 })}, and theirs is ${network.separator}. It can't be used with them`
    ]
  ])("is refused with %s", (_, change, problem) => {
    expect(faultOf(change)).toBe(`token of base: the contract ${asset} ${problem}`)
  })
})

describe("the check at startup", () => {
  const unread = () => Effect.undefined
  const chain = (read: Chain["Service"]["token"]): Chain["Service"] => ({
    canRead: () => true,
    evidence: () => Effect.succeed({ _tag: "Unavailable" }),
    usedNonces: unread,
    balanceOf: unread,
    acceptsSignature: unread,
    transfersTo: unread,
    ...(read === undefined ? {} : { token: read })
  })
  /** Checks at once, however long it waits: the message of its failure, or `undefined`. */
  const run = (read: Chain["Service"]["token"], networks: ReadonlyArray<PaidNetwork> = [network]) =>
    Effect.gen(function* () {
      const checking = yield* Layer.build(tokenCheck(networks)).pipe(
        Effect.scoped,
        Effect.provideService(Chain, chain(read)),
        Effect.as(undefined),
        Effect.catch(({ message }) => Effect.succeed(message)),
        Effect.forkChild
      )
      yield* TestClock.adjust("5 seconds")
      return yield* Fiber.join(checking)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

  /** Responds with each in turn. */
  const inTurn = (...facts: ReadonlyArray<TokenFacts | undefined>) => {
    let reads = 0
    return { read: () => Effect.sync(() => facts[reads++]), reads: () => reads }
  }

  it("reads a named token, and up to three times if the node fails", async () => {
    const works = inTurn(right)
    expect([await run(works.read), works.reads()]).toEqual([undefined, 1])
    const late = inTurn(undefined, undefined, right)
    expect([await run(late.read), late.reads()]).toEqual([undefined, 3])
    const never = inTurn(undefined, undefined, undefined, right)
    expect([await run(never.read), never.reads()]).toEqual([
      "token of base: it could not be read from the chain, which the till does before it sells for it. Check rpcUrl, or start again when the node responds",
      3
    ])
  })

  it("fails where the host's Chain can't read tokens", async () => {
    expect(await run(undefined)).toContain("token of base: it could not be read from the chain")
  })

  it("names the fault of each token, and reads no token that the host didn't name", async () => {
    const wrong = inTurn({ ...right, decimals: 18 }, { ...right, decimals: 2 })
    const second = { ...network, ...findNetwork("polygon")!, asset } as const
    expect((await run(wrong.read, [network, second]))?.split("\n")).toEqual([
      expect.stringContaining("token of base: "),
      expect.stringContaining("token of polygon: ")
    ])
    const usdc = inTurn(right)
    const devnet = {
      ...findNetwork("solana-devnet")!,
      payTo: "",
      rpcUrl: undefined,
      tokenAccount: "",
      feePayers: new FeePayers()
    }
    expect(await run(usdc.read, [{ ...network, hasOwnToken: false }, devnet])).toBeUndefined()
    expect(usdc.reads()).toBe(0)
  })
})
