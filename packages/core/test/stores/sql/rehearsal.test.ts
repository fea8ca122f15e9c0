import { DatabaseSync } from "node:sqlite"
import { Cause, Effect, Exit, Fiber, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ConfigurationError, StoreError } from "../../../src/domain/Errors.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { orderTables } from "../../../src/stores/schema/orderTables.ts"
import { ledgerTables } from "../../../src/stores/schema/ledgerTables.ts"
import { eventLogger } from "../../../src/runtime/events.ts"
import { claimOf } from "./claimOf.ts"
import { type Engine, openEngines } from "./engines.ts"
import { allKinds, rehearsing } from "./rehearsing.ts"
import { rehearse } from "../../../src/stores/sql/stores.ts"

/*
 * What hosts do to the tables of a till: where the first sale would fail, or would not be kept, the till doesn't start, and
 * says why. Beside it, what they may do.
 */

const { engines, postgresEngine } = openEngines()

const messageOf = (error: unknown): string => {
  expect(error).toBeInstanceOf(ConfigurationError)
  return (error as ConfigurationError).message
}

/** How a till of all routes starts on a database. */
const startOf = (engine: Engine, name: string): Promise<unknown> =>
  engine.open(name, rehearsing()).then(
    () => "started",
    (error: unknown) => error
  )

/** A logger that keeps codes and operations. */
const recording = () => {
  const events: Array<string> = []
  const logger = Logger.layer([eventLogger(({ code, operation }) => events.push(`${code}: ${operation}`))])
  return { events, logger }
}

/** The same, with what it reports. */
const reportedBy = async (engine: Engine, name: string) => {
  const { events, logger } = recording()
  const outcome = await engine.open(name, Effect.provide(rehearsing(), logger)).then(
    () => "started",
    (error: unknown) => error
  )
  return { outcome, events }
}

/** A new database that a till has made. */
const made = async (engine: Engine): Promise<string> => {
  const name = await engine.create()
  await engine.open(name, Effect.asVoid(Charges))
  return name
}

const databases = new Map<Engine, Promise<string>>()

/** One database for all tests of an engine, which a till has made. */
const databaseOf = (engine: Engine): Promise<string> => {
  const database = databases.get(engine) ?? made(engine)
  databases.set(engine, database)
  return database
}

const run = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
  )

const start = (kinds: Iterable<string> = allKinds) =>
  Effect.match(rehearse(new Set(kinds)), { onSuccess: () => "started", onFailure: (error): unknown => error })

/** Does work on that database, and undoes it: much faster than a new one for each test. */
const undone = async <A>(
  engine: Engine,
  work: Effect.Effect<A, unknown, SqlClient.SqlClient>
): Promise<A> => {
  const done = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flip(sql.withTransaction(Effect.flatMap(Effect.exit(work), Effect.fail)))
  )
  // A new connection each: what has no effect by a rule stays so in PostgreSQL's cache of plans.
  const exit = await engine.withClient(await databaseOf(engine), done)
  if (!Exit.isExit(exit)) throw exit
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

/** What a till stores whose tables these statements change, besides payments. */
const kindsIn = (statements: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(/till_(?:orders|quotes)/.test(statements.join()) ? ["quotes"] : []),
  ...(/till_(?:vault|purchase|free)/.test(statements.join()) ? ["purchases"] : [])
]

const startWith = (engine: Engine, statements: ReadonlyArray<string>, kinds = kindsIn(statements)) =>
  undone(engine, Effect.andThen(run(statements), start(kinds)))

interface Case {
  readonly what: string
  readonly statements: ReadonlyArray<string>
  readonly says?: RegExp
}

