/*
 * A till's database after ten days of trade, written by a few statements: charges in every state, their ledger, orders,
 * purchases and quotes. Most responses have expired, as they would have; those of the last day and some old ones are
 * still there.
 */

export type Dialect = "sqlite" | "postgres"

export const days = 10
export const dayMillis = 86_400_000
export const network = "eip155:84532"
export const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const payers = 1_000
/** Charges whose responses are old and still there. */
export const backlog = 5_000

/** SQL of what the two engines spell differently. */
const dialects = {
  sqlite: {
    numbers: (count: number) =>
      `(WITH RECURSIVE made(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM made WHERE n + 1 < ${count}) SELECT n FROM made)`,
    hex: (value: string, width: number) => `printf('%0${width}x', ${value})`,
    day: (millis: string) => `date((${millis}) / 1000, 'unixepoch')`
  },
  postgres: {
    numbers: (count: number) => `(SELECT n::bigint AS n FROM generate_series(0, ${count - 1}) AS n)`,
    hex: (value: string, width: number) => `lpad(to_hex(${value}), ${width}, '0')`,
    day: (millis: string) => `to_char(to_timestamp((${millis}) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`
  }
}

const response = JSON.stringify({
  status: 200,
  contentType: "application/json",
  body: { _tag: "Plain", text: JSON.stringify({ products: "a page of results ".repeat(50) }) }
})

const receipt = (transaction: string, payer: string): string =>
  `'{"success":true,"network":"${network}","payer":"' || ${payer} || '","transaction":"' || ${transaction} || '"}'`

/** The columns of a charge by its number `n`; of 1,000, 20 are voided and watched, 10 ready, 970 settled. */
const chargeOf = (dialect: Dialect, count: number, endMillis: number) => {
  const { hex } = dialects[dialect]
  const created = `(${endMillis - days * dayMillis} + n * ${Math.floor((days * dayMillis) / count)})`
  const state = "CASE WHEN n % 1000 < 20 THEN 'voided' WHEN n % 1000 < 30 THEN 'ready' ELSE 'settled' END"
  const payer = `'0x' || ${hex(`n % ${payers}`, 40)}`
  return {
    created,
    state,
    payer,
    key: `'${network}:${asset}:' || ${payer} || ':0x' || ${hex("n", 64)}`,
    operation: "CASE WHEN n % 3 = 0 THEN 'search' WHEN n % 3 = 1 THEN 'track' ELSE 'buy' END",
    transaction: `'0x' || ${hex("n + 1", 64)}`,
    settled: "n % 1000 >= 30",
    refundDue: "n % 1000 = 999",
    // Payments of orders whose numbers are theirs, by a tenth.
    bought: "n % 30 = 2",
    hasResponse: `(n % 1000 >= 20 AND (n < ${backlog} OR n >= ${Math.floor(count * (1 - 1 / days))}))`
  }
}

const chargesOf = (dialect: Dialect, count: number, endMillis: number): string => {
  const charge = chargeOf(dialect, count, endMillis)
  const { bought, created, hasResponse, key, operation, payer, refundDue, settled, state, transaction } =
    charge
  const ifSettled = (value: string) => `CASE WHEN ${settled} THEN ${value} END`
  return `INSERT INTO till_charges (key, payload_digest, fingerprint, operation, network, asset, payer, pay_to, amount,
      valid_before, x402_version, settlement, exposure, settles_first, created_at, claimed_after, state, lease_owner,
      lease_until, check_after, response, response_expired_at, receipt, transaction_hash, transfer_log_index, settled_at,
      refund_due_at, repeat_key, payment_id, subject)
    SELECT ${key}, 'digest-' || n, 'fingerprint-' || n, ${operation}, '${network}', '${asset}', ${payer}, '${payTo}',
      '10000', ${created} / 1000 + 900, 2, '', 0, 0, ${created}, '', ${state}, 'owner-' || n,
      0, ${endMillis} + 86400000, CASE WHEN ${hasResponse} THEN '${response}' END,
      CASE WHEN ${settled} AND NOT ${hasResponse} THEN ${created} + 86400000 END,
      ${ifSettled(receipt(transaction, payer))}, ${ifSettled(transaction)}, ${ifSettled("7")},
      ${ifSettled(`${created} + 2000`)}, CASE WHEN ${refundDue} THEN ${created} + 3000 END,
      '', CASE WHEN ${bought} THEN 'payment-' || n ELSE '' END,
      CASE WHEN ${bought} THEN '{"kind":"order","id":"order-' || (n / 10) || '"}' END
    FROM ${dialects[dialect].numbers(count)} AS numbers`
}

