import type { FacilitatorClient, TillOptions } from "@till402/core"
import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import type { Address } from "@solana/kit"
import { afterAll, beforeAll, expect } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, calls } from "../src/Calls.ts"
import { workDone } from "../src/Goods.ts"
import { openOurs } from "../src/Ours.ts"
import {
  type ComposedTransfer,
  composePayment,
  reencoded,
  secondAccount,
  sendDust,
  takeLamports
} from "../src/SolanaPayments.ts"
import {
  movedTo,
  openSolanaSigner,
  rules,
  solanaBalances,
  solanaSigner,
  totalOf
} from "../src/SolanaSigner.ts"

/*
 * Attacks on a till that takes payments on Solana, on a local virtual machine with the official facilitator.
 */

let chain: SolanaChain
let official: LocalSolanaFacilitator
beforeAll(async () => {
  chain = await startSolanaChain()
  official = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

/** The price of a tracked shipment, in atomic units. */
const amount = 520_000n
let wallets = 200

/** A payer with money, a payee, and a thief, none of whom another attack knows. */
const openScene = async () => {
  const [payer, payee, thief, signer] = await Promise.all(
    Array.from({ length: 4 }, () => chain.wallets(++wallets))
  )
  if (payer === undefined || payee === undefined || thief === undefined || signer === undefined)
    throw new Error("four wallets were asked for")
  const source = await chain.mint(payer.address, 100_000_000n)
  const account = await chain.mint(payee.address, 0n)
  chain.airdrop(signer.address)
  const compose = (feePayer: string, change: Partial<ComposedTransfer> = {}) =>
    composePayment(chain, {
      payer,
      feePayer: feePayer as Address,
      amount,
      source,
      destination: account,
      mint: chain.usdc.mint,
      ...change
    })
  return { payer, payee, thief, signer, account, compose, received: () => chain.balanceOf(payee.address) }
}

type Scene = Awaited<ReturnType<typeof openScene>>

/** A till that is paid on Solana. */
const openTill = async (
  { payee }: Scene,
  settle: FacilitatorClient["settle"] = official.client.settle,
  options: Partial<TillOptions> = {}
) => {
  const { events, fetch, goods } = await openOurs(
    { ...official.client, settle },
    {
      networks: [{ network: "solana-devnet", payTo: payee.address, rpcUrl: chain.rpcUrl }],
      payTo: payee.address,
      trustFacilitator: false,
      limits: { failedPayerMillis: 0, exposurePerPayer: "100.00", maxExposurePerPayer: "100.00" },
      ...options
    }
  )
  const present = async (transaction: string, path = calls.track.path) => {
    const payment = { x402Version: 1, scheme: "exact", network: "solana-devnet", payload: { transaction } }
    const header = Buffer.from(JSON.stringify(payment)).toString("base64")
    const response = await fetch(new Request(baseUrl + path, { headers: { "x-payment": header } }))
    return { status: response.status, text: await response.text() }
  }
  return { events, present, work: () => workDone(goods) }
}

/** The till refuses a payment before any work. */
const expectNothing = async (scene: Scene, payment: string, code: string): Promise<void> => {
  const { present, work } = await openTill(scene)
  const { status, text } = await present(payment)
  expect(status, text).toBe(402)
  expect(text).toContain(code)
  expect(work()).toBe(0)
  expect(await scene.received()).toBe(0n)
}

const rightTransfer = (scene: Scene) => (payment: Parameters<typeof rules.amount>[0]) =>
  rules.amount(payment, amount) &&
  rules.mint(payment, chain.usdc.mint) &&
  rules.program(payment) &&
  rules.destination(payment, scene.account)

attack("a Solana payment in another encoding", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const naive = openSolanaSigner({ chain, feePayer: scene.signer, accepts: rightTransfer(scene) })
    const payment = await scene.compose(scene.signer.address)
    for (const copy of [payment, reencoded(payment)]) expect(await naive.present(copy)).toBe(true)
    expect([naive.work(), await scene.received()]).toEqual([2, amount])
  },
  fails: async () => {
    const scene = await openScene()
    const { present, work } = await openTill(scene)
    const payment = await scene.compose(official.feePayer)
    const copies = [payment, reencoded(payment)]
    const first = await Promise.all(copies.map((copy) => present(copy)))
    expect(first.map(({ status }) => status)).toEqual([200, 200])
    expect(first[0]!.text).toBe(first[1]!.text)
    expect((await present(copies[1]!, calls.search.path)).status).toBe(402)
    expect([work(), await scene.received()]).toEqual([1, amount])
  }
})

