import { describe } from "vitest"
import { openEngines } from "../sql/engines.ts"
import { otherSchemaTests, otherSecondTests } from "./migrationTests.ts"

const { postgresEngine } = openEngines()

describe("a second migration, in postgres", () => otherSecondTests(postgresEngine))
describe("the schema found, in postgres", () => otherSchemaTests(postgresEngine))