const ledgerOf = (dialect: Dialect, count: number, endMillis: number, kind: "settled" | "refund_due") => {
  const { created, key, operation, payer, refundDue, settled, transaction } = chargeOf(
    dialect,
    count,
    endMillis
  )
  const isSettled = kind === "settled"
  const at = `${created} + ${isSettled ? 2_000 : 3_000}`
  return `INSERT INTO till_ledger (charge_key, kind, round, at, day, operation, network, asset, payer, pay_to, amount,
      transaction_hash, transfer_log_index)
    SELECT ${key}, '${kind}', 0, ${at}, ${dialects[dialect].day(at)}, ${operation}, '${network}', '${asset}', ${payer},
      '${payTo}', '10000', ${isSettled ? transaction : "NULL"}, ${isSettled ? "7" : "NULL"}
    FROM ${dialects[dialect].numbers(count)} AS numbers WHERE ${isSettled ? settled : refundDue}`
}

const offer = JSON.stringify({
  product: { title: "A thing of the benchmark", price: { atomic: "19990000", currency: "USD" } },
  subtotal: { atomic: "19990000", currency: "USD" },
  tax: { atomic: "0", currency: "USD" },
  shipping: { atomic: "0", currency: "USD" },
  total: { atomic: "19990000", currency: "USD" },
  reference: "Q-1",
  expiresAtMillis: 0
})

/** Orders that rest, one for every ten charges, and as many purchases and quotes. */
const shopOf = (dialect: Dialect, count: number, endMillis: number): ReadonlyArray<string> => {
  const numbers = dialects[dialect].numbers(count / 10)
  const created = `(${endMillis - days * dayMillis} + n * ${Math.floor((days * dayMillis * 10) / count)})`
  const product = '{"source":"marketplace_a","asin":"B0BENCH000"}'
  return [
    `INSERT INTO till_orders (id, status, version, due_at, created_at, updated_at, upstream_reference, document, personal,
        progress)
      SELECT 'order-' || n, CASE WHEN n % 4 = 0 THEN 'placed' ELSE 'delivered' END, 3, NULL, ${created}, ${created},
        'U-' || n, '{"chargeKey":"key-' || n || '","offer":${offer},"product":${product}}',
        '{"email":"ada@example.com","shippingAddress":{"name":"Ada Lovelace"}}',
        '{"attempts":0,"mails":[],"shipments":[],"timeline":[]}'
      FROM ${numbers} AS numbers`,
    `INSERT INTO till_vault_purchases (id, key_id, status, created_at, due_at, attempts, email, document)
      SELECT 'purchase-' || n, '1', 'granted', ${created}, NULL, 1, 'ada@example.com',
        '{"chargeKey":"key-' || n || '","slug":"item"}'
      FROM ${numbers} AS numbers`,
    `INSERT INTO till_quotes (id, fingerprint, offer, created_at, expires_at, consumed_by)
      SELECT 'quote-' || n, 'quote-' || n, '${offer}', ${created}, ${created} + 600000, 'key-' || n
      FROM ${numbers} AS numbers`
  ]
}

/** The statements that fill an empty schema with `count` charges, the latest just before `endMillis`. */
export const fillOf = (dialect: Dialect, count: number, endMillis: number): ReadonlyArray<string> => {
  const entries = [
    ledgerOf(dialect, count, endMillis, "settled"),
    ledgerOf(dialect, count, endMillis, "refund_due")
  ]
  return [
    chargesOf(dialect, count, endMillis),
    ...entries,
    ...shopOf(dialect, count, endMillis),
    ...(dialect === "postgres" ? ["VACUUM ANALYZE"] : [])
  ]
}
