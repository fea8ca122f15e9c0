import type { Migration } from "../../../src/stores/schema/migrations.ts"

/*
 * Two invented versions after this one: the first adds a column and an index, the second writes a table anew and takes
 * both away.
 */

const note = [
  "ALTER TABLE till_quotes ADD COLUMN note TEXT",
  "CREATE INDEX IF NOT EXISTS till_quotes_note ON till_quotes (note)"
]

const marks = [
  "CREATE TABLE IF NOT EXISTS till_marks_new (\n    name TEXT PRIMARY KEY,\n    value TEXT NOT NULL,\n    used_at BIGINT NOT NULL\n  )",
  "INSERT INTO till_marks_new (name, value, used_at) SELECT name, value, 0 FROM till_marks",
  "DROP TABLE till_marks",
  "ALTER TABLE till_marks_new RENAME TO till_marks",
  "CREATE INDEX IF NOT EXISTS till_marks_used ON till_marks (used_at)",
  "DROP INDEX till_quotes_note",
  "ALTER TABLE till_quotes DROP COLUMN note"
]

export const laterVersions: ReadonlyArray<Migration> = [
  { id: 2, name: "note", sqlite: note, postgres: note },
  { id: 3, name: "marks", sqlite: marks, postgres: marks }
]
