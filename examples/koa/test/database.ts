import { sharedPostgres } from "@till402/test-postgres"
import type { ExampleDatabase } from "../../express/test/runningExample.ts"

/** A new database of the cluster that the tests share. */
export const postgresDatabase = async (): Promise<ExampleDatabase> => {
  const postgres = await sharedPostgres()
  return {
    variable: "DATABASE_URL",
    value: await postgres.createDatabase(),
    required: true,
    stop: async () => undefined
  }
}
