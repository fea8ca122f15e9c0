import { setTimeout as sleep } from "node:timers/promises"
import type { Claim, VaultPurchase } from "@till402/core"
import { connect, type Database } from "../src/storage/database.ts"
import { postgresStores } from "../src/storage/storage.ts"
import type { OwnStores } from "./races.ts"

/*
 * Stores with a fault of the kind that is easily made: what the tests must catch, or they are worth nothing.
 */

type Faults = {
  readonly [Name in "charges" | "quotes" | "orders" | "vaultPurchases"]: Readonly<
    Record<string, (store: OwnStores[Name], sql: Database) => Partial<OwnStores[Name]>>
  >
}

const faults: Faults = {
  charges: {
    "claims what was free when it was looked at": ({ claim, find }) => ({
      claim: async (...input) => {
        const standing = await find(input[0].key)
        const claimed = await claim(...input)
        return standing === undefined ? { _tag: "Claimed" } : claimed
      }
    }),
    "counts what a payer owes before it takes its turn": ({ claim }, sql) => ({
      claim: async (charge, lease, nowMillis, maxUnsettled) => {
        const [others] = await sql<Array<{ readonly unsettled: number }>>`
          SELECT count(*) AS unsettled FROM till.charges
          WHERE payer = ${charge.payer} AND key <> ${charge.key}
            AND (state = 'ready' OR (state = 'claimed' AND lease_until_millis > ${nowMillis}))`
        if (others!.unsettled >= maxUnsettled) return { _tag: "Limited" }
        return claim(charge, lease, nowMillis, Number.MAX_SAFE_INTEGER)
      }
    }),
    "takes over a charge whose lease holds": ({ takeOver }) => ({
      takeOver: (key, lease) => takeOver(key, lease, Number.MAX_SAFE_INTEGER)
    }),
    "lets anybody advance a charge": ({ advance, find }) => ({
      advance: async (key, owner, outcome) => advance(key, (await find(key))?.leaseOwner ?? owner, outcome)
    }),
    "settles without a line in the books": (_, sql) => ({
      complete: async (key, { receipt, refundDue }, nowMillis) => {
        const { count } = await sql`
          UPDATE till.charges
          SET state = 'settled', settlement = '', receipt = ${sql.typed.json(receipt)},
            settled_at_millis = ${nowMillis}, effect_pending = subject IS NOT NULL AND NOT ${refundDue}::boolean,
            refund = ${refundDue ? sql.typed.json({ _tag: "Due" }) : null}, attempts = 0, check_after_millis = 0
          WHERE key = ${key} AND state IN ('ready', 'voided')`
        return count === 1
      }
    })
  },
  quotes: {
    "consumes a quote that was free when it was looked at": (_, sql) => ({
      consume: async (id, chargeKey, nowMillis) => {
        const [quote] = await sql<Array<{ readonly consumedBy: string | undefined }>>`
          SELECT consumed_by FROM till.quotes WHERE id = ${id} AND expires_at_millis > ${nowMillis}`
        if (quote === undefined || (quote.consumedBy ?? chargeKey) !== chargeKey) return false
        await sql`UPDATE till.quotes SET consumed_by = ${chargeKey} WHERE id = ${id}`
        return true
      }
    })
  },
  orders: {
    "replaces an order that stood there when it was looked at": ({ find }, sql) => ({
      replace: async ({ id, status, version }) => {
        const order = await find(id)
        if (order?.version !== version) return false
        await sql`UPDATE till.orders SET status = ${status}, version = version + 1 WHERE id = ${id}`
        return true
      }
    })
  },
  vaultPurchases: {
    "grants a purchase again and again": (_, sql) => ({
      grant: async (id) => {
        const { count } = await sql`UPDATE till.vault_purchases SET status = 'granted' WHERE id = ${id}`
        return count === 1
      }
    }),
    "takes purchases that were free when they were looked at": (_, sql) => ({
      take: async (nowMillis, untilMillis, limit) => {
        const due = await sql<Array<{ readonly id: string }>>`
          SELECT id FROM till.vault_purchases WHERE due_at_millis <= ${nowMillis}
          ORDER BY due_at_millis, id LIMIT ${limit}`
        return sql<Array<VaultPurchase>>`
          UPDATE till.vault_purchases SET due_at_millis = ${untilMillis}, attempts = attempts + 1
          WHERE id IN ${sql(due.map(({ id }) => id))} RETURNING *`
      }
    }),
    "lets who is late reschedule a purchase": (_, sql) => ({
      reschedule: async (id, _seenMillis, dueAtMillis) => {
        const { count } = await sql`
          UPDATE till.vault_purchases SET due_at_millis = ${dueAtMillis ?? null}
          WHERE id = ${id} AND due_at_millis IS NOT NULL`
        return count === 1
      }
    }),
    "forgets whom a mail is still due to": (_, sql) => ({
      forget: async (beforeMillis, limit) => {
        const { count } = await sql`
          UPDATE till.vault_purchases SET email = NULL WHERE id IN (
            SELECT id FROM till.vault_purchases
            WHERE email IS NOT NULL AND status = 'granted' AND created_at_millis < ${beforeMillis} LIMIT ${limit})`
        return count
      }
    })
  }
}

/** A store, and what is wrong with it. */
export type Fault = readonly [store: keyof Faults, fault: string]
export const allFaults: ReadonlyArray<Fault> = Object.entries(faults).flatMap(([store, ofStore]) =>
  Object.keys(ofStore).map((fault): Fault => [store as keyof Faults, fault])
)

/** The example's stores with one fault. */
export const faultyStores = (url: string, [store, fault]: Fault): OwnStores => {
  const stores = postgresStores(url)
  const sql = connect(url)
  const breaking = <Name extends keyof Faults>(name: Name) => ({
    ...stores[name],
    ...faults[name][fault]!(stores[name], sql)
  })
  const close = async () => {
    await sql.end()
    await stores.close()
  }
  return { ...stores, [store]: breaking(store), close }
}

const pauseMillis = 50

/**
 * Get, then set, one at a time behind a lock in this process's memory: right as long as there is one process. The pause
 * makes sure that another process gets on in between.
 */
export const lockedInMemory = ({ charges, ...stores }: OwnStores): OwnStores => {
  let last: Promise<unknown> = Promise.resolve()
  const claim = async (...input: Parameters<typeof charges.claim>): Promise<Claim> => {
    const standing = await charges.find(input[0].key)
    if (standing !== undefined) return { _tag: "Existing", charge: standing }
    await sleep(pauseMillis)
    await charges.claim(...input)
    return { _tag: "Claimed" }
  }
  const inTurn: typeof claim = (...input) => {
    const turn = last.then(() => claim(...input))
    // Who comes next waits for the end, whatever it is; the failure is told to who asked.
    last = turn.catch(() => undefined)
    return turn
  }
  return { ...stores, charges: { ...charges, claim: inTurn } }
}
