import { startPostgres } from "@till402/test-postgres"
import { type ExampleDatabase, exampleSuite } from "../../express/test/runningExample.ts"

const postgresDatabase = async (): Promise<ExampleDatabase> => {
  const postgres = await startPostgres()
  return { variable: "DATABASE_URL", value: postgres.url, required: true, stop: postgres.stop }
}

exampleSuite("Koa", new URL("../src/", import.meta.url), postgresDatabase)