const ofBoth: ReadonlyArray<Required<Case>> = [
  {
    what: "a CHECK that long orders fail",
    statements: ["ALTER TABLE till_orders ADD COLUMN own TEXT CHECK (length(document) < 500)"],
    says: /failed at orders\.create: .*(?:check constraint "till_orders|CHECK constraint failed: length)/
  },
  {
    what: "a unique index that a second payment of a payer fails",
    statements: ["CREATE UNIQUE INDEX own_payers ON till_charges (payer, amount)"],
    says: /failed at charges\.claim: .*(?:own_payers|till_charges\.payer, till_charges\.amount)/
  },
  {
    what: "a unique index that a second order of a buyer fails",
    statements: ["CREATE UNIQUE INDEX own_buyers ON till_orders (personal)"],
    says: /failed at orders\.create: .*(?:own_buyers|till_orders\.personal)/
  },
  {
    what: "the uniqueness of a proof that only some rows have",
    statements: [
      "DROP INDEX till_charges_transfer",
      `CREATE UNIQUE INDEX till_charges_transfer ON till_charges (transaction_hash, network, transfer_log_index)
        WHERE transfer_log_index < 0`
    ],
    says: /failed at the unique index till_charges_transfer: /
  },
  {
    what: "an index in place of the uniqueness of a proof",
    statements: [
      "DROP INDEX till_charges_transfer",
      "CREATE INDEX till_charges_transfer ON till_charges (network, transaction_hash, transfer_log_index)"
    ],
    says: /failed at the unique index till_charges_transfer: /
  },
  {
    what: "a column to the uniqueness of a proof: one transfer would prove many payments",
    statements: [
      "DROP INDEX till_charges_transfer",
      `CREATE UNIQUE INDEX till_charges_transfer ON till_charges
        (transaction_hash, network, transfer_log_index, key) WHERE transaction_hash IS NOT NULL`
    ],
    says: /failed at the unique index till_charges_transfer: /
  },
  {
    what: "a column that rows require",
    statements: [
      "ALTER TABLE till_quotes RENAME TO old_quotes",
      `CREATE TABLE till_quotes (id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, offer TEXT NOT NULL,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, consumed_by TEXT, price TEXT NOT NULL)`,
      ...["live", "consumed", "expires"].map((name) => `DROP INDEX till_quotes_${name}`),
      ...orderTables.sqlite.filter((text) => /INDEX IF NOT EXISTS till_quotes_/.test(text))
    ],
    says: /failed at quotes\.put: .*(?:"price"|till_quotes\.price)/
  },
  {
    what: "a unique index that became another one",
    statements: [
      "DROP INDEX till_quotes_live",
      "CREATE UNIQUE INDEX till_quotes_live ON till_quotes (fingerprint, id) WHERE consumed_by IS NULL"
    ],
    says: /failed at quotes\.put: .*ON CONFLICT/
  }
]

const ofSqlite: ReadonlyArray<Required<Case>> = [
  {
    what: "a trigger that drops entries of the ledger",
    statements: ["CREATE TRIGGER own BEFORE INSERT ON till_ledger BEGIN SELECT RAISE(IGNORE); END"],
    says: /failed at till_ledger: other than written: 0/
  },
  {
    what: "a trigger that changes an amount",
    statements: [
      `CREATE TRIGGER own AFTER INSERT ON till_charges
        BEGIN UPDATE till_charges SET amount = substr(amount, 1, 5) WHERE key = NEW.key; END`
    ],
    says: /failed at till_ledger: other than written: 0\.amountAtomic\./
  },
  {
    what: "a foreign key",
    statements: [
      "CREATE TABLE own_buyers (email TEXT PRIMARY KEY)",
      "DROP TABLE till_free_downloads",
      `CREATE TABLE till_free_downloads (purchase_id TEXT NOT NULL REFERENCES own_buyers (email), nonce TEXT NOT NULL,
        bytes BIGINT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (purchase_id, nonce))`
    ],
    says: /failed at vaultPurchases\.redeem: .*FOREIGN KEY constraint failed/
  },
  {
    what: "a column that holds numbers with fewer digits",
    statements: [
      "DROP TABLE till_refund_attempts",
      `CREATE TABLE till_refund_attempts (charge_key TEXT NOT NULL, refund_number BIGINT NOT NULL,
        sequence BIGINT NOT NULL, wallet TEXT NOT NULL, amount REAL NOT NULL, nonce TEXT NOT NULL,
        not_before BIGINT NOT NULL, valid_before BIGINT NOT NULL, at BIGINT NOT NULL,
        PRIMARY KEY (charge_key, refund_number, sequence))`
    ],
    says: /failed at till_refund_attempts: other than written: 0\.amountAtomic\./
  }
]

const swallow = `CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`

const ofPostgres: ReadonlyArray<Required<Case>> = [
  {
    what: "a unique index that a second payment of a network fails: a column that is only included is not unique",
    statements: ["CREATE UNIQUE INDEX own_networks ON till_charges (network) INCLUDE (key)"],
    says: /failed at charges\.claim: .*own_networks/
  },
  {
    what: "an EXCLUDE that a second payment of a payer fails",
    statements: ["ALTER TABLE till_charges ADD CONSTRAINT own_payers EXCLUDE USING hash (payer WITH =)"],
    says: /failed at charges\.claim: .*own_payers/
  },
  {
    what: "a unique index that could not be finished",
    statements: [
      "CREATE UNIQUE INDEX own_payers ON till_charges (payer)",
      "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = CAST('own_payers' AS REGCLASS)"
    ],
    says: /failed at charges\.claim: .*own_payers/
  },
  {
    what: "a rule that drops entries of the ledger",
    statements: ["CREATE RULE own AS ON INSERT TO till_ledger DO INSTEAD NOTHING"],
    says: /failed at till_ledger: other than written: 0/
  },
  {
    what: "a trigger that drops entries of the ledger",
    statements: [
      swallow,
      "CREATE TRIGGER own BEFORE INSERT ON till_ledger FOR EACH ROW EXECUTE FUNCTION own()"
    ],
    says: /failed at till_ledger: other than written: 0/
  },
  {
    what: "a trigger that drops orders",
    statements: [
      swallow,
      "CREATE TRIGGER own BEFORE INSERT ON till_orders FOR EACH ROW EXECUTE FUNCTION own()"
    ],
    says: /failed at orders\.replace: nothing was changed or found/
  },
  {
    what: "a shorter type of a column",
    statements: ["ALTER TABLE till_charges ALTER COLUMN repeat_key TYPE varchar(20)"],
    says: /failed at charges\.claim: .*value too long for type character varying\(20\)/
  },
  {
    what: "a smaller type of a column",
    statements: ["ALTER TABLE till_quotes ALTER COLUMN created_at TYPE integer"],
    says: /failed at quotes\.put: integer out of range/
  },
  {
    what: "a foreign key",
    statements: [
      "CREATE TABLE own_buyers (wallet TEXT PRIMARY KEY)",
      "ALTER TABLE till_charges ADD CONSTRAINT own_buyer FOREIGN KEY (payer) REFERENCES own_buyers"
    ],
    says: /failed at charges\.claim: .*violates foreign key constraint "own_buyer"/
  },
  {
    what: "a foreign key that is compared at the end of a transaction",
    statements: [
      "CREATE TABLE own_buyers (wallet TEXT PRIMARY KEY)",
      `ALTER TABLE till_charges ADD CONSTRAINT own_buyer FOREIGN KEY (payer) REFERENCES own_buyers
        DEFERRABLE INITIALLY DEFERRED`
    ],
    says: /failed at its transaction: .*violates foreign key constraint "own_buyer"/
  },
  {
    what: "a generated column",
    statements: [
      "ALTER TABLE till_quotes DROP COLUMN created_at",
      "ALTER TABLE till_quotes ADD COLUMN created_at BIGINT GENERATED ALWAYS AS (expires_at) STORED"
    ],
    says: /failed at quotes\.put: .*cannot insert a non-DEFAULT value into column "created_at"/
  },
  {
    what: "a column that may not be empty",
    statements: ["ALTER TABLE till_charges ALTER COLUMN receipt SET NOT NULL"],
    says: /failed at charges\.claim: .*null value in column "receipt"/
  },
  {
    what: "a trigger that refuses orders, with the words of its host, shortened",
    statements: [
      `CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
        RAISE EXCEPTION ''not for % %'', NEW.personal, repeat(NEW.id, 99); END'`,
      "CREATE TRIGGER own BEFORE INSERT ON till_orders FOR EACH ROW EXECUTE FUNCTION own()"
    ],
    says: /failed at orders\.create: not for [^]{1,300}\. A constraint/
  }
]

const mayStay: ReadonlyArray<Case> = [
  { what: "nothing", statements: [] },
  { what: "a column that may be empty", statements: ["ALTER TABLE till_orders ADD COLUMN note TEXT"] },
  {
    what: "a column with a default",
    statements: ["ALTER TABLE till_charges ADD COLUMN shop TEXT NOT NULL DEFAULT 'berlin'"]
  },
  { what: "an index", statements: ["CREATE INDEX own_payers ON till_charges (payer, amount)"] },
  {
    what: "a unique index that refuses no more than a key",
    statements: ["CREATE UNIQUE INDEX own_states ON till_charges (key, state)"]
  }
]

const audited = (dialect: Engine["dialect"]): ReadonlyArray<string> => [
  "CREATE TABLE own_audit (charge_key TEXT, amount TEXT)",
  ...(dialect === "sqlite"
    ? [
        `CREATE TRIGGER own AFTER INSERT ON till_ledger
          BEGIN INSERT INTO own_audit VALUES (NEW.charge_key, NEW.amount); END`
      ]
    : [
        `CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
          INSERT INTO own_audit VALUES (NEW.charge_key, NEW.amount); RETURN NULL; END'`,
        "CREATE TRIGGER own AFTER INSERT ON till_ledger FOR EACH ROW EXECUTE FUNCTION own()"
      ])
]

const countRows = (tables: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(
      tables,
      (table) => sql<{ n: number | string }>`SELECT COUNT(*) AS n FROM ${sql(table)}`
    ).pipe(Effect.map((counts) => counts.map(([row]) => Number(row!.n))))
  )

describe.each(engines)("a start on %s", (dialect, engine) => {
  it.each([...ofBoth, ...(dialect === "sqlite" ? ofSqlite : ofPostgres)])(
    "is refused before the first payment where the host has $what",
    async ({ says, statements }) => {
      const message = messageOf(await startWith(engine, statements))
      expect(message).toMatch(
        /^storage: a sale was rehearsed on this database and taken back\. It failed at /
      )
      expect(message).toMatch(says)
      expect(message).not.toMatch(/\S{66,}|rehearsal\.example/)
    }
  )

  it.each(mayStay)("works where the host has $what", async ({ statements }) => {
    expect(await startWith(engine, statements)).toBe("started")
  })

  it("works with a trigger that copies rows to another table, and leaves nothing behind", async () => {
    const tables = [
      "till_charges",
      "till_ledger",
      "till_orders",
      "till_quotes",
      "till_vault_items",
      "own_audit"
    ]
    const work = Effect.all([run(audited(dialect)), start(), countRows(tables)])
    expect(await undone(engine, work)).toEqual([undefined, "started", [0, 0, 0, 0, 0, 0]])
  })

  it("of own routes alone rehearses nothing of the shop", async () => {
    const change = ["ALTER TABLE till_orders ADD COLUMN own TEXT CHECK (length(document) < 5)"]
    expect(await startWith(engine, change, [])).toBe("started")
    expect(await startWith(engine, change, ["purchases"])).toBe("started")
    expect(messageOf(await startWith(engine, change, ["quotes"]))).toContain("failed at orders.create")
  })

  it("disturbs neither another start nor a till that sells", async () => {
    const name = await made(engine)
    const sell = Charges.use(({ refundStop }) =>
      Effect.forEach(
        Array.from({ length: 40 }, (_, index) => `key-${index}`),
        (key) => Effect.all([claimOf(key), refundStop()])
      )
    )
    const [sold, ...starts] = await Promise.all([
      engine.open(name, sell),
      ...Array.from({ length: 4 }, () => startOf(engine, name))
    ])
    expect(starts).toEqual(["started", "started", "started", "started"])
    // A payer has at most as many unfinished charges as the limit; the others see a claim, and no stop of refunds.
    expect(sold.filter(([claim, stop]) => claim._tag === "Claimed" && stop === undefined)).toHaveLength(40)
    expect(await engine.withClient(name, countRows(["till_charges", "till_refund_stop"]))).toEqual([40, 0])
  })
})

describe("a file of SQLite that another process writes to", () => {
  it("is waited for", async () => {
    const [, engine] = engines[0]
    const name = await made(engine)
    const other = new DatabaseSync(name)
    other.exec("BEGIN IMMEDIATE")
    const started = startOf(engine, name)
    setTimeout(() => other.exec("COMMIT"), 300)
    expect(await started).toBe("started")
    other.close()
  })
})

describe("a rehearsal on a file of SQLite whose process is busy", () => {
  it("ends after three seconds: other processes wait for five", async () => {
    const [, engine] = engines[0]
    const name = await made(engine)
    const other = new DatabaseSync(name, { timeout: 0 })
    const isLocked = (): boolean => {
      try {
        other.exec("BEGIN IMMEDIATE; ROLLBACK")
        return false
      } catch {
        return true
      }
    }
    const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))
    const busy = Effect.gen(function* () {
      const running = yield* Effect.forkChild(rehearsing(), { startImmediately: true })
      while (!isLocked()) yield* turn
      yield* TestClock.adjust(3_000)
      yield* Fiber.join(running)
    })
    const { events, logger } = recording()
    await engine.open(name, busy.pipe(Effect.provide(TestClock.layer()), Effect.provide(logger)))
    expect(events).toEqual(["storage_failed: rehearsal"])
    expect(isLocked()).toBe(false)
    other.close()
  })
})

