import { setTimeout as sleep } from "node:timers/promises"
import type { Claim, RefundStart, VaultPurchase } from "@till402/core"
import type { Database } from "../src/storage/database.ts"
import type { TestDatabase } from "./databases.ts"
import type { OwnStores } from "./races.ts"

/*
 * Stores with a common mistake, which the tests must detect.
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
      claim: async (charge, lease, nowMillis, limits) => {
        const [others] = await sql<Array<{ readonly unsettled: number }>>`
          SELECT count(*) AS unsettled FROM till.charges
          WHERE payer = ${charge.payer} AND key <> ${charge.key}
            AND (state = 'ready' OR (state = 'claimed' AND lease_until_millis > ${nowMillis}))`
        if (others!.unsettled >= limits.maxUnsettled) return { _tag: "Limited", by: "charges" }
        return claim(charge, lease, nowMillis, { ...limits, maxUnsettled: Number.MAX_SAFE_INTEGER })
      }
    }),
    "adds up what a payer risks before it takes its turn": ({ claim }, sql) => ({
      claim: async (charge, lease, nowMillis, limits) => {
        const [others] = await sql<Array<{ readonly exposure: string }>>`
          SELECT coalesce(sum(exposure_atomic), 0) AS exposure FROM till.charges
          WHERE payer = ${charge.payer} AND key <> ${charge.key} AND state <> 'settled'
            AND (state <> 'claimed' OR lease_until_millis > ${nowMillis})`
        const [added, exposure] = [BigInt(charge.exposureAtomic), BigInt(others!.exposure)]
        const isOver = added > 0n && exposure > 0n && exposure + added > BigInt(limits.maxExposureAtomic)
        if (isOver) return { _tag: "Limited", by: "exposure" }
        return claim(charge, lease, nowMillis, { ...limits, maxExposureAtomic: "9".repeat(70) })
      }
    }),
    "forgets what work a voided charge has cost": (store) => ({
      void: (key, owner, options) => store.void(key, owner, { ...options, keepExposure: false })
    }),
    "lets a transfer settle what was open when it was looked at": ({ complete }, sql) => ({
      complete: async (key, settlement, nowMillis) => {
        const taken = await sql`
          SELECT key FROM till.charges
          WHERE transfer_log_index = ${settlement.transferLogIndex ?? null}
            AND receipt ->> 'transaction' = ${settlement.receipt.transaction}`
        if (taken.length > 0) return { _tag: "TransferTaken" }
        await sql`DROP INDEX IF EXISTS till.charges_one_transfer`
        return complete(key, settlement, nowMillis)
      }
    }),
    "takes a charge whose transfer is taken for a closed one": ({ complete }) => ({
      complete: async (key, settlement, nowMillis) => {
        const completion = await complete(key, settlement, nowMillis)
        return completion._tag === "TransferTaken" ? { _tag: "NotOpen" } : completion
      }
    }),
    "reopens a charge whose refund was started": ({ reopen }, sql) => ({
      reopen: async (key, owner, nowMillis) => {
        await sql`
          UPDATE till.charges SET refund = ${sql.typed.json({ _tag: "Due" })}
          WHERE key = ${key} AND refund ->> '_tag' = 'Due'`
        return reopen(key, owner, nowMillis)
      }
    }),
    "forgets a refund that was sent when it reopens its charge": ({ reopen }, sql) => ({
      reopen: async (key, owner, nowMillis) => {
        const reopened = await reopen(key, owner, nowMillis)
        if (reopened) await sql`UPDATE till.charges SET refund = NULL WHERE key = ${key}`
        return reopened
      }
    }),
    "delivers what is paid back": (_, sql) => ({
      deliver: async (key, owner, response) => {
        const { count } = await sql`
          UPDATE till.charges SET response = ${sql.typed.json(response)}, response_owed_until_millis = NULL
          WHERE key = ${key} AND lease_owner = ${owner} AND state = 'settled' AND response IS NULL`
        return count === 1
      }
    }),
    "releases in bulk what was voided when it was looked at": ({ find, release }) => ({
      releaseVoided: async (keys) => {
        const found = await Promise.all(keys.map((key) => find(key)))
        const voided = found.filter((charge) => charge?.state === "voided" && charge.subject === undefined)
        await Promise.all(voided.map((charge) => release(charge!.key, charge!.leaseOwner)))
        return voided.length
      }
    }),
    "adds up refunds before it takes its turn": ({ startRefund }, sql) => ({
      startRefund: async (key, limit, nowMillis): Promise<RefundStart> => {
        const [sums] = await sql<Array<{ readonly recent: string }>>`
          SELECT coalesce(sum(amount_atomic), 0) + (SELECT amount_atomic FROM till.charges WHERE key = ${key}) AS recent
          FROM till.refunds WHERE charge_key <> ${key} AND started_at_millis >= ${limit.sinceMillis}
            AND payer = (SELECT payer FROM till.charges WHERE key = ${key})`
        if (BigInt(sums?.recent ?? 0) > BigInt(limit.maxAtomic)) return { _tag: "OverLimit" }
        return startRefund(key, { ...limit, maxAtomic: "9".repeat(70) }, nowMillis)
      }
    }),
    "stops refunds for the last reason": ({ stopRefunds }, sql) => ({
      stopRefunds: async (reason, nowMillis) => {
        const { count } = await sql`UPDATE till.refund_stop SET reason = ${reason}, at_millis = ${nowMillis}`
        return count === 0 && stopRefunds(reason, nowMillis)
      }
    }),
    "takes over a charge whose lease holds": ({ takeOver }) => ({
      takeOver: (key, lease) => takeOver(key, lease, Number.MAX_SAFE_INTEGER)
    }),
    "lets anybody advance a charge": ({ advance, find }) => ({
      advance: async (key, owner, outcome) => advance(key, (await find(key))?.leaseOwner ?? owner, outcome)
    }),
    "settles without a line in the books": (_, sql) => ({
      complete: async (key, { finalAfterMillis, receipt, refundDue }, nowMillis) => {
        const { count } = await sql`
          UPDATE till.charges
          SET state = 'settled', settlement = '', awaits_finality = ${finalAfterMillis !== undefined}, receipt = ${sql.typed.json(receipt)},
            settled_at_millis = ${nowMillis}, effect_pending = subject IS NOT NULL AND NOT ${refundDue}::boolean,
            refund = ${refundDue ? sql.typed.json({ _tag: "Due" }) : null}, attempts = 0, check_after_millis = 0
          WHERE key = ${key} AND (state = 'ready' OR (state = 'voided' AND ${refundDue}::boolean))`
        return { _tag: count === 1 ? "Completed" : "NotOpen" }
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
          WHERE id IN (
            SELECT id FROM till.vault_purchases WHERE id IN ${sql(due.map(({ id }) => id))}
            ORDER BY id FOR UPDATE) RETURNING *`
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

/** A store and its fault. */
export type Fault = readonly [store: keyof Faults, fault: string]
export const allFaults: ReadonlyArray<Fault> = Object.entries(faults).flatMap(([store, ofStore]) =>
  Object.keys(ofStore).map((fault): Fault => [store as keyof Faults, fault])
)

/** The example's stores with one fault. */
export const faultyStores = ({ connect, sql }: TestDatabase, [store, fault]: Fault): OwnStores => {
  const stores = connect()
  const breaking = <Name extends keyof Faults>(name: Name) => ({
    ...stores[name],
    ...faults[name][fault]!(stores[name], sql)
  })
  return { ...stores, [store]: breaking(store) }
}

const pauseMillis = 50

/**
 * Get, then set, one at a time behind a lock in this process's memory: correct as long as there is only one process.
 * The pause lets another process run in between.
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
    // The next caller waits for the end, success or failure; the failure goes to the caller only.
    last = turn.catch(() => undefined)
    return turn
  }
  return { ...stores, charges: { ...charges, claim: inTurn } }
}
