import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { ConfigurationError } from "../../domain/Errors.ts"
import { tablesOf } from "./Schema.ts"

/*
 * Whether PostgreSQL lets the till's role do what sales need. A right that is missing would show itself once the money has
 * moved, and what nothing could record.
 */

/** The tables of which a sale changes rows; it reads all, and adds to all. */
const changed: ReadonlyArray<string> = ["till_charges", "till_orders", "till_quotes", "till_vault_purchases"]

interface Missing {
  readonly table: string
  readonly right: string
  /** As SQL names it. */
  readonly role: string
}

/** Tables of the shop, by PostgreSQL's `~`: a till of own routes alone may have no right on them, and needs none. */
const ofShop = "^till_(orders|quotes|vault|purchase|free)"

/** Without a policy, row-level security hides all rows. */
const rowSecurity = "row-level security"

const missingRights = (sql: SqlClient.SqlClient, tables: ReadonlyArray<string>) => sql<Missing>`
  SELECT c.relname AS "table", r.name AS "right", quote_ident(current_user) AS role
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), (${rowSecurity})) AS r (name)
  WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname IN ${sql.in(tables)}
    AND CASE
      WHEN r.name = ${rowSecurity} THEN row_security_active(c.oid)
        AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid)
      WHEN c.relname ~ ${ofShop} AND NOT has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE') THEN FALSE
      WHEN r.name = 'UPDATE' AND c.relname NOT IN ${sql.in(changed)} THEN FALSE
      ELSE NOT has_table_privilege(c.oid, r.name)
    END
  ORDER BY c.relname, r.name`

/** Fails with `ConfigurationError` where the role of a connection to PostgreSQL lacks a right, with what to grant. */
export const checkRights = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  statements: ReadonlyArray<string>
): Effect.fn.Return<void, ConfigurationError | SqlError.SqlError> {
  const missing = yield* missingRights(sql, tablesOf(statements))
  const [first] = missing
  if (first === undefined) return
  const hidden = missing.filter(({ right }) => right === rowSecurity).map(({ table }) => table)
  const lacking = missing.filter(({ right }) => right !== rowSecurity)
  const names = [...new Set(lacking.map(({ table }) => table))].join(", ")
  const faults = [
    ...(lacking.length === 0
      ? []
      : [
          `the role ${first.role} lacks rights that sales need: ${lacking.map(({ right, table }) => `${right} on ${table}`).join(", ")}. As the owner of these tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${names} TO ${first.role}`
        ]),
    ...(hidden.length === 0
      ? []
      : [
          `row-level security hides all rows of ${hidden.join(", ")} from the role ${first.role}, since there is no policy. As the owner of these tables: ${hidden.map((table) => `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`).join("; ")}`
        ])
  ]
  return yield* new ConfigurationError({ message: `storage: ${faults.join(". And ")}` })
})
