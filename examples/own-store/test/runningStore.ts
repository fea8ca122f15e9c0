import {
  type Chain,
  type LocalFacilitator,
  payingFetch,
  startChain,
  startFacilitator
} from "@till402/sandbox"
import { sharedPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll } from "vitest"
import { connect, type Database } from "../src/storage/database.ts"
import type { Environment } from "../../express/test/exampleProcess.ts"

/*
 * What the tests of the running example share: a chain, a facilitator, databases, and a buyer.
 */

export const main = new URL("../src/main.ts", import.meta.url)
export const sandbox = new URL("../src/sandbox.ts", import.meta.url)
export const baseUrl = "https://shop.example"
export const searchPrice = 10_000n

export let chain: Chain
let facilitator: LocalFacilitator
export let postgres: Awaited<ReturnType<typeof sharedPostgres>>
export let environment: Environment
/** Registers the hooks of a file: they start a chain, and choose a database. */
export const useExample = (): void => {
  beforeAll(async () => {
    chain = await startChain()
    facilitator = await startFacilitator({ chain })
    postgres = await sharedPostgres()
    environment = {
      PORT: "0",
      BASE_URL: baseUrl,
      PAY_TO: payTo(),
      RPC_URL: chain.rpcUrl,
      FACILITATOR_URL: facilitator.url,
      TILL_SECRET: "a secret of the example's own, for this test",
      DATABASE_URL: await postgres.createDatabase()
    }
  })
  afterAll(async () => {
    await facilitator?.stop()
    await chain?.stop()
  })
}

export const buyer = () => chain.accounts(2)
export const payTo = () => chain.accounts(3).address

export interface Found {
  readonly products: ReadonlyArray<{ readonly asin: string }>
}
export interface Shelf {
  readonly items: ReadonlyArray<{ readonly slug: string; readonly downloads: number }>
}
export interface Purchase {
  readonly purchaseId: string
  readonly downloadToken: string
}

export const shippingAddress = {
  name: "Ada Lovelace",
  line1: "12 Analytical Way",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US"
}

/** A fetch that pays, and the header of its last payment. */
export const paying = () => {
  let header = ""
  const noting: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    header = request.headers.get("payment-signature") ?? header
    return fetch(request)
  }
  const privateKey = `0x${Buffer.from(buyer().getHdKey().privateKey!).toString("hex")}` as const
  return { pay: payingFetch(privateKey, 1_000, noting), header: () => header }
}

/** Queries a database. */
export const reading = async <A>(database: string, read: (sql: Database) => Promise<A>): Promise<A> => {
  const sql = connect(database, { connections: 1 })
  try {
    return await read(sql)
  } finally {
    await sql.end()
  }
}

export const booksOf = (database: string) =>
  reading(
    database,
    (sql) => sql`SELECT kind, operation, amount_atomic, transaction FROM till.ledger ORDER BY at_millis`
  )

export const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})
