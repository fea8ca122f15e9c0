import { facilitatorHandler, localFacilitator, memorySettlementJournal } from "@till402/providers/facilitator"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { payTo } from "../src/Calls.ts"
import { openCarelessRelayer, refusesUndefined } from "../src/CarelessRelayer.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { type Payment, sign } from "../src/Payments.ts"
import { openReservingRelayer, reservesPerPayment } from "../src/ReservesPerPayment.ts"

/*
 * Attacks on the gas money of a relayer, by payments that are verified and never settled, and by callers that it doesn't
 * know.
 */

const local = localChainOfFile()

const price = 520_000n
/** Settlements that the relayer can pay at once. */
const affordable = 8n
/** The gas limit of a settlement, rounded up. */
const gas = 110_000n

const newPayer = async (balance: bigint): Promise<PrivateKeyAccount> => {
  const account = privateKeyToAccount(generatePrivateKey())
  await local().chain.mint(account.address, balance)
  return account
}

const pay = (account: PrivateKeyAccount): Promise<Payment> =>
  sign(
    {
      resource: { url: "https://shop.example/x402/track" },
      accepts: [
        {
          scheme: "exact",
          network: "eip155:84532",
          amount: String(price),
          asset: local().chain.usdc,
          payTo,
          maxTimeoutSeconds: 300,
          extra: { name: "USDC", version: "2" }
        }
      ]
    },
    { account }
  )

interface Relayer {
  readonly verify: (payment: Payment, requirements: unknown) => Promise<{ readonly isValid: boolean }>
  readonly settle: (payment: Payment, requirements: unknown) => Promise<{ readonly success: boolean }>
}

const openOurs = async (): Promise<Relayer> => {
  const { client, rpcUrl } = local().chain
  const account = privateKeyToAccount(generatePrivateKey())
  const { maxFeePerGas } = await client.estimateFeesPerGas()
  await client.setBalance({ address: account.address, value: affordable * gas * maxFeePerGas })
  return localFacilitator({
    account,
    networks: [{ network: "base-sepolia", rpcUrl }],
    journal: memorySettlementJournal(),
    retries: 0,
    pollMillis: 20
  }).forTill("shop") as Relayer
}

const settle = async ({ settle: settles }: Relayer, account: PrivateKeyAccount): Promise<void> => {
  const payment = await pay(account)
  expect(await settles(payment, payment.accepted)).toMatchObject({ success: true })
}

/** Has ten payments of the attacker verified; none is settled. */
const fill = async ({ verify }: Relayer, attacker: PrivateKeyAccount): Promise<void> => {
  for (let count = 0; count < 10; count++) {
    const payment = await pay(attacker)
    // What becomes of them is the attacker's business.
    await verify(payment, payment.accepted).catch(() => undefined)
  }
}

/** How many of five payments a customer gets verified, each settled at once. */
const servedOf = async ({ settle: settles, verify }: Relayer, customer: PrivateKeyAccount) => {
  let served = 0
  for (let count = 0; count < 5; count++) {
    const payment = await pay(customer)
    const isVerified = await verify(payment, payment.accepted).then(
      ({ isValid }) => isValid,
      () => false
    )
    if (isVerified && (await settles(payment, payment.accepted)).success) served++
  }
  return served
}

attack("payments of one key that are verified and never settled, to use up the relayer's gas money", {
  on: reservesPerPayment,
  lands: async () => {
    const { settle: settles, verify } = local().facilitator.client
    const relayer: Relayer = openReservingRelayer({ settle: settles, verify }, Number(affordable))
    const customer = await newPayer(13n * price)
    await settle(relayer, customer)
    await fill(relayer, await newPayer(price))
    expect(await servedOf(relayer, customer)).toBe(0)
  },
  fails: async () => {
    for (const hasPaid of [false, true]) {
      const relayer = await openOurs()
      const customer = await newPayer(4n * price)
      await settle(relayer, customer)
      const attacker = await newPayer(hasPaid ? 2n * price : price)
      if (hasPaid) await settle(relayer, attacker)
      await fill(relayer, attacker)
      expect(await servedOf(relayer, customer)).toBe(3)
      // One who pays for the first time, too.
      expect(await servedOf(relayer, await newPayer(price))).toBe(1)
    }
  }
})

attack("payments of one rich key that are verified and never settled, to use up the relayer's gas money", {
  on: reservesPerPayment,
  lands: async () => {
    const { settle: settles, verify } = local().facilitator.client
    const relayer: Relayer = openReservingRelayer({ settle: settles, verify }, Number(affordable))
    await fill(relayer, await newPayer(100n * price))
    expect(await servedOf(relayer, await newPayer(12n * price))).toBe(0)
  },
  fails: async () => {
    for (const hasPaid of [false, true]) {
      const relayer = await openOurs()
      const attacker = await newPayer(100n * price)
      if (hasPaid) await settle(relayer, attacker)
      await fill(relayer, attacker)
      expect(await servedOf(relayer, await newPayer(2n * price))).toBe(2)
    }
  }
})

/** What a host's `authorize` may return for strangers: of a comparison, and of an object that is asked for `constructor`. */
const mistakes: ReadonlyArray<unknown> = [false, null, Object, {}]

const settleAsStranger = async (handle: (request: Request) => Promise<Response>): Promise<number> => {
  const payment = await pay(await newPayer(price))
  const body = JSON.stringify({ paymentPayload: payment, paymentRequirements: payment.accepted })
  const headers = { authorization: "constructor" }
  return (await handle(new Request("https://relayer.example/settle", { method: "POST", headers, body })))
    .status
}

attack("settlements of strangers at the gas of a relayer, whose authorize returns no text for them", {
  on: refusesUndefined,
  lands: async () => {
    const { settle: settles } = local().facilitator.client
    for (const returned of mistakes)
      expect(await settleAsStranger(openCarelessRelayer(settles, () => returned))).toBe(200)
  },
  fails: async () => {
    const told = vi.spyOn(console, "error").mockReturnValue()
    const { client, rpcUrl } = local().chain
    const account = privateKeyToAccount(generatePrivateKey())
    await client.setBalance({ address: account.address, value: 10n ** 18n })
    const facilitator = localFacilitator({
      account,
      networks: [{ network: "base-sepolia", rpcUrl }],
      journal: memorySettlementJournal()
    })
    for (const returned of mistakes) {
      const handle = facilitatorHandler(facilitator, { authorize: () => returned as string })
      expect(await settleAsStranger(handle)).toBe(401)
    }
    expect(await client.getBalance(account)).toBe(10n ** 18n)
    told.mockRestore()
  }
})