describe("a table of PostgreSQL that somebody has locked", () => {
  it("is a busy database, and no wrong one", async () => {
    const url = await made(postgresEngine)
    const impatient = `${url}?options=${encodeURIComponent("-c lock_timeout=100")}`
    const lock = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.withTransaction(
        Effect.andThen(
          sql`LOCK TABLE till_charges IN ACCESS EXCLUSIVE MODE`,
          Effect.promise(async () => [
            await postgresEngine.withClient(impatient, start()),
            await reportedBy(postgresEngine, impatient)
          ])
        )
      )
    )
    const [error, reported] = await postgresEngine.withClient(url, lock)
    expect(error).toBeInstanceOf(StoreError)
    expect((error as StoreError).message).toBe("the storage failed: rehearsal of charges.claim")
    // Its processes that have started before sell as soon as the lock is gone: so does this one.
    expect(reported).toEqual({
      outcome: "started",
      events: ["storage_failed: rehearsal of charges.claim"]
    })
    expect(await reportedBy(postgresEngine, url)).toEqual({ outcome: "started", events: [] })
  })
})

/** A function of a trigger, and the trigger after each new row of a table. */
const triggerOn = (table: string, body: string): ReadonlyArray<string> => [
  `CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN ${body}; RETURN NULL; END$$`,
  `CREATE TRIGGER own AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION own()`
]