attack("one transfer on Solana shown as proof of two payments", {
  on: solanaBalances,
  lands: async () => {
    const scene = await openScene()
    const naive = openSolanaSigner({
      chain,
      feePayer: scene.signer,
      accepts: rightTransfer(scene),
      loses: (submission) => submission === 2,
      proves: () => movedTo(chain, scene.payer, scene.payee.address, amount)
    })
    expect(await naive.present(await scene.compose(scene.signer.address))).toBe(true)
    chain.advance(1)
    expect(await naive.present(await scene.compose(scene.signer.address))).toBe(true)
    expect(await scene.received()).toBe(amount)
  },
  fails: async () => {
    const scene = await openScene()
    const transactions: Array<string> = []
    const { present } = await openTill(
      scene,
      async (payload, requirements) => {
        // The second time, it names the first transfer.
        if (transactions[0] !== undefined) return { success: true, transaction: transactions[0] }
        const settled = await official.client.settle(payload, requirements)
        transactions.push(settled.transaction)
        return settled
      },
      { settlement: { track: "before-work" } }
    )
    expect((await present(await scene.compose(official.feePayer))).status).toBe(200)
    chain.advance(1)
    const second = await present(await scene.compose(official.feePayer))
    expect(second.status, second.text).toBe(503)
    expect(await scene.received()).toBe(amount)
  }
})

attack("a payment on Solana in another token", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const naive = openSolanaSigner({
      chain,
      feePayer: scene.signer,
      accepts: (payment) => rules.amount(payment, amount)
    })
    expect(await naive.present(await worthless(scene, scene.signer.address))).toBe(true)
    expect(await chain.balanceOf(scene.payee.address, chain.dollar2022)).toBe(amount)
    expect(await scene.received()).toBe(0n)
  },
  fails: async () => {
    const scene = await openScene()
    await expectNothing(scene, await worthless(scene, official.feePayer), "payload_no_transfer_instruction")
    const mint = await scene.compose(official.feePayer, { mint: chain.dollar2022.mint })
    await expectNothing(scene, mint, "payload_mint_mismatch")
  }
})

/** A payment in a token that isn't USDC, to the payee's account for it. */
const worthless = async ({ compose, payee, payer }: Scene, feePayer: string): Promise<string> =>
  compose(feePayer, {
    mint: chain.dollar2022.mint,
    tokenProgram: chain.dollar2022.program,
    source: await chain.mint(payer.address, amount, chain.dollar2022),
    destination: await chain.mint(payee.address, 0n, chain.dollar2022)
  })

attack("a payment on Solana to another token account", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const naive = openSolanaSigner({
      chain,
      feePayer: scene.signer,
      accepts: (payment) => rules.amount(payment, amount) && rules.mint(payment, chain.usdc.mint)
    })
    const destination = await chain.mint(scene.thief.address, 0n)
    expect(await naive.present(await scene.compose(scene.signer.address, { destination }))).toBe(true)
    expect(await chain.balanceOf(scene.thief.address)).toBe(amount)
    expect(await scene.received()).toBe(0n)
  },
  fails: async () => {
    const scene = await openScene()
    const destination = await chain.mint(scene.thief.address, 0n)
    const payment = await scene.compose(official.feePayer, { destination })
    await expectNothing(scene, payment, "payload_recipient_mismatch")
    expect(await chain.balanceOf(scene.thief.address)).toBe(0n)
  }
})

attack("a payment on Solana whose payee comes from a lookup table", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const naive = openSolanaSigner({
      chain,
      feePayer: scene.signer,
      accepts: (payment) =>
        rules.amount(payment, amount) &&
        rules.mint(payment, chain.usdc.mint) &&
        rules.names(payment, scene.account)
    })
    expect(await naive.present(await hidden(scene, scene.signer.address))).toBe(true)
    expect(await scene.received()).toBe(0n)
  },
  fails: async () => {
    const scene = await openScene()
    await expectNothing(scene, await hidden(scene, official.feePayer), "lookup tables")
  }
})

/** A payment to the thief, whose account a lookup table holds. The payee's account is listed, and does nothing. */
const hidden = async ({ account, compose, thief }: Scene, feePayer: string): Promise<string> => {
  const destination = await chain.mint(thief.address, 0n)
  return compose(feePayer, { destination, alsoNamed: [account], fromLookupTable: [destination] })
}

