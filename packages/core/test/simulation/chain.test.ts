import { Effect } from "effect"
import { custom, type Hex } from "viem"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { makeChain } from "../../src/toll/evidence/ChainReader.ts"
import {
  cancellationSignatureOf,
  type ChainCall,
  type ContractCall,
  forgedSignature,
  multicallAddress,
  signatureOf,
  transferCall
} from "./chain/Calls.ts"
import { RpcNode } from "./chain/RpcNode.ts"
import { blockMillis, SimulatedChain } from "./chain/SimulatedChain.ts"
import { hashOf, WalletSignatures } from "./chain/WalletSignatures.ts"
import { SeededRandom } from "./SeededRandom.ts"

const network = { ...findNetwork("base-sepolia")!, confirmations: 2, finalitySeconds: 20 }
const payer = `0x${"a1".repeat(20)}`
const payee = `0x${"e1".repeat(20)}`
const startMillis = 1_795_219_200_000

const setUp = () => {
  const clock = { millis: startMillis }
  const chain = new SimulatedChain(() => clock.millis, new SeededRandom(1))
  chain.token.mint(payer, 100n)
  const signed: Array<Authorization> = []
  const wallets = new WalletSignatures(network, () => signed)
  const node = new RpcNode({
    chain,
    now: () => clock.millis,
    condition: { lagMillis: 0, down: [] },
    asset: network.asset,
    chainId: network.chainId,
    acceptsSignature: (address, hash, signature) => wallets.accepts(address, hash, signature)
  })
  const request = (body: { readonly method: string; readonly params?: unknown }) =>
    Promise.resolve().then(() => node.respond(body))
  const reader = makeChain([network], () => custom({ request }, { retryCount: 0 }))
  return {
    chain,
    node,
    reader,
    signed,
    pass: (blocks: number) => {
      clock.millis += blocks * blockMillis
    },
    evidence: (authorization: Authorization, transaction?: string) =>
      Effect.runPromise(reader.evidence(network, authorization, { transaction })),
    balances: () => [chain.token.balanceOf(payer), chain.token.balanceOf(payee)]
  }
}

const authorization = (changes: Partial<Authorization> = {}): Authorization => ({
  from: payer,
  to: payee,
  value: "10",
  validAfter: String(startMillis / 1000 - 60),
  validBefore: String(startMillis / 1000 + 60),
  nonce: `0x${"01".repeat(32)}`,
  ...changes
})

const by = (sender: string, call: ChainCall, mayFail = false): ContractCall => ({ sender, call, mayFail })
const batched = (call: ChainCall): ContractCall => by(multicallAddress, call, true)
const cancellation = (nonce: string): ChainCall => ({
  _tag: "cancelAuthorization",
  from: payer,
  nonce,
  signature: cancellationSignatureOf(payer, nonce)
})
const received = (message: Authorization): ChainCall => ({
  _tag: "receiveWithAuthorization",
  authorization: message,
  signature: signatureOf(message, "receiveWithAuthorization")
})

describe("the simulated token", () => {
  it.each([
    ["transfers its value", transferCall(authorization()), undefined],
    [
      "uses each nonce once",
      transferCall(authorization({ nonce: `0x${"02".repeat(32)}` })),
      "authorization is used or canceled"
    ],
    [
      "requires a valid signature",
      { ...transferCall(authorization()), signature: forgedSignature(authorization()) },
      "invalid signature"
    ],
    [
      "rejects a signature of another message type",
      { ...received(authorization()), _tag: "transferWithAuthorization" },
      "invalid signature"
    ],
    [
      "requires the balance",
      transferCall(authorization({ value: "101" })),
      "transfer amount exceeds balance"
    ],
    [
      "rejects an expired authorization",
      transferCall(authorization({ validBefore: String(startMillis / 1000 + 2) })),
      "authorization is expired"
    ],
    [
      "rejects an authorization that is not valid yet",
      transferCall(authorization({ validAfter: String(startMillis / 1000 + 2) })),
      "authorization is not yet valid"
    ],
    ["lets only the payee receive", received(authorization()), "caller must be the payee"]
  ] as ReadonlyArray<readonly [string, ChainCall, string | undefined]>)("%s", (_, call, reason) => {
    const { balances, chain } = setUp()
    chain.submit([by(payer, cancellation(`0x${"02".repeat(32)}`))])
    expect(chain.submit([by(multicallAddress, call)]).revertReason).toBe(reason)
    expect(balances()).toEqual(reason === undefined ? [90n, 10n] : [100n, 0n])
  })

  it("reverts a whole batch, or only the call that may fail", () => {
    const { balances, chain } = setUp()
    const paid = transferCall(authorization())
    const tooMuch = transferCall(authorization({ value: "500", nonce: `0x${"03".repeat(32)}` }))
    expect(chain.submit([by(multicallAddress, paid), by(multicallAddress, tooMuch)]).revertReason).toMatch(
      /balance/
    )
    expect(balances()).toEqual([100n, 0n])
    const { logs } = chain.submit([batched(tooMuch), batched(paid)])
    expect(logs.map(({ event, index }) => [event._tag, index])).toEqual([
      ["AuthorizationUsed", 0],
      ["Transfer", 1]
    ])
    expect(balances()).toEqual([90n, 10n])
    // The call that failed used no nonce.
    expect(
      chain.submit([batched(transferCall(authorization({ nonce: `0x${"03".repeat(32)}` })))]).logs
    ).toHaveLength(2)
  })

  it("is undone by a reorganization and can be submitted again", () => {
    const { balances, chain, pass } = setUp()
    const early = authorization({ nonce: `0x${"05".repeat(32)}` })
    const sent = chain.send(early)
    pass(5)
    const late = chain.send(authorization())
    pass(1)
    const hash = chain.hashOf(chain.latest)
    const orphans = chain.reorganize(2, () => [[by(payer, cancellation(authorization().nonce))]])
    expect(chain.hashOf(chain.latest)).not.toBe(hash)
    expect(chain.blockOf(hash)).toBeUndefined()
    expect(chain.transactionOf(sent.transaction)?.revertReason).toBeUndefined()
    for (const orphan of orphans) chain.resubmit(orphan)
    expect(chain.transferOf(authorization())).toBeUndefined()
    expect(chain.transactionOf(late.transaction)?.revertReason ?? "left out").toMatch(
      /left out|used or canceled/
    )
    expect(balances()).toEqual([90n, 10n])
    expect(chain.hasEverMoved(authorization())).toBe(true)
  })
})