describe("a server of PostgreSQL that can't work now", () => {
  it.each([
    ["53100", "could not extend file: No space left on device"],
    ["57P01", "terminating connection due to administrator command"]
  ])("is no wrong database: %s", async (code, words) => {
    const failing = triggerOn("till_ledger", `RAISE EXCEPTION '${words}' USING ERRCODE = '${code}'`)
    expect(await startWith(postgresEngine, failing)).toBeInstanceOf(StoreError)
  })
})

describe("a trigger of PostgreSQL that turns amounts into numbers", () => {
  it.each([
    ["of 64 bits", "till_ledger", "bigint", "CAST(NEW.amount AS bigint)"],
    ["of dollars and cents", "till_ledger", "numeric(12, 2)", "CAST(NEW.amount AS numeric) / 1000000"],
    [
      "of an order",
      "till_orders",
      "bigint",
      "CAST(CAST(NEW.document AS json) #>> '{offer,total,atomic}' AS bigint) / 10000"
    ]
  ])("may stay: %s", async (_, table, type, amount) => {
    const copies = triggerOn(table, `INSERT INTO own_revenue VALUES (${amount})`)
    const created = `CREATE TABLE own_revenue (amount ${type})`
    expect(await startWith(postgresEngine, [created, ...copies])).toBe("started")
  })
})

