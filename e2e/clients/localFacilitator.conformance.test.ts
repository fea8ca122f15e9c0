import { facilitatorHandler } from "@till402/providers/facilitator"
import { type Chain, startChain, usdcAbi } from "@till402/sandbox"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { paymentOf, messageOf, signedPayment, startRelay, termsOf } from "./relayers.ts"

/*
 * The checks of the public conformance suite for facilitators (github.com/moped2110/x402-conformance, group FA), by
 * their ids, over HTTP on the local chain. That suite is in Python; these are its checks, not its code.
 *
 * One check is answered differently on purpose. FA-SET-003 wants a second settlement of a payment refused; this
 * facilitator repeats the first result to the till that it belongs to, because that till may have lost the response,
 * and refuses it to every other. What the check protects holds: the money moves once.
 */

let chain: Chain
let handle: (request: Request) => Promise<Response>
beforeAll(async () => {
  chain = await startChain()
  const { facilitator } = await startRelay(chain)
  handle = facilitatorHandler(facilitator, {
    authorize: (request) => request.headers.get("authorization") ?? undefined
  })
})
afterAll(() => chain.stop())

const send = async (operation: string, body?: unknown, till = "shop") => {
  const response = await handle(
    new Request(`https://facilitator.example/${operation}`, {
      headers: { authorization: till, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
  )
  return { status: response.status, type: response.headers.get("content-type"), body: await response.json() }
}

const wire = (payload: unknown, requirements: unknown) => ({
  x402Version: 2,
  paymentPayload: payload,
  paymentRequirements: requirements
})

/** A payment that is validly signed for one unit of the token, and requirements that want more. */
const cheapPayment = async () => {
  const { payload, requirements } = await signedPayment(chain, { value: 1n })
  return wire(payload, { ...requirements, amount: "10000" })
}

/** A payment in an "asset" without code: a transfer there does nothing and does not revert. */
const paymentWithoutToken = async () => {
  const usdc = privateKeyToAccount(generatePrivateKey()).address
  const payer = privateKeyToAccount(generatePrivateKey())
  const terms = termsOf(payer.address)
  const elsewhere = { ...chain, usdc }
  const signature = await payer.signTypedData(messageOf(elsewhere, terms))
  const { payload, requirements } = paymentOf(elsewhere, terms, signature)
  return wire(payload, requirements)
}

/** What the suite requires of each response of `/verify`. */
const expectRefusal = (body: { readonly isValid: unknown; readonly invalidReason: unknown }) => {
  expect(body.isValid).toBe(false)
  expect(body.invalidReason).toMatch(/^[a-z0-9_]+$/)
}

describe("the conformance checks of facilitators", () => {
  it("FA-SUP-001, FA-SUP-002: /supported lists kinds, extensions and signers, and its kinds are well-formed", async () => {
    const { body, status, type } = await send("supported")
    expect([status, type]).toEqual([200, "application/json"])
    expect(body).toEqual({
      kinds: expect.any(Array),
      extensions: expect.any(Array),
      signers: expect.any(Object)
    })
    expect(body.kinds.length).toBeGreaterThan(0)
    for (const { network, scheme, x402Version } of body.kinds) {
      expect(scheme).toBe("exact")
      expect(network).toMatch(x402Version === 2 ? /^[a-z0-9-]{3,8}:[-_a-zA-Z0-9]{1,32}$/ : /^[a-z-]+$/)
      expect([1, 2]).toContain(x402Version)
    }
  })

  it("FA-VER-002, FA-ERR-001: /verify refuses a smaller amount, with a reason of the protocol's list", async () => {
    const { body, status } = await send("verify", await cheapPayment())
    expect(status).toBe(200)
    expectRefusal(body)
    expect(body.invalidReason).toBe("invalid_exact_evm_payload_authorization_value_mismatch")
  })

  it("FA-VER-003, FA-VER-004: /verify refuses an asset that is no contract, without a server error", async () => {
    const { body, status } = await send("verify", await paymentWithoutToken())
    expect(status).toBe(200)
    expectRefusal(body)
  })

  it("FA-SET-001: /settle of a valid payment succeeds, and its transaction pays exactly this amount", async () => {
    const { payload, requirements, terms } = await signedPayment(chain)
    const { body } = await send("settle", wire(payload, requirements))
    expect(body).toMatchObject({ success: true, network: requirements.network, payer: terms.from })
    const [transfer, ...others] = await chain.client.getContractEvents({
      address: chain.usdc,
      abi: usdcAbi,
      eventName: "Transfer",
      blockHash: (await chain.client.getTransactionReceipt({ hash: body.transaction })).blockHash
    })
    expect(others).toEqual([])
    expect(transfer?.args).toEqual({ from: terms.from, to: terms.to, value: terms.value })
  })

  it("FA-SET-002: /settle of a smaller amount, or of an asset that is no contract, fails and names no transaction", async () => {
    for (const invalid of [await cheapPayment(), await paymentWithoutToken()]) {
      const { body, status } = await send("settle", invalid)
      expect(status).toBe(200)
      expect(body).toMatchObject({ success: false, transaction: "", errorReason: expect.any(String) })
    }
  })

  it("FA-SET-003: a payment settles once, however often and by whomever it is presented again", async () => {
    const { payload, requirements, terms } = await signedPayment(chain)
    const first = await send("settle", wire(payload, requirements))
    const again = await send("settle", wire(payload, requirements))
    const byAnother = await send("settle", wire(payload, requirements), "another shop")
    expect(first.body.success).toBe(true)
    expect(again.body).toEqual(first.body)
    expect(byAnother.body.success).toBe(false)
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expectRefusal((await send("verify", wire(payload, requirements))).body)
  })
})
