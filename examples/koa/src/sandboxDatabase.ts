import { once } from "node:events"
import { startPostgres } from "@till402/test-postgres"

/*
 * The PostgreSQL of sandbox.ts, in its own process: prints the connection string and keeps the database up until
 * standard input ends. So it ends with the process that started it, however that one ends.
 */

const postgres = await startPostgres()
console.log(postgres.url)
process.stdin.resume()
await once(process.stdin, "close")
await postgres.stop()