attack("a payment on Solana that also takes the fee payer's money", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const naive = openSolanaSigner({ chain, feePayer: scene.signer, accepts: rightTransfer(scene) })
    expect(await naive.present(await greedy(scene, scene.signer.address))).toBe(true)
    expect(await lamportsOf(scene.thief.address)).toBe(stolen)
  },
  fails: async () => {
    const scene = await openScene()
    const payment = await greedy(scene, official.feePayer)
    await expectNothing(scene, payment, "payload_unknown_optional_instruction")
    expect(await lamportsOf(scene.thief.address)).toBe(0n)
  }
})

attack("many payments on Solana from a second account that covers one", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const compose = await poorAccount(scene)
    const total = await totalOf(chain, scene.payer)
    const right = rightTransfer(scene)
    const naive = openSolanaSigner({
      chain,
      feePayer: scene.signer,
      accepts: (payment) => right(payment) && total >= BigInt(many) * amount
    })
    for (let index = 0; index < many; index++) {
      expect(await naive.present(await compose(scene.signer.address))).toBe(true)
      chain.advance(1)
    }
    expect([naive.work(), await scene.received()]).toEqual([many, amount])
  },
  fails: async () => {
    for (const isKnown of [false, true]) {
      const scene = await openScene()
      const { present, work } = await openTill(scene)
      if (isKnown) expect((await present(await scene.compose(official.feePayer))).status).toBe(200)
      const [done, received] = [work(), await scene.received()]
      const compose = await poorAccount(scene)
      const payments: Array<string> = []
      for (let index = 0; index < many; index++) {
        chain.advance(1)
        payments.push(await compose(official.feePayer))
      }
      for (const { status, text } of await Promise.all(payments.map((payment) => present(payment)))) {
        expect(status).toBe(402)
        expect(text).toContain("payload_source_mismatch")
      }
      expect([work(), await scene.received()]).toEqual([done, received])
    }
  }
})

const many = 6

/** Composes payments from a second account of the payer, which has the money for one. The first one has 100 USDC. */
const poorAccount = async ({ compose, payer, thief }: Scene) => {
  chain.airdrop(thief.address)
  const source = await secondAccount(chain, { from: thief, to: payer.address, amount })
  return (feePayer: string) => compose(feePayer, { source })
}

attack("a payment on Solana that a stranger's transactions hide", {
  on: solanaBalances,
  lands: async () => {
    const scene = await openScene()
    const naive = openSolanaSigner({
      chain,
      feePayer: scene.signer,
      accepts: rightTransfer(scene),
      proves: async () => {
        await hide(scene, 21)
        return movedTo(chain, scene.payer, scene.payee.address, amount, 20)
      }
    })
    // The money is gone, and nothing is delivered.
    expect(await naive.present(await scene.compose(scene.signer.address))).toBe(false)
    expect(await scene.received()).toBe(amount)
  },
  fails: async () => {
    for (const isKnown of [false, true]) {
      const scene = await openScene()
      let isHiding = !isKnown
      const { present, work } = await openTill(scene, async (payload, requirements) => {
        const settled = await official.client.settle(payload, requirements)
        if (!isHiding) return settled
        await hide(scene)
        throw new Error("the response is lost")
      })
      if (isKnown) expect((await present(await scene.compose(official.feePayer))).status).toBe(200)
      chain.advance(1)
      isHiding = true
      const received = await scene.received()
      const done = work()
      const { status, text } = await present(await scene.compose(official.feePayer))
      expect(status, text).toBe(200)
      expect([work() - done, (await scene.received()) - received]).toEqual([1, amount])
    }
  }
})

/** A stranger names the payer in more transactions than anybody would look through. */
const hide = async ({ payer, thief }: Scene, count = 101): Promise<void> => {
  chain.airdrop(thief.address)
  await sendDust(chain, { from: thief, to: payer.address, count })
}

const stolen = 1_000_000_000n

/** A right payment, followed by a transfer of the fee payer's SOL. */
const greedy = ({ compose, thief }: Scene, feePayer: string): Promise<string> =>
  compose(feePayer, { more: [takeLamports(feePayer as Address, thief.address, stolen)] })

const lamportsOf = async (owner: string): Promise<bigint> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getBalance", params: [owner] })
  const response = await fetch(chain.rpcUrl, { method: "POST", body })
  const { result } = (await response.json()) as { readonly result: { readonly value: number } }
  return BigInt(result.value)
}
