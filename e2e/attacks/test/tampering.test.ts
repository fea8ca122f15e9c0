import { usdcAbi } from "@till402/sandbox/chain"
import type { Address } from "viem"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { calls, payTo, usdc } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { workDone } from "../src/Goods.ts"
import { aheadSeconds, localChainOfFile } from "../src/LocalChain.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import { nowSeconds, payer, type Payment, type Signing, stranger } from "../src/Payments.ts"
import { introduce, type Standing, standings } from "../src/Standing.ts"
import { visit } from "../src/Visitor.ts"

const local = localChainOfFile()

/** Signs a payment as given and presents it to a naive server; returns the response and what the host received. */
const tryOnNaive = async (signing: Signing, workMillis = 0) => {
  const { client } = local().facilitator
  const settlements: Array<Promise<unknown>> = []
  const server = openOptimistic({
    ...client,
    settle: (payment, requirements) => {
      const settling = client.settle(payment, requirements)
      settlements.push(settling)
      return settling
    }
  })
  server.goods.tracker.track.delays(workMillis)
  const visitor = visit(server)
  const before = await local().received()
  const payment = await visitor.payFor(calls.track, signing)
  const { status } = await visitor.present(calls.track, payment)
  // The settlement may still be in flight after the response.
  expect(settlements).toHaveLength(1)
  await Promise.allSettled(settlements)
  return { status, received: (await local().received()) - before }
}

interface Tampered {
  readonly signing?: Signing
  /** Changes a payment after it was signed. */
  readonly afterwards?: (payment: Payment) => Payment
}

/** Presents payments that were tampered with: no work is done, and no money moves. */
const expectAllRefused = async (code: string, all: ReadonlyArray<Tampered>): Promise<void> => {
  for (const standing of standings) await expectRefusedFor(standing, code, all)
}

const expectRefusedFor = async (
  standing: Standing,
  code: string,
  all: ReadonlyArray<Tampered>
): Promise<void> => {
  const codesOf = ({ afterwards }: Tampered) =>
    afterwards === undefined ? [code] : [code, "invalid_exact_evm_payload_signature"]
  const server = await openOurs(local().facilitator.client, {
    networks: [{ network: "base-sepolia", rpcUrl: local().chain.rpcUrl }],
    trustFacilitator: false
  })
  const visitor = visit(server)
  await introduce(visitor, standing)
  const before = await local().received()
  for (const tampered of all)
    for (const call of [calls.track, calls.buy]) {
      const signed = await visitor.payFor(call, tampered.signing)
      const payment = tampered.afterwards?.(signed) ?? signed
      expectRefused(await visitor.present(call, payment), ...codesOf(tampered))
    }
  expect(workDone(server.goods)).toBe(0)
  expect(await local().received()).toBe(before)
  const charges = await server.till.charges.list()
  expect(charges.filter(({ state }) => state !== "voided")).toHaveLength(standing === "known" ? 1 : 0)
}

const withAuthorization = (changes: Partial<Payment["payload"]["authorization"]>) => (payment: Payment) => ({
  ...payment,
  payload: { ...payment.payload, authorization: { ...payment.payload.authorization, ...changes } }
})
const withAccepted = (changes: Partial<Payment["accepted"]>) => (payment: Payment) => ({
  ...payment,
  accepted: { ...payment.accepted, ...changes }
})

attack("amount tampered with", {
  on: optimistic,
  lands: async () => {
    const cheap = await tryOnNaive({ accepted: { amount: "1" } })
    expect(cheap).toEqual({ status: 200, received: 1n })
  },
  fails: () =>
    expectAllRefused("invalid_exact_evm_payload_authorization_value_mismatch", [
      ...["0", "1", "519999", "520001", (2n ** 256n - 1n).toString()].map((amount) => ({
        signing: { accepted: { amount } }
      })),
      { signing: { authorization: { value: "1" } } },
      { afterwards: withAccepted({ amount: "1" }) },
      { signing: { accepted: { amount: "1" } }, afterwards: withAccepted({ amount: "520000" }) },
      // Signed for a small amount, and changed to the right amount afterwards.
      { signing: { authorization: { value: "1" } }, afterwards: withAuthorization({ value: "520000" }) }
    ])
})

const makeWorthlessToken = async (): Promise<Address> => {
  const { client } = local().chain
  const address: Address = "0x00000000000000000000000000000000badc0de1"
  const code = await client.getCode({ address: usdc })
  await client.setCode({ address, bytecode: code! })
  const owner = client.account.address
  const token = { address, abi: usdcAbi } as const
  await client.writeContract({
    ...token,
    functionName: "initialize",
    args: ["USDC", "USDC", "USD", 6, owner, owner, owner, owner]
  })
  await client.writeContract({ ...token, functionName: "initializeV2", args: ["USDC"] })
  await client.writeContract({ ...token, functionName: "configureMinter", args: [owner, 10n ** 12n] })
  await client.writeContract({ ...token, functionName: "mint", args: [payer.address, 10n ** 12n] })
  return address
}

let worthless: Promise<Address> | undefined
/** A second deployment of the token's contract, which anybody can mint. */
const worthlessToken = (): Promise<Address> => (worthless ??= makeWorthlessToken())

