/*
 * The fifth migration: what a database was used with, such as digests of the host's keys. It is frozen, as the ones
 * before are: a test compares its digest.
 */

const columns = (text: string) => `
    name ${text} PRIMARY KEY,
    value ${text} NOT NULL`

/** The statements of the fifth migration. */
export const storageMarks = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS till_marks (${columns("TEXT")}
  ) WITHOUT ROWID`
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS till_marks (${columns('TEXT COLLATE "C"')}
  )`
  ]
}
