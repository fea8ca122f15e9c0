import { exampleSuite, sandboxSuite } from "../../express/test/runningExample.ts"
import { postgresDatabase } from "./database.ts"

const sources = new URL("../src/", import.meta.url)
exampleSuite("Koa", sources, postgresDatabase)
sandboxSuite(["SIGINT", "SIGTERM with a database", "failure"], "Koa", sources, postgresDatabase)
