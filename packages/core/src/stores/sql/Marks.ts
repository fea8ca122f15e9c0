import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageMarks } from "../../ports/StorageMarks.ts"
import { storing } from "./statements.ts"

/** Marks in a database. */
export const layer = Layer.effect(
  StorageMarks,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    all: storing(
      "marks.all",
      Effect.map(
        sql<{ readonly name: string; readonly value: string }>`SELECT name, value FROM till_marks`,
        (rows) => new Map(rows.map(({ name, value }) => [name, value]))
      )
    ),
    add: (name: string, value: string) =>
      storing(
        "marks.add",
        Effect.asVoid(
          sql`INSERT INTO till_marks (name, value) VALUES (${name}, ${value}) ON CONFLICT (name) DO NOTHING`
        )
      )
  }))
)