attack("asset tampered with", {
  on: optimistic,
  lands: async () => {
    const asset = await worthlessToken()
    expect(await tryOnNaive({ accepted: { asset } })).toEqual({ status: 200, received: 0n })
    const balance = await local().chain.client.readContract({
      address: asset,
      abi: usdcAbi,
      functionName: "balanceOf",
      args: [payTo]
    })
    expect(balance).toBe(520_000n)
  },
  fails: async () => {
    const asset = await worthlessToken()
    await expectAllRefused("unsupported_scheme_or_network", [
      { signing: { accepted: { asset } } },
      { afterwards: withAccepted({ asset }) },
      { signing: { accepted: { asset } }, afterwards: withAccepted({ asset: usdc }) },
      {
        signing: { accepted: { extra: { name: "USD Coin", version: "1" } } },
        afterwards: withAccepted({ asset })
      }
    ])
  }
})

attack("network tampered with", {
  on: optimistic,
  lands: async () => {
    // On another chain, where the payer's money is worthless or missing.
    expect(await tryOnNaive({ accepted: { network: "eip155:1337" } })).toEqual({ status: 200, received: 0n })
  },
  fails: async () => {
    await expectAllRefused("invalid_network", [
      ...["eip155:1337", "eip155:8453", "base", "solana-devnet", "eip155:*", "eip155:084532", ""].map(
        (network) => ({
          afterwards: withAccepted({ network })
        })
      ),
      { signing: { accepted: { network: "eip155:8453" } } }
    ])
    // Signed for another chain, and changed to this one.
    await expectAllRefused("invalid_exact_evm_payload_signature", [
      {
        signing: { accepted: { network: "eip155:8453" } },
        afterwards: withAccepted({ network: "eip155:84532" })
      }
    ])
  }
})

attack("recipient tampered with", {
  on: optimistic,
  lands: async () => {
    const before = await local().chain.balanceOf(stranger.address)
    expect(await tryOnNaive({ accepted: { payTo: stranger.address } })).toEqual({ status: 200, received: 0n })
    // The attacker paid an account of their own.
    expect((await local().chain.balanceOf(stranger.address)) - before).toBe(520_000n)
  },
  fails: () =>
    expectAllRefused("invalid_exact_evm_payload_recipient_mismatch", [
      { signing: { accepted: { payTo: stranger.address } } },
      { signing: { authorization: { to: stranger.address } } },
      { afterwards: withAccepted({ payTo: stranger.address }) },
      { signing: { accepted: { payTo: stranger.address } }, afterwards: withAccepted({ payTo }) },
      { signing: { authorization: { to: stranger.address } }, afterwards: withAuthorization({ to: payTo }) }
    ])
})

attack("validity tampered with", {
  on: optimistic,
  lands: async () => {
    const later = String(nowSeconds() + 3_600)
    const notYet = { validAfter: later, validBefore: String(nowSeconds() + 7_200) }
    expect(await tryOnNaive({ authorization: notYet })).toEqual({ status: 200, received: 0n })
  },
  fails: async () => {
    const at = (seconds: number): string => String(nowSeconds() + seconds)
    await expectAllRefused("invalid_exact_evm_payload_authorization_valid_after", [
      { signing: { authorization: { validAfter: at(3_600), validBefore: at(7_200) } } }
    ])
    await expectAllRefused("invalid_exact_evm_payload_authorization_valid_before", [
      // Expired, expiring before the work ends, and valid long enough to be forgotten.
      ...["0", at(-10), at(0), at(3), at(20), at(3_600), (2n ** 256n - 1n).toString()].map((validBefore) => ({
        signing: { authorization: { validBefore } }
      })),
      {
        signing: { authorization: { validBefore: at(-10) } },
        afterwards: withAuthorization({ validBefore: at(110) })
      }
    ])
  }
})

attack("an authorization that expires during the work", {
  on: optimistic,
  lands: async () => {
    const soon = { validBefore: String(nowSeconds() + aheadSeconds + 1) }
    expect(await tryOnNaive({ authorization: soon }, 1_100)).toEqual({ status: 200, received: 0n })
  },
  fails: async () => {
    for (const standing of standings) {
      const server = await openOurs(local().facilitator.client, {
        networks: [{ network: "base-sepolia", rpcUrl: local().chain.rpcUrl }]
      })
      const visitor = visit(server)
      await introduce(visitor, standing)
      const before = await local().received()
      const payment = await visitor.payFor(calls.track)
      // The work takes until the authorization has expired; its result is withheld.
      vi.useFakeTimers({ toFake: ["Date"] })
      try {
        server.goods.tracker.track.returnsOnce(async (query) => {
          vi.setSystemTime(Date.now() + 121_000)
          return server.goods.tracker.track(query, { signal: new AbortController().signal })
        })
        const response = await visitor.present(calls.track, payment)
        expectRefused(response, "payment_expired", "invalid_exact_evm_payload_authorization_valid_before")
        expect(await local().received()).toBe(before)
      } finally {
        vi.useRealTimers()
      }
    }
  }
})