describe("the simulated node, read by the till", () => {
  it("shows a transfer once it is confirmed, and final later", async () => {
    const { chain, evidence, pass } = setUp()
    const paid = authorization()
    expect(await evidence(paid)).toMatchObject({ _tag: "NotMoved", chainTimeSeconds: startMillis / 1000 })
    const { transaction } = chain.send(paid)
    expect(await evidence(paid, transaction)).toMatchObject({ _tag: "NotMoved" })
    pass(1)
    expect(await evidence(paid, transaction)).toEqual({ _tag: "Confirming", transaction })
    pass(1)
    expect(await evidence(paid)).toMatchObject({ _tag: "Moved", transaction, logIndex: 1, isFinal: false })
    pass(10)
    expect(await evidence(paid)).toMatchObject({ _tag: "Moved", transaction, logIndex: 1, isFinal: true })
  })

  it("distinguishes a nonce that paid from one used up in the same transaction", async () => {
    const { chain, evidence, pass } = setUp()
    const paid = authorization()
    const unpaid = authorization({ nonce: `0x${"04".repeat(32)}` })
    chain.submit([
      batched(transferCall({ ...unpaid, to: payer, value: "0" })),
      batched(transferCall(paid)),
      batched({ _tag: "imitate", authorization: unpaid })
    ])
    pass(20)
    expect(await evidence(paid)).toMatchObject({ _tag: "Moved", logIndex: 3 })
    expect(await evidence(unpaid)).toEqual({ _tag: "NotPaid", reason: "used_otherwise" })
  })

  it("shows cancellations, balances, incoming transfers and used nonces", async () => {
    const { chain, evidence, pass, reader } = setUp()
    chain.submit([by(payer, cancellation(authorization().nonce))])
    chain.submit([by(payer, { _tag: "transfer", to: payee, value: 7n })])
    pass(20)
    expect(await evidence(authorization())).toEqual({ _tag: "NotPaid", reason: "canceled" })
    expect(await Effect.runPromise(reader.balanceOf(network, payer))).toBe(93n)
    const nonces = [authorization(), authorization({ nonce: `0x${"09".repeat(32)}` })]
    expect(await Effect.runPromise(reader.usedNonces(network, nonces))).toMatchObject({ used: [true, false] })
    const span = { fromSeconds: startMillis / 1000, beforeSeconds: startMillis / 1000 + 20 }
    const incoming = await Effect.runPromise(reader.transfersTo(network, payee, span))
    expect(incoming?.transfers).toMatchObject([{ from: payer, valueAtomic: "7", logIndex: 1 }])
  })

  it("accepts only the signature that a wallet made", async () => {
    const { reader, signed } = setUp()
    const message = authorization()
    signed.push(message)
    const hash = hashOf(network, message)
    const accepts = (signature: string) =>
      Effect.runPromise(reader.acceptsSignature(network, payer, hash, signature as Hex))
    expect(await accepts(signatureOf(message))).toBe(true)
    expect(await accepts(forgedSignature(message))).toBe(false)
  })

  it("fails while it is down and lags behind when slow", async () => {
    const { chain, evidence, node, pass } = setUp()
    chain.send(authorization())
    pass(3)
    node.condition = { lagMillis: 10_000, down: [] }
    expect(await evidence(authorization())).toMatchObject({ _tag: "NotMoved" })
    node.condition = { lagMillis: 0, down: [[startMillis, startMillis + 3_600_000]] }
    expect(await evidence(authorization())).toEqual({ _tag: "Unavailable" })
  })
})
