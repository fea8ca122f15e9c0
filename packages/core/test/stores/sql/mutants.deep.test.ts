import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { memory } from "../../../src/stores/memory.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { sqlite } from "../../../src/sqlite.ts"
import {
  type Opened,
  restartCases,
  storeCases,
  storeModelCase,
  StoreContractViolation
} from "../../../../testing/src/storeContract.ts"
import { temporaryFiles } from "./folder.ts"
import { mutants } from "./mutants.ts"

const nextFile = temporaryFiles()

describe("the contract finds a store in which", () => {
  const broken = (breaks: (typeof mutants)[number]["breaks"]) =>
    Layer.effect(
      Charges,
      Effect.map(Charges, (charges) => ({ ...charges, ...breaks(charges) }))
    ).pipe(Layer.provideMerge(memory()))

  it.each(mutants)("$name", async ({ breaks, foundBy }) => {
    const meant = storeCases.filter(({ name }) => name.includes(foundBy))
    expect(meant).toHaveLength(1)
    const running = Effect.runPromise(Effect.provide(meant[0]!.run, broken(breaks)))
    await expect(running).rejects.toThrow(StoreContractViolation)
  })

  it("every mutant has a name of its own", () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  })

  it("random verbs name the seed and step at which it differs from the model", async () => {
    const { breaks } = mutants.find(({ name }) => name.includes("settling does not look at the state"))!
    const running = Effect.runPromise(Effect.provide(storeModelCase(1).run, broken(breaks)))
    await expect(running).rejects.toThrow(/^seed 1, step \d+/)
  })
})

describe("the restart cases find a store in which", () => {
  /** A file at which somebody tampers between two openings. */
  const tampered = (statements: string): Opened => {
    const filename = nextFile()
    return (use) =>
      Effect.ensuring(
        Effect.provide(use, sqlite({ filename })),
        Effect.sync(() => {
          const file = new DatabaseSync(filename)
          file.exec(statements)
          file.close()
        })
      )
  }

  // The trigger is put back: a schema without it is refused at start.
  const ledgerDeleted = `DROP TRIGGER IF EXISTS till_ledger_no_delete; DELETE FROM till_ledger;
    CREATE TRIGGER IF NOT EXISTS till_ledger_no_delete BEFORE DELETE ON till_ledger
      BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END`

  it.each([
    ["the ledger is lost", ledgerDeleted, "all data is unchanged after a restart"],
    ["leases are lost", "UPDATE till_charges SET lease_until = 0", "leases and limits hold across a restart"],
    [
      "a settlement is lost",
      `${ledgerDeleted};
        UPDATE till_charges SET state = 'ready', settled_at = NULL WHERE state = 'settled'`,
      "a charge settled before a restart doesn't settle or refund again"
    ],
    [
      "what a settlement sets off is lost",
      "UPDATE till_charges SET effect_pending = 0",
      "a payment completes even if the process dies after every step"
    ],
    [
      "voided charges are lost",
      "DELETE FROM till_charges WHERE state = 'voided'",
      "a voided payment is watched across restarts"
    ],
    [
      "the transfers of settlements are lost",
      "UPDATE till_charges SET transfer_log_index = NULL",
      "a provisional settlement can be undone and settled again across restarts"
    ],
    [
      "that a settlement awaits finality is lost",
      "UPDATE till_charges SET awaits_finality = 0",
      "all data is unchanged after a restart"
    ],
    [
      "that refunds were started is lost",
      "UPDATE till_charges SET refund_started_at = NULL",
      "started refunds, their limit and their stop survive a restart"
    ],
    [
      "the stop of refunds is lost",
      "DELETE FROM till_refund_stop",
      "started refunds, their limit and their stop survive a restart"
    ],
    [
      "the mail of a purchase is lost",
      "UPDATE till_vault_purchases SET due_at = NULL",
      "a purchase due before a restart is due after it"
    ]
  ])("%s", async (_, statements, foundBy) => {
    const meant = restartCases.filter(({ name }) => name.includes(foundBy))
    expect(meant).toHaveLength(1)

    await expect(Effect.runPromise(meant[0]!.run(tampered(statements)))).rejects.toThrow(
      StoreContractViolation
    )
  })
})