describe("a role of PostgreSQL", () => {
  const role = "seller"
  const grantTo = (what: string) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ${what} TO ${role}`
  const as = (who: string) => run([`SET LOCAL ROLE ${who}`])
  /** Starts as the role, once these statements have changed its rights; then again, once others have. */
  const starts = (
    statements: ReadonlyArray<string>,
    kinds?: ReadonlyArray<string>,
    others: typeof statements = []
  ) => {
    const created = run([`CREATE ROLE ${role}`, grantTo("ALL TABLES IN SCHEMA public"), ...statements])
    const attempt = Effect.andThen(as(role), start(kinds))
    const changed = Effect.andThen(as("NONE"), run(others))
    return undone(
      postgresEngine,
      Effect.andThen(created, Effect.all([attempt, Effect.andThen(changed, attempt)]))
    )
  }

  it("has all rights that it needs without being the owner", async () => {
    const [first] = await starts([`REVOKE UPDATE, DELETE ON till_ledger FROM ${role}`])
    expect(first).toBe("started")
  })

  it.each([
    "INSERT ON till_ledger",
    "DELETE ON till_charges",
    "UPDATE ON till_orders",
    "SELECT ON till_vault_items"
  ])("lacks %s: the error has the right to grant, after which the till starts", async (right) => {
    const table = right.split(" ").at(-1)!
    const [first, second] = await starts([`REVOKE ${right} FROM ${role}`], undefined, [grantTo(table)])
    const message = messageOf(first)
    expect(message).toContain(`the role ${role} lacks a right: permission denied for table ${table}.`)
    expect(message).toMatch(new RegExp(`As the owner of ${table}: ${grantTo(table)}$`))
    expect(second).toBe("started")
  })

  it("lacks the right to call a function: the error has the right to grant", async () => {
    const grant = `GRANT EXECUTE ON FUNCTION till_claim TO ${role}`
    const [first, second] = await starts(["REVOKE EXECUTE ON FUNCTION till_claim FROM PUBLIC"], [], [grant])
    expect(messageOf(first)).toMatch(new RegExp(`${grant}$`))
    expect(second).toBe("started")
  })

  it("of own routes alone needs no right on the shop's tables", async () => {
    const lacks = `REVOKE ALL ON till_orders, till_quotes, till_vault_items, till_vault_downloads, till_vault_archives,
      till_vault_purchases, till_purchase_downloads, till_free_downloads FROM ${role}`
    expect(await starts([lacks], [])).toEqual(["started", "started"])
    const [first] = await starts([lacks], ["quotes"])
    expect(messageOf(first)).toContain("permission denied for table till_quotes")
  })

  it("sees no entries for lack of a policy, and all with one", async () => {
    const secured = [
      "ALTER TABLE till_ledger ENABLE ROW LEVEL SECURITY",
      `CREATE POLICY adds ON till_ledger FOR INSERT TO ${role} WITH CHECK (TRUE)`
    ]
    const policy = `CREATE POLICY sees ON till_ledger TO ${role} USING (TRUE)`
    const [first, second] = await starts(secured, undefined, [policy])
    expect(messageOf(first)).toContain("failed at till_ledger: other than written: 0")
    expect(second).toBe("started")
  })

  it("may add no rows for lack of a policy", async () => {
    const [first] = await starts(["ALTER TABLE till_charges ENABLE ROW LEVEL SECURITY"])
    expect(messageOf(first)).toMatch(
      /the role seller lacks a right: new row violates row-level security policy for table "till_charges".*ALTER TABLE till_charges DISABLE ROW LEVEL SECURITY, or CREATE POLICY of all rows for seller$/
    )
  })
})

describe("a database of PostgreSQL", () => {
  it("is partitioned and published to others", async () => {
    const [table, ...rest] = ledgerTables.postgres
    const statements = [
      "DROP TABLE till_ledger",
      `${table} PARTITION BY HASH (charge_key)`,
      "CREATE TABLE own_ledger_0 PARTITION OF till_ledger FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
      "CREATE TABLE own_ledger_1 PARTITION OF till_ledger FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
      ...rest,
      "CREATE PUBLICATION own FOR ALL TABLES"
    ]
    expect(await startWith(postgresEngine, statements)).toBe("started")
  })
})
